"""Whether a trained run learned its own task: comparison with its start and with the majority baseline."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from semblance.evaluation import intervals, metrics
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.metrics import finite
from semblance.evaluation.predictions import Predictions
from semblance.findings import Judgement, Limits, RecordedJudgement
from semblance.registry import METRICS
from semblance.specs.run import TaskSpec
from semblance.vocabulary import Learned

ONE_CLASS = 0.99  # share of the most predicted class from which a run counts as collapsed


def judge(task: TaskSpec, run: str, evidence: Evidence, seeds: Sequence[int]) -> list[RecordedJudgement]:
    """Judge for each seed whether a run learned its own task.

    A run learned if it is better than its start and than the majority baseline, both by a 95% interval of the paired
    difference. It did not learn if it has collapsed, is not better than the majority baseline, or is worse than its
    start. If a new head's start is below chance, it is mirrored, each class by itself: its distance from chance counts
    as above it.

    Args:
        task: the run's own task.
        run: name of the run.
        evidence: the predictions of the run, of its start and on training rows, and the texts of ``task.on``.
        seeds: the seeds of the run.
    """
    ends = evidence.predictions(run, task.on)
    starts = evidence.starts(run, task.on)
    fits = evidence.on_training_rows(run, task.train) if task.train else [None] * len(ends)
    clusters = evidence.clusters(task.on, ends[0].id)
    made_by = evidence.made_by(run, task.on)
    return [_of_seed(task, *one, clusters, made_by) for one in zip(seeds, ends, starts, fits, strict=True)]


def _of_seed(
    task: TaskSpec,
    seed: int,
    end: Predictions,
    start: Predictions,
    fit: Predictions | None,
    clusters: np.ndarray,
    made_by: Mapping,
) -> RecordedJudgement:
    everyone, majority = np.ones((1, len(end))), METRICS[task.metric].chance or 0.0
    ended = metrics.of_resamples(task.metric, end.target, end.compared(task.metric))
    begin = _mirrored(task.metric, start) if task.new_head else start.compared(task.metric)
    started = metrics.of_resamples(task.metric, start.target, begin)
    value, begun = float(ended(everyone)[0]), float(started(everyone)[0])
    over_start = _interval(lambda counts: ended(counts) - _defined(started(counts), task.metric), clusters)
    over_majority = _interval(lambda counts: ended(counts) - majority, clusters)
    top = _top_share(task, end, fit)
    return RecordedJudgement(
        seed=seed,
        on=task.on,
        metric=task.metric,
        value=finite(value),
        start=finite(begun),
        over_start=over_start,
        majority=majority,
        over_majority=over_majority,
        top_share=top,
        train=None if fit is None else finite(metrics.compute(task.metric, fit.target, fit.compared(task.metric))),
        training_accuracy=_training_accuracy(task, fit),
        learned=_learned(value, over_start, over_majority, top),
        made_by=made_by,
    )


def _learned(value: float, over_start: Limits, over_majority: Limits, top_share: float | None) -> str:
    if _is_at_chance(finite(value), over_majority, top_share):
        return Learned.NO
    lowest, highest = over_start
    if lowest is None or highest is None:
        return Learned.NOT_CLEAR
    return Learned.NO if highest < 0 else Learned.YES if lowest > 0 else Learned.NOT_CLEAR


def _is_at_chance(value: float | None, over_majority: Limits, top_share: float | None) -> bool:
    lowest = over_majority[0]  # None if all examples form one cluster
    return value is None or has_collapsed(top_share) or lowest is None or lowest <= 0


def has_collapsed(top_share: float | None) -> bool:
    """Return whether a run predicts one class nearly always, given the share of its most predicted class (⊘)."""
    return top_share is not None and top_share >= ONE_CLASS


def all_trained(found: Sequence[Judgement]) -> bool:
    """Return whether claims about a run can be judged: no seed failed to learn, or to beat the majority baseline.

    A run that is not clearly better than its start can be judged, because this may be what a claim is about. One that
    is worse than its start can be judged only if it was trained on another dataset than it is judged on: there this is
    a result, as for SimCSE. On its own dataset it is a recipe that failed.
    """
    failed = any(one.learned == Learned.NO and one.train is not None for one in found)
    return not failed and all_above_chance(found)


def all_above_chance(found: Iterable[Judgement]) -> bool:
    """Return whether no seed collapsed, and each is shown to be better than the majority baseline."""
    return not any(_is_at_chance(one.value, one.over_majority, one.top_share) for one in found)


def failed_by_seed(runs: Iterable[str], evidence: Evidence) -> list[list[str]]:
    """Return for each seed the runs that did not learn their own tasks, and runs at chance from which they started.

    A run with one seed counts with every seed of the others. The list is empty if nothing was trained.
    """
    runs = list(dict.fromkeys(runs))
    learned = [(run, evidence.learned(run), all_trained) for run in runs]
    before = [(name, found, all_above_chance) for run in runs for name, found in evidence.learned_before(run).items()]
    judged = [*learned, *before]

    def failed_with(seed: int) -> list[str]:
        of_seed = [(name, found[seed : seed + 1] or found[:1], passes) for name, found, passes in judged]
        return list(dict.fromkeys(name for name, found, passes in of_seed if not passes(found)))

    return [failed_with(seed) for seed in range(max((len(found) for _, found, _ in judged), default=0))]


def worst(found: Sequence[Judgement]) -> str | None:
    """Return the worst of these judgements, where a run that collapsed is so judged; None if there are none."""
    verdicts = {Learned.COLLAPSED if has_collapsed(one.top_share) else one.learned for one in found}
    return next((verdict for verdict in Learned if verdict in verdicts), None)


def baseline(metric: str, rows: Predictions) -> float:
    """Return the best value of a metric that the same prediction for all examples can have; 0 if none is defined."""
    if (chance := METRICS[metric].chance) is not None:
        return chance
    if METRICS[metric].of_probabilities:
        shares = np.bincount(rows.target.astype(int)) / len(rows)
        return metrics.compute(metric, rows.target, np.tile(shares, (len(rows), 1)))
    # The median has the least absolute error.
    constants = np.unique(rows.target) if METRICS[metric].of_classes else (0.0, 1.0, float(np.median(rows.target)))
    found = [metrics.compute(metric, rows.target, np.full(len(rows), one), threshold=0.5) for one in constants]
    return max((value for value in found if np.isfinite(value)), key=partial(metrics.rank, metric), default=0.0)


def _mirrored(metric: str, rows: Predictions) -> np.ndarray:
    """Return what a metric compares, negated where this is worse than chance: the scores, or those of a class."""
    compared = rows.compared(metric)
    if compared.ndim == 1:
        return (
            -compared if metrics.compute(metric, rows.target, compared) < (METRICS[metric].chance or 0.0) else compared
        )
    each = [metrics.compute("roc-auc", rows.target == number, column) for number, column in enumerate(compared.T)]
    return np.where(np.array(each) < METRICS["roc-auc"].chance, -compared, compared)


def _top_share(task: TaskSpec, end: Predictions, fit: Predictions | None) -> float | None:
    """Return the share of the most predicted class; None for scores, which have no classes."""
    if METRICS[task.metric].ignores_classes:
        return None
    predicted = end.score
    if not _has_classes(end):
        predicted = end.score >= _threshold(task, end if fit is None else fit)
    return float(np.unique(predicted, return_counts=True)[1].max() / len(predicted))


def _training_accuracy(task: TaskSpec, fit: Predictions | None) -> float | None:
    """Return the accuracy on training rows; None for scores, and for a run that was trained on another dataset."""
    if fit is None or METRICS[task.metric].ignores_classes:
        return None
    threshold = None if _has_classes(fit) else _threshold(task, fit)
    return float(metrics.right(fit.target, fit.score, threshold).mean())


def _has_classes(rows: Predictions) -> bool:
    return rows.probabilities is not None


def _threshold(task: TaskSpec, rows: Predictions) -> float:
    """Return the threshold of binary labels: the task's, or the most accurate one on these rows."""
    if task.threshold is not None:
        return task.threshold
    return metrics.best_threshold("accuracy", rows.target, rows.score)


def _interval(difference: Callable[[np.ndarray], np.ndarray], clusters: np.ndarray) -> Limits:
    drawn = np.concatenate([difference(counts) for _, counts in intervals.draws(clusters)])
    low, high = intervals.percentiles(drawn, int(clusters.max()) + 1)
    return finite(low), finite(high)


def _defined(values: np.ndarray, metric: str) -> np.ndarray:
    """Replace undefined values, which a constant start has, by the value of a constant score."""
    return np.where(np.isnan(values), METRICS[metric].chance or 0.0, values)
