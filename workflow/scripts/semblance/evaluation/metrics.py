"""Metrics by their names: computed, compared, and maximised by a threshold. `semblance.metrics` has their functions."""

import importlib
import math
from collections.abc import Callable

import numpy as np

from semblance.registry import METRICS

# Imported by name, so that a job depends only on the metrics that it uses; see `semblance.code`.
FUNCTIONS = importlib.import_module("semblance.metrics")


def rank(metric: str, value: float) -> float:
    """Return the value of a metric, negated if lower is better. Of a rank, it returns the value again."""
    return value if METRICS[metric].higher_is_better else -value


def defined(rank: float) -> float:
    """Return a rank that can be compared: an undefined one, as of a constant's correlation, is the lowest."""
    return -math.inf if math.isnan(rank) else rank


def finite(value: float | None) -> float | None:
    """Return a number that JSON has, or None."""
    return float(value) if value is not None and math.isfinite(value) else None


def right(targets: np.ndarray, scores: np.ndarray, threshold: float | None = None) -> np.ndarray:
    """Return which examples are classified correctly, shape (n,).

    Args:
        targets: labels, shape (n,): on [0, 1], or indices of classes.
        scores: scores, or predicted indices of classes, shape (n,).
        threshold: lowest score that counts as positive; None for classes.
    """
    return targets == scores if threshold is None else (scores >= threshold) == (targets > 0.5)


def compute(name: str, targets: np.ndarray, scores: np.ndarray, threshold: float | None = None) -> float:
    """Return a metric of n examples; nan if there are none, or if it is undefined.

    Args:
        name: the metric.
        targets: labels, shape (n,); scores are on [0, 1], classes are their numbers.
        scores: predictions, shape (n,), or class probabilities, shape (n, classes), for metrics of classes.
        threshold: score from which an example is accepted; used only by metrics that need one.
    """
    if not len(targets):
        return float("nan")
    return float(of_resamples(name, targets, scores)(np.ones((1, len(targets))), threshold)[0])


def of_resamples(name: str, targets: np.ndarray, scores: np.ndarray) -> Callable[..., np.ndarray]:
    """Return a metric as a function of resamples of n examples.

    Args:
        name: the metric.
        targets: as for `compute`.
        scores: as for `compute`.

    Returns:
        A function that returns the metric of each of b resamples, shape (b,). It takes the number of times that each
        contains each example, shape (b, n), and the threshold or b thresholds, if the metric needs any.
    """
    if not METRICS[name].needs_threshold:
        prepared = function(name)(targets, scores)
        return lambda counts, threshold=None: prepared(counts)  # type: ignore[misc]
    positive = targets > 0.5

    def of(counts: np.ndarray, threshold: float | np.ndarray | None) -> np.ndarray:
        accepted = counts * (scores >= np.reshape(threshold, (-1, 1)))  # type: ignore[arg-type]
        confusion = FUNCTIONS.Confusion(accepted @ positive, accepted.sum(1), counts @ positive, counts.sum(1))
        return function(name)(confusion)

    return of


def function(name: str) -> Callable:
    """Return the function that computes a metric."""
    return getattr(FUNCTIONS, name.replace("-", "_"))


def best_threshold(name: str, targets: np.ndarray, scores: np.ndarray) -> float:
    """Return the threshold that maximises a metric on these examples; see `best_thresholds`.

    Args:
        name: a metric with a threshold.
        targets: labels on [0, 1], shape (n,).
        scores: scores, shape (n,).
    """
    return float(best_thresholds(name, targets, scores, np.ones((1, len(scores))))[0])


def best_thresholds(
    name: str,
    targets: np.ndarray,
    scores: np.ndarray,
    counts: np.ndarray,
    between: tuple[float, float] | None = None,
) -> np.ndarray:
    """Return the threshold that maximises a metric on each of b resamples.

    Candidates are the lowest score, which accepts all, the middles between neighbouring scores, and the first number
    above the highest score, which rejects all. With the scores 0.2, 0.6 and 0.8 and the targets 0, 1 and 1, they are
    0.2, 0.4, 0.7 and just above 0.8. Their accuracies are 2/3, 1, 2/3 and 1/3, so the result is 0.4. A resample that
    lacks the second example has the candidates 0.2, 0.5 and just above 0.8.

    Args:
        name: a metric that needs a threshold.
        targets: labels on [0, 1], shape (n,).
        scores: shape (n,).
        counts: how often each resample contains each example, shape (b, n).
        between: a range for the threshold, whose two ends are candidates too.

    Returns:
        The best candidate of each resample, shape (b,), and the lowest of several equally good ones; nan for a
        resample without examples.
    """
    distinct, place = np.unique(scores.astype(float), return_inverse=True)
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], np.arange(len(distinct)))
    # Of each resample (row), the examples and the positive ones with each distinct score (column), ascending.
    drawn, positive = (np.add.reduceat(c[:, order], first, axis=1) for c in (counts, counts * (targets > 0.5)))
    thresholds = _candidates(distinct, drawn > 0)
    predicted, true = (_accepted(values) for values in (drawn, positive))
    shape = predicted.shape
    found = np.broadcast_arrays(true, predicted, true[:, :1], predicted[:, :1])
    confusion = FUNCTIONS.Confusion(*(c.ravel() for c in found))
    quality = np.nan_to_num(function(name)(confusion).reshape(shape), nan=-np.inf)
    if between:
        low, high = between
        inside = np.where((thresholds > low) & (thresholds < high), quality, -np.inf)
        ends = [quality[:, [np.searchsorted(distinct, end)]] for end in between]
        quality = np.concatenate([ends[0], inside, ends[1]], axis=1)
        lowest, highest = (np.full((len(counts), 1), end) for end in between)
        thresholds = np.concatenate([lowest, thresholds, highest], axis=1)
    return np.where(counts.any(1), thresholds[np.arange(len(counts)), quality.argmax(1)], np.nan)


def _candidates(distinct: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return the thresholds between k scores of which a resample contains only some, shape (b, k + 1), ascending.

    Candidate i accepts the scores from the i-th on; the last one accepts none.
    """
    below = np.maximum.accumulate(np.where(there, distinct, -np.inf), axis=1)
    above = np.minimum.accumulate(np.where(there, distinct, np.inf)[:, ::-1], axis=1)[:, ::-1]
    with np.errstate(invalid="ignore"):  # of a resample without any score
        middles = (below[:, :-1] + above[:, 1:]) / 2
        middles = np.where(middles > below[:, :-1], middles, above[:, 1:])  # of neighbouring floats, it is the lower
    lowest, highest = above[:, :1], below[:, -1:]
    middles = np.where(np.isfinite(middles), middles, np.where(middles > 0, np.nextafter(highest, np.inf), lowest))
    return np.concatenate([lowest, middles, np.nextafter(highest, np.inf)], axis=1)


def _accepted(values: np.ndarray) -> np.ndarray:
    """Return the sums of values from the i-th on, for i from 0 to k: (b, k) to (b, k + 1)."""
    sums = np.cumsum(values[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([sums, np.zeros((len(values), 1))], axis=1)
