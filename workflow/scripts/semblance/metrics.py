"""The functions of metrics, each found by its name in `semblance.registry`: ``roc-auc`` is `roc_auc`.

Targets are labels scaled to [0, 1], or class indices; n examples give one number. An undefined metric (the correlation
with a constant, the F1 without any positive) is nan, never 0 or 1.

- A metric that needs a threshold is a function of a `Confusion`, the counts of decisions. The same function serves
  scoring, the bootstrap and the tuning of thresholds.
- Any other metric is a function of targets and scores, shape (n,), or class probabilities, that returns a function of
  resamples. The bootstrap gives it `counts`, how often each example is in each of b resamples, shape (b, n), and gets b
  numbers. What does not depend on the resample is computed once.

A job that selects epochs by a metric depends only on its function and the helpers that it calls (`semblance.code`).
Therefore no statement imports this module: `evaluation.metrics` imports it by name.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

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
