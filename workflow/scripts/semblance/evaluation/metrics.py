"""Metrics of n scored examples: targets and scores of shape (n,), one number out.

Targets are labels scaled to [0, 1]. Metrics in `NEEDS_THRESHOLD` compare ``score >= threshold`` with
the label. A metric that is undefined (a correlation with a constant, an F1 with nothing to find) is
nan, never 0 or 1.

For the bootstrap each metric is a function of b resamples at once: it is given `counts`, how often each example is in
each resample, (b, n) in floats, and gives b numbers. What does not hang on them is done once. `compute` is for the
examples as they are.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from semblance.evaluation.names import NEEDS_THRESHOLD

OfResamples = Callable[[np.ndarray], np.ndarray]
FLAT = 1e-8  # a variance that is less of the highest square has to be looked at twice: rounding may have made it


def right(targets: np.ndarray, scores: np.ndarray, threshold: float | None = None) -> np.ndarray:
    """Which examples are right, (n,); without a threshold `targets` and `scores` are the numbers of classes."""
    return targets == scores if threshold is None else (scores >= threshold) == (targets > 0.5)


def accuracy(targets: np.ndarray, scores: np.ndarray, threshold: float) -> OfResamples:
    return _mean(right(targets, scores, threshold))


def class_accuracy(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    """Of classes: `targets` and `scores` are their numbers."""
    return _mean(right(targets, scores))


def mean_absolute_error(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    return _mean(np.abs(scores - targets))


def precision(targets: np.ndarray, scores: np.ndarray, threshold: float) -> OfResamples:
    return _of_positives(targets, scores, threshold, lambda true, said, there: _ratio(true, said))


def recall(targets: np.ndarray, scores: np.ndarray, threshold: float) -> OfResamples:
    return _of_positives(targets, scores, threshold, lambda true, said, there: _ratio(true, there))


def f1(targets: np.ndarray, scores: np.ndarray, threshold: float) -> OfResamples:
    return _of_positives(targets, scores, threshold, lambda true, said, there: _ratio(2 * true, said + there))


def class_weighted_f1(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    """The mean F1 of the classes there are, weighted by how often each is the target (smart, chapter 5)."""
    classes = np.unique(targets)
    said, there = scores[:, None] == classes, targets[:, None] == classes
    columns = [found.astype(float) for found in (said & there, said, there)]

    def of(counts: np.ndarray) -> np.ndarray:
        true, claimed, present = (counts @ column for column in columns)
        one_by_one = 2 * true / np.maximum(claimed + present, 1)
        return (present * one_by_one).sum(1) / counts.sum(1)

    return of


def weighted_f1(targets: np.ndarray, scores: np.ndarray, threshold: float) -> OfResamples:
    """The same of two classes, told apart by a threshold."""
    return class_weighted_f1(targets > 0.5, scores >= threshold)


def pearson(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    x, y = targets - targets.mean(), scores - scores.mean()
    products = np.stack([x, y, x * x, y * y, x * y], axis=1)
    flat_x, flat_y = FLAT * (x * x).max(), FLAT * (y * y).max()

    def of(counts: np.ndarray) -> np.ndarray:
        total = counts.sum(1)
        sum_x, sum_y, xx, yy, xy = (counts @ products).T
        var_x, var_y = xx - sum_x**2 / total, yy - sum_y**2 / total
        sure = (var_x > flat_x * total) & (var_y > flat_y * total)
        found = _ratio(xy - sum_x * sum_y / total, np.sqrt(np.where(sure, var_x * var_y, 0)))
        for row in np.flatnonzero(~sure):
            drawn = np.repeat(np.arange(len(x)), counts[row].astype(int))
            found[row] = _pearson_in_two_passes(targets[drawn], scores[drawn])
        return found

    return of


def _pearson_in_two_passes(targets: np.ndarray, scores: np.ndarray) -> float:
    x, y = targets - targets.mean(), scores - scores.mean()
    spread = np.sqrt((x @ x) * (y @ y))
    # A constant that is not a binary fraction leaves rounding dust behind; it is no spread.
    dust = 1e-12 * len(x) * max(np.abs(targets).max(), 1e-300) * max(np.abs(scores).max(), 1e-300)
    return float(x @ y / spread) if spread > dust else float("nan")


def spearman(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    ranks = [_ranks(targets), _ranks(scores)]

    def of(counts: np.ndarray) -> np.ndarray:
        middle = (counts.sum(1, keepdims=True) + 1) / 2  # the mean of all ranks
        x, y = (ranked(counts) - middle for ranked in ranks)
        xx, yy, xy = (np.einsum("bn,bn,bn->b", counts, *factors) for factors in ((x, x), (y, y), (x, y)))
        return _ratio(xy, np.sqrt(xx * yy))

    return of


def roc_auc(targets: np.ndarray, scores: np.ndarray) -> OfResamples:
    positive, ranked = (targets > 0.5).astype(float), _ranks(scores)

    def of(counts: np.ndarray) -> np.ndarray:
        found = counts @ positive
        # Mann and Whitney's U over the number of pairs of a positive and a negative.
        above = (counts * ranked(counts)) @ positive - found * (found + 1) / 2
        return _ratio(above, found * (counts.sum(1) - found))

    return of


FUNCTIONS: dict[str, Callable[..., OfResamples]] = {
    "accuracy": accuracy,
    "class-accuracy": class_accuracy,
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "weighted-f1": weighted_f1,
    "class-weighted-f1": class_weighted_f1,
    "pearson": pearson,
    "spearman": spearman,
    "roc-auc": roc_auc,
    "mean-absolute-error": mean_absolute_error,
}


def compute(name: str, targets: np.ndarray, scores: np.ndarray, threshold: float | None = None) -> float:
    """The metric called `name`; `threshold` is looked at only by those that need one."""
    if not len(targets):
        return float("nan")
    return float(of_resamples(name, targets, scores, threshold)(np.ones((1, len(targets))))[0])


def of_resamples(name: str, targets: np.ndarray, scores: np.ndarray, threshold: float | None = None) -> OfResamples:
    """The metric called `name`, of resamples of these examples."""
    return FUNCTIONS[name](targets, scores, *((threshold,) if name in NEEDS_THRESHOLD else ()))


def best_threshold(
    name: str, targets: np.ndarray, scores: np.ndarray, between: tuple[float, float] | None = None
) -> float:
    """The threshold that maximises accuracy or F1 on these rows: midway between two neighbouring scores.

    `between` keeps the threshold in an interval, whose two ends are then tried as well: a grid search as fine
    as the scores themselves. Of equally good thresholds the lowest. All are tried at once, in n log n.
    """
    thresholds = _candidates(scores.astype(float), between)
    positive = targets > 0.5
    total, n = int(positive.sum()), len(scores)
    said = n - np.searchsorted(np.sort(scores), thresholds)
    true = total - np.searchsorted(np.sort(scores[positive]), thresholds)
    quality = 2 * true / np.maximum(said + total, 1) if name == "f1" else (2 * true + n - total - said) / n
    return float(thresholds[np.argmax(quality)])


def _candidates(scores: np.ndarray, between: tuple[float, float] | None) -> np.ndarray:
    """Every threshold that tells scores apart differently, in ascending order; the lowest score lets all pass."""
    distinct = np.unique(scores)
    thresholds = np.append(distinct[0], (distinct[:-1] + distinct[1:]) / 2)
    if between is None:
        return thresholds
    low, high = between
    return np.concatenate([[low], thresholds[(thresholds > low) & (thresholds < high)], [high]])


def _of_positives(targets: np.ndarray, scores: np.ndarray, threshold: float, ratio: Callable) -> OfResamples:
    """A ratio of how many are rightly said to be positive, said to be, and are."""
    said, is_so = scores >= threshold, targets > 0.5
    all_three = np.stack([said & is_so, said, is_so], axis=1).astype(float)
    return lambda counts: ratio(*(counts @ all_three).T)


def _mean(values: np.ndarray) -> OfResamples:
    values = values.astype(float)
    return lambda counts: counts @ values / counts.sum(1)


def _ranks(values: np.ndarray) -> OfResamples:
    """Of each example in each resample, from 1, equal values sharing the mean of theirs: (b, n) of (b, n)."""
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    order, first = np.argsort(place, kind="stable"), np.cumsum(sizes) - sizes

    def of(counts: np.ndarray) -> np.ndarray:
        there = np.add.reduceat(counts[:, order], first, axis=1)  # of each distinct value
        return (np.cumsum(there, axis=1) - there + (there + 1) / 2)[:, place]

    return of


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole != 0)
