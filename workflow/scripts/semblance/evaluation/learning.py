"""Whether a trained run learned: its score beside its start's, the majority's and that on its training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from semblance.evaluation import intervals, metrics
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.predictions import Predictions
from semblance.registry import METRICS

YES, NO, NOT_CLEAR = "yes", "no", "not clear"
COLLAPSED = "collapsed"  # a reason for "no"
Limits = list[float | None]  # of an interval; None where there is none
ONE_CLASS = 0.99  # share of the class most predicted from which a run has collapsed
CHANCE = {"roc-auc": 0.5, "pearson": 0.0}  # what a constant score is worth


def judge(task: Mapping, run: str, evidence: Evidence) -> list[dict]:
    """What each seed of a run learned of its own task.

    A run learned when its score is better than its start's and than the majority's, both by a 95% interval of the
    paired difference. It did not when it predicts one class, is not better than the majority, or is worse than its
    start.

    Args:
        task: the run's own task, see `semblance.config.learning.own_task`.
        run: the run's name.
        evidence: holds the run's predictions, its start's and those on training rows, and the texts of `task["on"]`.

    Returns:
        For each seed `on`, `metric`, `value`, `start`, `majority`, `over_start` and `over_majority` (low and high of
        the differences), `top_share` (None for scores), `train` (None where it was trained on another dataset),
        `learned`.
    """
    ends = evidence.predictions(run, task["on"])
    starts = evidence.starts(run, task["on"])
    fits = evidence.on_training_rows(run, task["train"]) if task["train"] else [None] * len(ends)
    clusters = evidence.clusters(task["on"], ends[0].id)
    return [_of_seed(task, *one, clusters) for one in zip(ends, starts, fits, strict=True)]


def _of_seed(
    task: Mapping, end: Predictions, start: Predictions, fit: Predictions | None, clusters: np.ndarray
) -> dict:
    ended, started = (metrics.of_resamples(task["metric"], part.target, part.score) for part in (end, start))
    everyone = np.ones((1, len(end)))
    value, begun = float(ended(everyone)[0]), float(started(everyone)[0])
    base = _majority(task["metric"], end)
    over_start = _interval(lambda counts: ended(counts) - _defined(started(counts), task["metric"]), clusters)
    over_majority = _interval(lambda counts: ended(counts) - base(counts), clusters)
    top = _top_share(task, end, fit)
    return {
        "on": task["on"],
        "metric": task["metric"],
        "value": _finite(value),
        "start": _finite(begun),
        "majority": float(base(everyone)[0]),
        "over_start": over_start,
        "over_majority": over_majority,
        "top_share": top,
        "train": None if fit is None else _finite(metrics.compute(task["metric"], fit.target, fit.score)),
        "learned": _learned(value, over_start, over_majority, top),
    }


def _learned(
    value: float, over_start: list[float | None], over_majority: list[float | None], top_share: float | None
) -> str:
    if not np.isfinite(value) or has_collapsed(top_share):
        return NO
    lowest, highest, lowest_over_majority = *over_start, over_majority[0]
    if lowest is None or highest is None or lowest_over_majority is None:  # one cluster: there is no interval
        return NOT_CLEAR
    if lowest_over_majority <= 0 or highest < 0:
        return NO
    return YES if lowest > 0 else NOT_CLEAR


def has_collapsed(top_share: float | None) -> bool:
    return top_share is not None and top_share >= ONE_CLASS


def all_trained(found: Sequence[Mapping]) -> bool:
    """Whether all of these judgements say that the run is better than the majority and has not collapsed."""
    return all(one["over_majority"][0] is None or one["over_majority"][0] > 0 for one in found) and not any(
        has_collapsed(one["top_share"]) for one in found
    )


def worst(found: Sequence[Mapping]) -> str | None:
    """`COLLAPSED` where any of these judgements says so, else the worst of them; None where there are none."""
    said = {COLLAPSED if has_collapsed(one["top_share"]) else one["learned"] for one in found}
    return next((verdict for verdict in (COLLAPSED, NO, NOT_CLEAR, YES) if verdict in said), None)


def _majority(metric: str, end: Predictions) -> metrics.OfResamples:
    """The metric of always saying the commonest class, or the same score."""
    if not METRICS[metric].of_classes:
        return lambda counts: np.full(len(counts), CHANCE[metric])
    classes, counted = np.unique(end.target, return_counts=True)
    return metrics.of_resamples(metric, end.target, np.full(len(end), classes[counted.argmax()]))


def _top_share(task: Mapping, end: Predictions, fit: Predictions | None) -> float | None:
    """The share of the class most predicted; None where there are no classes."""
    if task["metric"] == "pearson":
        return None
    said = end.score
    if not METRICS[task["metric"]].of_classes:
        rows = end if fit is None else fit
        tuned = task["threshold"]
        tuned = metrics.best_threshold("accuracy", rows.target, rows.score) if tuned is None else tuned
        said = end.score >= tuned
    return float(np.unique(said, return_counts=True)[1].max() / len(said))


def _interval(difference: metrics.OfResamples, clusters: np.ndarray) -> Limits:
    drawn = intervals.resampled(lambda seed, counts: difference(counts), 1, clusters)[0]
    return [_finite(limit) for limit in intervals.percentiles(drawn, int(clusters.max()) + 1)]


def _defined(values: np.ndarray, metric: str) -> np.ndarray:
    """A start that scores all alike is worth what a constant is."""
    return np.where(np.isnan(values), CHANCE.get(metric, 0.0), values)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
