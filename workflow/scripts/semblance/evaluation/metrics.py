"""Metrics of n scored examples: targets and scores of shape (n,), or class probabilities, give one number.

Targets are labels scaled to [0, 1], or class indices. An undefined metric (the correlation with a constant, the F1
without any positive) is nan, never 0 or 1.

A metric is one function, found by its name in `semblance.registry`:

- A metric that needs a threshold is a function of a `Confusion`, the counts of decisions. The same function serves
  scoring, the bootstrap and the tuning of thresholds.
- Any other metric is a function of targets and scores that returns a function of resamples. The bootstrap gives it
  `counts`, how often each example is in each of b resamples, shape (b, n), and gets b numbers. What does not depend on
  the resample is computed once.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from semblance.registry import METRICS

OfResamples = Callable[[np.ndarray], np.ndarray]
ROUNDING = np.finfo(float).eps  # relative, of one operation


class Confusion(NamedTuple):
    """Counts of binary decisions, arrays of shape (b,).

    Attributes:
        true: positives that are predicted to be positive.
        predicted: examples that are predicted to be positive.
        positives: examples that are positive.
        total: all examples.
    """

    true: np.ndarray
    predicted: np.ndarray
    positives: np.ndarray
    total: np.ndarray


def rank(metric: str, value: float) -> float:
    """Return the value of a metric, negated if lower is better. Of a rank, it returns the value again."""
    return value if METRICS[metric].higher_is_better else -value


def defined(rank: float) -> float:
    """Return a rank that can be compared: an undefined one, as of a constant's correlation, is the lowest."""
    return -math.inf if math.isnan(rank) else rank


def finite(value: float | None) -> float | None:
    """Return a number that JSON has, or None."""
    return float(value) if value is not None and math.isfinite(value) else None


def accuracy(c: Confusion) -> np.ndarray:
    """Share of the examples that are predicted right."""
    return _ratio(c.total - c.positives - c.predicted + 2 * c.true, c.total)


def precision(c: Confusion) -> np.ndarray:
    """Share of the predicted positives that are positive."""
    return _ratio(c.true, c.predicted)


def recall(c: Confusion) -> np.ndarray:
    """Share of the positives that are predicted to be positive."""
    return _ratio(c.true, c.positives)


def false_positive_rate(c: Confusion) -> np.ndarray:
    """Share of the negatives that are predicted to be positive."""
    return _ratio(c.predicted - c.true, c.total - c.positives)


def f1(c: Confusion) -> np.ndarray:
    """Harmonic mean of precision and recall."""
    return _ratio(2 * c.true, c.predicted + c.positives)


def weighted_f1(c: Confusion) -> np.ndarray:
    """Mean F1 of both classes, weighted by their frequency among the targets."""
    negatives, rejected = c.total - c.positives, c.total - c.predicted
    true_negatives = rejected - (c.positives - c.true)
    each = ((true_negatives, rejected, negatives), (c.true, c.predicted, c.positives))
    return sum(actual * (2 * true / np.maximum(predicted + actual, 1)) for true, predicted, actual in each) / c.total


