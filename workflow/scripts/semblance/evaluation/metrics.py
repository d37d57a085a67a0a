"""Metrics of n scored examples: targets and scores of shape (n,), one number out.

Targets are labels scaled to [0, 1]. Metrics in `NEEDS_THRESHOLD` compare ``score >= threshold`` with
the label. A metric that is undefined (a correlation with a constant, an F1 with nothing to find) is
nan, never 0 or 1.

Each is computed of b resamples at once, for the bootstrap: `counts`, (b, n) in floats, are how often each example is
in each resample, and b numbers come out. `compute` is for the examples as they are.
"""

from __future__ import annotations

import numpy as np

from semblance.evaluation.names import NEEDS_THRESHOLD

FLAT = 1e-8  # a variance that is less of the highest square has to be looked at twice: rounding may have made it


def accuracy(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray, threshold: float) -> np.ndarray:
    return _mean((scores >= threshold) == (targets > 0.5), counts)


def class_accuracy(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Of classes: `targets` and `scores` are their numbers."""
    return _mean(targets == scores, counts)


def precision(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray, threshold: float) -> np.ndarray:
    true, said, _ = _positives(targets, scores, counts, threshold)
    return _ratio(true, said)


def recall(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray, threshold: float) -> np.ndarray:
    true, _, there = _positives(targets, scores, counts, threshold)
    return _ratio(true, there)


def f1(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray, threshold: float) -> np.ndarray:
    true, said, there = _positives(targets, scores, counts, threshold)
    return _ratio(2 * true, said + there)


def class_weighted_f1(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The mean F1 of the classes there are, weighted by how often each is the target (smart, chapter 5)."""
    weighted = np.zeros(len(counts))
    for number in np.unique(targets):
        is_so, said = targets == number, scores == number
        there = counts @ is_so
        weighted += there * np.nan_to_num(_ratio(2 * (counts @ (is_so & said)), there + counts @ said))
    return _ratio(weighted, counts.sum(1))


def weighted_f1(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray, threshold: float) -> np.ndarray:
    """The same of two classes, told apart by a cut."""
    return class_weighted_f1(targets > 0.5, scores >= threshold, counts)


def pearson(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    x, y = targets - targets.mean(), scores - scores.mean()
    total = counts.sum(1)
    sum_x, sum_y, xx, yy, xy = (counts @ np.stack([x, y, x * x, y * y, x * y], axis=1)).T
    var_x, var_y = xx - sum_x**2 / total, yy - sum_y**2 / total
    sure = (var_x > FLAT * total * (x * x).max()) & (var_y > FLAT * total * (y * y).max())
    found = _ratio(xy - sum_x * sum_y / total, np.sqrt(np.where(sure, var_x * var_y, 0)))
    for row in np.flatnonzero(~sure):
        drawn = np.repeat(np.arange(len(x)), counts[row].astype(int))
        found[row] = _pearson_in_two_passes(targets[drawn], scores[drawn])
    return found


def _pearson_in_two_passes(targets: np.ndarray, scores: np.ndarray) -> float:
    x, y = targets - targets.mean(), scores - scores.mean()
    spread = np.sqrt((x @ x) * (y @ y))
    # A constant that is not a binary fraction leaves rounding dust behind; it is no spread.
    dust = 1e-12 * len(x) * max(np.abs(targets).max(), 1e-300) * max(np.abs(scores).max(), 1e-300)
    return float(x @ y / spread) if spread > dust else float("nan")


def spearman(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    middle = (counts.sum(1, keepdims=True) + 1) / 2  # the mean of all ranks
    x, y = (_ranks(values, counts) - middle for values in (targets, scores))
    xx, yy, xy = (np.einsum("bn,bn,bn->b", counts, *factors) for factors in ((x, x), (y, y), (x, y)))
    return _ratio(xy, np.sqrt(xx * yy))


def roc_auc(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    positive = targets > 0.5
    ranks = np.where(positive, counts * _ranks(scores, counts), 0).sum(1)
    found, rest = counts @ positive, counts @ ~positive
    # Mann and Whitney's U over the number of pairs of a positive and a negative.
    return _ratio(ranks - found * (found + 1) / 2, found * rest)


def mean_absolute_error(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return _mean(np.abs(scores - targets), counts)


FUNCTIONS = {
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
    return float(of_resamples(name, targets, scores, np.ones((1, len(targets))), threshold)[0])


def of_resamples(
    name: str, targets: np.ndarray, scores: np.ndarray, counts: np.ndarray, threshold: float | None = None
) -> np.ndarray:
    """The metric of each resample, (b,)."""
    arguments = (threshold,) if name in NEEDS_THRESHOLD else ()
    return FUNCTIONS[name](targets, scores, counts, *arguments)


def best_threshold(
    name: str, targets: np.ndarray, scores: np.ndarray, between: tuple[float, float] | None = None
) -> float:
    """The cut that maximises accuracy or F1 on these rows: midway between two neighbouring scores.

    `between` keeps the cut in an interval, whose two ends are then tried as well: a grid search as fine
    as the scores themselves. Of equally good cuts the lowest. All are tried at once, in n log n.
    """
    cuts = _cuts(scores.astype(float), between)
    positive = targets > 0.5
    total, n = int(positive.sum()), len(scores)
    said = n - np.searchsorted(np.sort(scores), cuts)
    true = total - np.searchsorted(np.sort(scores[positive]), cuts)
    quality = 2 * true / np.maximum(said + total, 1) if name == "f1" else (2 * true + n - total - said) / n
    return float(cuts[np.argmax(quality)])


def _cuts(scores: np.ndarray, between: tuple[float, float] | None) -> np.ndarray:
    """Every cut that tells scores apart differently, in ascending order; the lowest score lets all pass."""
    distinct = np.unique(scores)
    cuts = np.append(distinct[0], (distinct[:-1] + distinct[1:]) / 2)
    if between is None:
        return cuts
    low, high = between
    return np.concatenate([[low], cuts[(cuts > low) & (cuts < high)], [high]])


def _positives(targets: np.ndarray, scores: np.ndarray, counts: np.ndarray, threshold: float) -> np.ndarray:
    """Of each resample: how many are rightly said to be positive, said to be, and are; (3, b)."""
    said, is_so = scores >= threshold, targets > 0.5
    return (counts @ np.stack([said & is_so, said, is_so], axis=1)).T


def _ranks(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Of each example in each resample, from 1, equal values sharing the mean of theirs; (b, n)."""
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    there = np.add.reduceat(counts[:, order], np.cumsum(sizes) - sizes, axis=1)  # of each distinct value
    ranks = np.cumsum(there, axis=1) - there + (there + 1) / 2
    return ranks[:, place]


def _mean(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return counts @ values / counts.sum(1)


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(len(part), np.nan), where=whole != 0)
