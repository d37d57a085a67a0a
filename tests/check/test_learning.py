"""The task by which a run is judged, and whether the run learned it."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from claimed import judgement
from semblance.config.learning import own_task
from semblance.evaluation.learning import all_trained, baseline, judge, worst
from semblance.evaluation.predictions import Predictions
from semblance.specs.recipe import Recipe
from semblance.specs.run import ModelSpec, RunSpec, SelectionSpec, StageSpec, TaskSpec
from semblance.vocabulary import Learned

LABELS = {"qqp": "binary", "stsb": "score", "snli": "inference", "sst": "sentiment"}
N = 600
TRUTH = (np.arange(N) % 3 == 0).astype(float)  # a third is positive


def run(stages, evaluate, kind="cross-encoder", classes=None, **more):
    """Return a run that is trained on some datasets."""
    made = tuple(StageSpec(on, "o", Recipe(1, 1, 1)) for on in stages)
    return RunSpec(ModelSpec(kind, classes=classes), made, evaluate=tuple(evaluate), **more)


def selected_on(spec, on):
    """Return the same run, with its epoch selected on a split."""
    return replace(spec, stages=(replace(spec.stages[0], select=SelectionSpec(on, "pearson")),))


@pytest.mark.parametrize(
    ("spec", "on", "metric", "train", "threshold"),
    [
        (run(["qqp"], ["qqp/dev", "qqp/validation"]), "qqp/validation", "roc-auc", "qqp/train", 0.5),
        (run(["qqp"], ["qqp/dev"], kind="bi-encoder"), "qqp/dev", "roc-auc", "qqp/train", None),
        (run(["qqp", "stsb"], ["qqp/dev", "stsb/test"]), "stsb/test", "pearson", "stsb/train", None),
        (run(["sst"], ["sst/train", "sst/dev"], classes=5), "sst/dev", "class-roc-auc", "sst/train", None),
        # Its training corpus is not scored; then the split that selected its epoch is its task.
        (selected_on(run(["snli"], ["stsb/dev"]), "stsb/dev"), "stsb/dev", "pearson", None, None),
        (
            run(["sst", "qqp"], ["sst/dev"], classes=5, own_task="sst/dev"),
            "sst/dev",
            "class-roc-auc",
            "sst/train",
            None,
        ),
    ],
)
def test_a_runs_own_task(spec, on, metric, train, threshold):
    assert replace(own_task(spec, LABELS), new_head=False) == TaskSpec(on, train, metric, threshold)


def test_the_task_that_a_run_names_comes_before_that_of_its_last_stage():
    named = run(["qqp", "stsb"], ["qqp/dev", "stsb/dev"], own_task="qqp/dev")
    assert own_task(named, LABELS).on == "qqp/dev" and own_task(replace(named, own_task=None), LABELS).on == "stsb/dev"


def test_a_cosine_and_what_continues_another_run_have_no_new_head():
    assert own_task(run(["qqp"], ["qqp/dev"]), LABELS).new_head
    assert not own_task(run(["qqp"], ["qqp/dev"], kind="bi-encoder"), LABELS).new_head
    continued = run(["qqp"], ["qqp/dev"], start_from="other")
    assert not own_task(continued, LABELS).new_head
    assert own_task(replace(continued, model=replace(continued.model, new_head=True)), LABELS).new_head
    scores = run(["stsb"], ["stsb/dev"], kind="multitask")
    features = replace(scores, model=replace(scores.model, features=("u", "v")))  # of the heads of other labels
    assert not own_task(scores, LABELS).new_head and not own_task(features, LABELS).new_head
    assert own_task(replace(features, model=replace(features.model, heads=("score",))), LABELS).new_head


def test_what_is_not_trained_or_not_scored_has_no_task():
    assert own_task(run([], ["qqp/dev"]), LABELS) is None
    assert own_task(run(["snli"], ["stsb/dev"]), LABELS) is None
    assert own_task(run(["snli"], ["snli/dev"], kind="bi-encoder"), LABELS) is None  # cosines of three classes
    assert own_task(run(["snli"], ["snli/dev"], classes=3), LABELS)


def scored(signal: float, seed: int, target=TRUTH) -> Predictions:
    """Return predictions that separate the labels better for a larger `signal`."""
    noise = np.random.default_rng(seed).normal(size=len(target))
    score = 1 / (1 + np.exp(-(signal * (target - 0.5) + noise)))
    return Predictions(np.arange(len(target)).astype(str), target, score, np.full(len(target), None))


class Evidence:
    def __init__(self, start: Predictions, end: Predictions, train: Predictions | None = None):
        self._start, self._end, self._train = start, end, train

    def predictions(self, run, on):
        return [self._end]

    def starts(self, run, on):
        return [self._start]

    def on_training_rows(self, run, of):
        return [self._train]

    def clusters(self, on, ids):
        return np.arange(len(ids))

    def made_by(self, run, on):
        return {"recipe": "r"}


def judged(start, end, train=None, metric="roc-auc", threshold=0.5, new_head=False):
    task = TaskSpec("qqp/dev", "qqp/train" if train else None, metric, threshold, new_head)
    [found] = judge(task, "run", Evidence(start, end, train), [7])
    return found


def test_better_than_start_and_majority_is_learned():
    found = judged(scored(0, 1), scored(3, 2), scored(5, 3))
    assert (found.seed, found.made_by) == (7, {"recipe": "r"})
    assert found.learned == "yes" and found.majority == 0.5 and found.train > found.value > 0.9
    assert found.over_start[0] > 0 and found.over_majority[0] > 0 and 0.5 < found.top_share < 0.9
    fit = scored(5, 3)
    assert found.training_accuracy == ((fit.score >= 0.5) == (fit.target > 0.5)).mean()


def test_cosines_are_divided_at_the_most_accurate_threshold_of_the_training_rows():
    fit, end = scored(5, 3), scored(3, 2)
    low = replace(fit, score=0.4 * fit.score)
    assert judged(scored(0, 1), low, low, threshold=None).training_accuracy > 0.9  # at 0.5, 0.667
    high = replace(end, score=0.9 + 0.1 * end.score)
    found = judged(scored(0, 1), high, fit, threshold=None)
    assert found.value > 0.9 and found.top_share == 1 and found.learned == "no"


def test_no_better_than_the_start_is_not_clear_and_worse_is_not_learned():
    assert judged(scored(3, 1), scored(3, 2)).learned == "not clear"
    assert judged(scored(5, 1), scored(1, 2)).learned == "no"


def test_a_start_below_chance_is_mirrored_if_its_head_is_new():
    reversed_start = scored(-3, 1)
    below = roc_auc_score(reversed_start.target, reversed_start.score)
    found = judged(reversed_start, scored(3, 2), new_head=True)
    assert found.start == pytest.approx(1 - below) and below < 0.1 and found.learned == "not clear"
    found = judged(reversed_start, scored(3, 2))
    assert found.start == pytest.approx(below) and found.learned == "yes"


def test_worse_than_the_start_can_be_judged_only_after_training_on_another_dataset():
    better, worse = scored(5, 1), scored(1, 2)
    assert all_trained([judged(better, worse)]) and not all_trained([judged(better, worse, worse)])
    assert not all_trained([judged(better, scored(0, 2))])


def test_chance_is_not_learned():
    assert judged(scored(0, 1), scored(0, 2)).learned == "no"


def test_one_class_for_everything_is_collapsed_however_well_it_ranks():
    end = scored(3, 2)
    shifted = Predictions(end.id, end.target, 0.4 * end.score, end.group)
    found = judged(scored(0, 1), shifted)
    assert found.value > 0.9 and found.top_share == 1 and found.learned == "no"
    # Cosines have no fixed threshold, so it is tuned on training rows.
    assert judged(scored(0, 1), shifted, shifted, threshold=None).learned == "yes"


def of_classes(target: np.ndarray, probabilities: np.ndarray) -> Predictions:
    return Predictions(
        np.arange(N).astype(str), target, probabilities.argmax(1).astype(float), np.full(N, None), probabilities
    )


def test_classes_are_judged_by_how_well_each_is_told_from_the_others():
    target = np.repeat([0.0, 1.0, 2.0], [300, 200, 100])
    given = np.where(np.arange(N) % 4, target, 0).astype(int)  # the right class, or the commonest
    right = of_classes(target, 0.1 + 0.7 * np.eye(3)[given])
    alike = of_classes(target, np.full((N, 3), 1 / 3))
    found = judged(alike, right, metric="class-roc-auc", threshold=None)
    expected = roc_auc_score(target, right.probabilities, average="macro", multi_class="ovr")
    assert found.majority == found.start == 0.5 and found.learned == "yes" and found.value == pytest.approx(expected)
    assert found.top_share == pytest.approx(375 / 600) and found.training_accuracy is None  # on another dataset
    fitted = judged(alike, right, right, metric="class-roc-auc", threshold=None)
    assert fitted.training_accuracy == pytest.approx(1 - 75 / 600) and fitted.train == pytest.approx(expected)
    assert judged(alike, alike, metric="class-roc-auc", threshold=None).learned == "no"
    # Most rows get the commonest class, and no more of them are right than by chance, but their order is right.
    timid = of_classes(target, 0.9 * np.eye(3)[np.where(np.arange(N) % 20, 0, 1)] + 0.1 * right.probabilities)
    assert (timid.score == target).mean() <= 0.5 and judged(alike, timid, None, "class-roc-auc", None).learned == "yes"
    collapsed = of_classes(target, timid.probabilities + [1, 0, 0])  # the same order, but one class for all
    found = judged(alike, collapsed, None, "class-roc-auc", None)
    assert found.value > 0.6 and found.top_share == 1 and found.learned == "no"


def test_a_start_below_chance_is_mirrored_class_by_class():
    target = np.repeat([0.0, 1.0, 2.0], 200)
    right = 0.1 + 0.7 * np.eye(3)[target.astype(int)]
    start = of_classes(target, np.stack([right[:, 0], -right[:, 1], np.zeros(N)], axis=1))  # ROC AUC: 1, 0, 0.5
    plain = judged(start, of_classes(target, right), None, "class-roc-auc", None)
    mirrored = judged(start, of_classes(target, right), None, "class-roc-auc", None, new_head=True)
    assert (plain.start, mirrored.start) == (pytest.approx(1.5 / 3), pytest.approx(2.5 / 3))


def test_a_score_that_is_constant_is_worth_nothing():
    constant = Predictions(np.arange(N).astype(str), TRUTH, np.full(N, 0.3), np.full(N, None))
    found = judged(scored(1, 1), constant, metric="pearson", threshold=None)
    assert found.value is None and found.learned == "no"
    assert judged(constant, scored(3, 1), metric="pearson", threshold=None).learned == "yes"


@pytest.mark.parametrize(
    ("metric", "best"),
    [
        ("accuracy", 0.7),
        ("f1", 2 * 0.3 / 1.3),  # all of them positive: precision 0.3, recall 1
        ("recall", 1.0),
        ("false-positive-rate", 0.0),
        ("roc-auc", 0.5),
        ("spearman", 0.0),
        ("class-accuracy", 0.7),
        ("mean-absolute-error", 0.3),
        ("class-roc-auc", 0.5),
        ("log-loss", -0.7 * np.log(0.7) - 0.3 * np.log(0.3)),  # the shares of the classes
    ],
)
def test_the_baseline_is_the_best_constant_prediction(metric, best):
    rows = scored(1.0, 0, target=np.array([1.0, 1, 1, 0, 0, 0, 0, 0, 0, 0]))
    assert baseline(metric, rows) == pytest.approx(best)


def test_the_median_has_the_least_absolute_error():
    rows = scored(1.0, 0, target=np.array([0.2, 0.3, 0.3, 0.3, 0.9]))
    assert baseline("mean-absolute-error", rows) == pytest.approx(0.14)  # of 0.3; that of the mean, 0.4, is 0.2


def test_where_all_examples_share_sentences_nothing_can_be_judged():
    class OneCluster(Evidence):
        def clusters(self, on, ids):
            return np.zeros(len(ids), dtype=int)

    task = TaskSpec("qqp/dev", None, "roc-auc", 0.5)
    [found] = judge(task, "run", OneCluster(scored(0, 1), scored(3, 2)), [7])
    assert found.learned == "no" and found.over_start == (None, None) and not all_trained([found])


def test_the_worst_of_several_seeds_is_shown():
    yes, no, collapsed = judgement("yes"), judgement("no"), judgement("no", top_share=1.0)
    assert [worst(found) for found in ([], [yes], [yes, no], [no, collapsed, yes])] == [
        None,
        "yes",
        "no",
        Learned.COLLAPSED,
    ]