def class_accuracy(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    """Share of the examples whose class is predicted right."""
    return _mean(targets == scores)


def class_weighted_f1(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    """Mean F1 of the classes, weighted by their frequency among the targets (smart, chapter 5)."""
    classes = np.unique(targets)
    predicted, actual = scores[:, None] == classes, targets[:, None] == classes
    columns = [found.astype(float) for found in (predicted & actual, predicted, actual)]

    def of(counts: np.ndarray) -> np.ndarray:
        true, claimed, present = (counts @ column for column in columns)
        one_by_one = 2 * true / np.maximum(claimed + present, 1)
        return (present * one_by_one).sum(1) / counts.sum(1)

    return of


def mean_score(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    """Mean of the scores, whatever the targets."""
    return _mean(scores)


def mean_absolute_error(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    """Mean distance of scores and targets."""
    return _mean(np.abs(scores - targets))


def log_loss(targets: np.ndarray, probabilities: np.ndarray) -> OfResamples:
    """Mean negative log-likelihood of the targets, given class probabilities of shape (n, classes)."""
    likelihood = np.take_along_axis(probabilities.astype(float), targets.astype(int)[:, None], axis=1)[:, 0]
    return _mean(-np.log(np.maximum(likelihood, np.finfo(np.float32).tiny)))


def pearson(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    """Pearson's correlation of scores and targets."""
    return lambda counts: _correlation(counts, _centred(counts, targets), _centred(counts, scores))


def spearman(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    """Spearman's rank correlation of scores and targets."""
    ranks = [_ranks(targets), _ranks(scores)]

    def of(counts: np.ndarray) -> np.ndarray:
        middle = (counts.sum(1, keepdims=True) + 1) / 2  # the mean of all ranks
        return _correlation(counts, *(ranked(counts) - middle for ranked in ranks))

    return of


def roc_auc(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    """Mann and Whitney's U divided by the number of pairs of a positive and a negative."""
    positive, ranked = (targets > 0.5).astype(float), _ranks(scores)

    def of(counts: np.ndarray) -> np.ndarray:
        found = counts @ positive
        above = (counts * ranked(counts)) @ positive - found * (found + 1) / 2
        return _ratio(above, found * (counts.sum(1) - found))

    return of


def class_roc_auc(targets: np.ndarray, probabilities: np.ndarray) -> OfResamples:
    """Mean ROC AUC of each class against the others, given class probabilities of shape (n, classes).

    Each class counts as much as another; those that a resample lacks do not count in it.
    """
    classes = np.unique(targets).astype(int)
    each = [roc_auc((targets == one).astype(float), probabilities[:, one]) for one in classes]

    def of(counts: np.ndarray) -> np.ndarray:
        values = np.array([one(counts) for one in each])
        return _ratio(np.nansum(values, axis=0), (~np.isnan(values)).sum(0))

    return of


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
        return function(name)(Confusion(accepted @ positive, accepted.sum(1), counts @ positive, counts.sum(1)))

    return of


def function(name: str) -> Callable:
    """Return the function of this module that computes a metric."""
    return globals()[name.replace("-", "_")]


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
    confusion = Confusion(*(c.ravel() for c in np.broadcast_arrays(true, predicted, true[:, :1], predicted[:, :1])))
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


def _mean(values: np.ndarray) -> OfResamples:
    values = values.astype(float)
    return lambda counts: counts @ values / counts.sum(1)


def _ranks(values: np.ndarray) -> OfResamples:
    """Return a function of resamples, (b, n) to (b, n): each example's rank from 1, ties sharing their mean rank."""
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    order, first = np.argsort(place, kind="stable"), np.cumsum(sizes) - sizes

    def of(counts: np.ndarray) -> np.ndarray:
        actual = np.add.reduceat(counts[:, order], first, axis=1)  # number of examples with each distinct value
        return (np.cumsum(actual, axis=1) - actual + (actual + 1) / 2)[:, place]

    return of


def _centred(counts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the differences from each resample's mean, (b, n); 0 for a constant, whose mean has rounding errors."""
    found = values - (counts @ values)[:, None] / counts.sum(1, keepdims=True)
    error = ROUNDING * (counts.sum(1) + 1)  # of the mean, at most
    found[np.einsum("bn,bn,bn->b", counts, found, found) <= error**2 * (counts @ values**2)] = 0
    return found


def _correlation(counts: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the correlations of values that have the mean 0 on each resample, all of shape (b, n)."""
    xx, yy, xy = (np.einsum("bn,bn,bn->b", counts, *factors) for factors in ((x, x), (y, y), (x, y)))
    return _ratio(xy, np.sqrt(xx * yy))


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole != 0)
