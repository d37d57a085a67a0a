"""Each half of the rows scored by what the other half selects, against values worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from configuration import change, settings
from recorded import predicted
from semblance.config.load import load
from semblance.errors import UserError
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.selecting import by_other_half, half_of, overall
from semblance.evaluation.watched import Evaluation
from semblance.specs.cells import OTHER_HALF, CellSpec
from semblance.specs.places import Places, RunPlaces
from semblance.specs.run import Recipe, RunSpec, SelectionSpec, StageSpec

COUNT = 40
TARGETS = np.arange(COUNT) % 2
FIRST = np.arange(COUNT) < COUNT // 2
BY_ACCURACY = SelectionSpec("set/dev", "accuracy", threshold=0.5)


def rows(first, second, half=FIRST):
    """Return predictions of which such shares of the first and of the second half are right."""
    right = np.empty(COUNT, dtype=bool)
    right[half], right[~half] = np.arange(20) < round(20 * first), np.arange(20) < round(20 * second)
    return predicted(TARGETS, np.where(right, TARGETS, 1 - TARGETS))


def accuracy_of(found):
    return float(((found.score >= 0.5) == found.target).mean())


def test_each_half_is_scored_after_the_epoch_that_the_other_half_selects():
    """The first half selects the first epoch, after which the second has 0.5; the second selects the second: 0.6."""
    epochs = [rows(0.9, 0.5), rows(0.6, 0.8), rows(0.9, 0.7)]
    found = by_other_half([BY_ACCURACY], {"set/dev": epochs}, "set/dev", FIRST)
    assert accuracy_of(found.only(FIRST)) == 0.6 and accuracy_of(found.only(~FIRST)) == 0.5
    assert list(found.id) == list(epochs[0].id) and list(found.target) == list(TARGETS)
    # All rows would select the third epoch, of which they have 0.8: more than rows that do not select.
    assert accuracy_of(epochs[2]) == 0.8


def test_class_probabilities_go_with_their_half():
    epochs = [replace(one, probabilities=np.c_[1 - one.score, one.score]) for one in (rows(0.9, 0.5), rows(0.6, 0.8))]
    rule = SelectionSpec("set/dev", "class-accuracy")
    found = by_other_half([rule], {"set/dev": epochs}, "set/dev", FIRST)
    assert accuracy_of(found.only(FIRST)) == 0.6 and list(found.probabilities[:, 1]) == list(found.score)


def test_a_stage_is_selected_by_the_other_half_and_by_all_rows_of_other_splits():
    """The first half alone selects the first stage, 0.9 to 0.6; with the other split, the second: 0.5 to 0.75."""
    other = SelectionSpec("other/dev", "accuracy", threshold=0.5)
    stages = {"set/dev": [rows(0.9, 0.5), rows(0.6, 0.4)], "other/dev": [rows(0.1, 0.1), rows(0.9, 0.9)]}
    found = by_other_half([BY_ACCURACY, other], stages, "set/dev", FIRST)
    assert accuracy_of(found.only(~FIRST)) == 0.4 and accuracy_of(found.only(FIRST)) == 0.6
    assert accuracy_of(by_other_half([BY_ACCURACY], stages, "set/dev", FIRST).only(~FIRST)) == 0.5
    assert overall([replace(BY_ACCURACY, on_unit_scale=True), other], [0.5, 0.25]) == pytest.approx((0.75 + 0.25) / 2)


def test_halves_share_no_cluster():
    clusters = np.repeat(np.arange(12), [1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 6])
    first = half_of(clusters)
    assert not set(clusters[first]) & set(clusters[~first]) and 9 <= first.sum() <= 15
    assert half_of(np.arange(1000)).sum() == 500 and list(half_of(clusters)) == list(first)


def test_a_cluster_of_most_rows_leaves_the_others_a_half():
    clusters = np.r_[np.zeros(90, dtype=int), np.arange(1, 11)]
    first = half_of(clusters)
    assert min(first.sum(), (~first).sum()) == 10
    with pytest.raises(UserError, match="all rows share sentences"):
        half_of(np.zeros(5, dtype=int))


HALF = half_of(np.arange(COUNT))


class Recorded(Evidence):
    after = (rows(1.0, 1.0, HALF), rows(0.9, 0.5, HALF), rows(0.6, 0.8, HALF))  # before training, after two epochs

    def evaluations(self, run, on, kind="watched"):
        assert (run, on, kind) == ("a", "set/dev", "selecting")
        return [[Evaluation(10 * number, float(number), found) for number, found in enumerate(self.after)]]

    def clusters(self, on, ids):
        return np.arange(len(ids))

    def _scored(self, file, run, on):
        return rows(0.9, 0.5)


SELECTS = RunPlaces(
    "recipe",
    predictions=("folder",),
    chosen_by=("set/dev", "old/dev"),
    chosen_before=("old/dev",),
    selection=(BY_ACCURACY,),
    selecting="selecting",
)


def test_rows_that_select_nothing_are_scored_after_training_and_marked_as_their_start_is():
    evidence = Recorded(Places("tiny", {"a": SELECTS}))
    [found] = evidence.predictions("a", "set/dev", OTHER_HALF)
    assert list(found.score[~HALF]) == list(Recorded.after[1].score[~HALF])
    assert list(found.score[HALF]) == list(Recorded.after[2].score[HALF])
    [elsewhere] = evidence.predictions("a", "old/dev", OTHER_HALF)
    assert list(elsewhere.score) == list(rows(0.9, 0.5).score)
    assert evidence.reached("a", "set/dev", OTHER_HALF)
    cell = CellSpec("accuracy", "a", "set/dev", threshold=0.5)
    assert evidence.is_selected_on(cell) and not evidence.is_selected_on(replace(cell, selected_by="other-half"))
    assert evidence.is_selected_on(replace(cell, on="old/dev", selected_by="other-half"))
    assert replace(cell, selected_by="other-half").before(None) == replace(cell, at_start=True)


def test_each_seed_has_the_epochs_that_its_own_rows_select():
    """The second seed's first half selects its second epoch, and its second half the first, other than seed one's."""
    other = tuple(rows(*shares, HALF) for shares in ((1.0, 1.0), (0.6, 0.7), (0.9, 0.4)))

    class TwoSeeds(Recorded):
        def evaluations(self, run, on, kind="watched"):
            seeds = (self.after, other)
            return [[Evaluation(n, float(n), found) for n, found in enumerate(seed)] for seed in seeds]

    evidence = TwoSeeds(Places("tiny", {"a": replace(SELECTS, predictions=("folder", "folder"))}))
    first, second = evidence.predictions("a", "set/dev", OTHER_HALF)
    assert list(first.score[~HALF]) == list(Recorded.after[1].score[~HALF])
    assert list(second.score[~HALF]) == list(other[2].score[~HALF])
    assert list(second.score[HALF]) == list(other[1].score[HALF])


def test_a_stage_that_diverged_selects_nothing():
    evidence = Recorded(Places("tiny", {"a": SELECTS}))
    evidence.after = ()
    assert list(evidence.predictions("a", "set/dev", OTHER_HALF)[0].score) == list(rows(0.9, 0.5).score)


def test_what_selected_an_earlier_stage_stays_selected():
    long = Recipe(epochs=3, batch_size=8, learning_rate=0.1)
    recipes = {"a": long, "b": replace(long, epochs=1), "c": long}
    stages = [StageSpec(on, "x", one, select=SelectionSpec(f"{on}/dev", "f1")) for on, one in recipes.items()]
    run = RunSpec(None, tuple(stages))
    assert run.chosen_before() == ["a/dev"] and run.chosen_by() == ["a/dev", "c/dev"]
    assert [rule.on for rule in run.selection()] == ["c/dev"]
    both = replace(run, select_stage=(BY_ACCURACY,))
    assert both.chosen_before() == ["a/dev", "c/dev"] and both.selection() == (BY_ACCURACY,)


CLEAN = "selected_by: other-half"
READING = 'cell: {digits: 2, run: "{reading}-{dataset}"'


@pytest.mark.parametrize(
    ("paper", "old", "new", "says"),
    [
        ("smart", f'"Value, clean": {{{CLEAN}}}', f'"Value, clean": {{{CLEAN}, epoch: 1}}', "give one of epoch, after"),
        ("sn3d", READING, f"{READING}, {CLEAN}", "over a frozen encoder, keeps no predictions of its epochs"),
        (
            "smart",
            "show: [sts-cs224n/train]}",
            "show: [sts-cs224n/train], patience: 2}",
            "cannot leave half of them out",
        ),
        (
            "smart",
            "metric: accuracy, threshold: 0.5}\n      Semantic",
            "metric: accuracy, threshold: {tune_on: sts-cs224n/dev, maximise: accuracy}}\n      Semantic",
            "selected_by needs a fixed threshold",
        ),
    ],
)
def test_what_the_other_half_cannot_select_is_refused(checkout, paper, old, new, says):
    change(checkout / f"config/papers/{paper}.yaml", old, new)
    with pytest.raises(UserError, match=says):
        load(checkout, settings(checkout, papers=[paper]))
