"""Metrics of n scored examples: targets and scores of shape (n,), one number out.

Targets are labels scaled to [0, 1]. Metrics in `NEEDS_THRESHOLD` compare ``score >= threshold`` with
the label. A metric that is undefined (a correlation with a constant, an F1 with nothing to find) is
nan, never 0 or 1.
"""

from __future__ import annotations

import numpy as np

from semblance.evaluation.names import NEEDS_THRESHOLD


def accuracy(targets: np.ndarray, scores: np.ndarray, threshold: float) -> float:
    return float(np.mean((scores >= threshold) == (targets > 0.5)))


def class_accuracy(targets: np.ndarray, scores: np.ndarray) -> float:
    """Of classes: `targets` and `scores` are their numbers."""
    return float(np.mean(targets == scores))


def precision(targets: np.ndarray, scores: np.ndarray, threshold: float) -> float:
    true, false, _ = _positives(targets, scores, threshold)
    return _ratio(true, true + false)


def recall(targets: np.ndarray, scores: np.ndarray, threshold: float) -> float:
    true, _, missed = _positives(targets, scores, threshold)
    return _ratio(true, true + missed)


def f1(targets: np.ndarray, scores: np.ndarray, threshold: float) -> float:
    true, false, missed = _positives(targets, scores, threshold)
    return _ratio(2 * true, 2 * true + false + missed)


def class_weighted_f1(targets: np.ndarray, scores: np.ndarray) -> float:
    """The mean F1 of the classes there are, weighted by how often each is the target (smart, chapter 5)."""
    said, there = np.unique(targets, return_counts=True)
    true = np.array([np.sum((targets == c) & (scores == c)) for c in said])
    claimed = np.array([np.sum(scores == c) for c in said])
    return float(np.average(2 * true / (claimed + there), weights=there))


def weighted_f1(targets: np.ndarray, scores: np.ndarray, threshold: float) -> float:
    """The same of two classes, told apart by a cut."""
    return class_weighted_f1(targets > 0.5, scores >= threshold)


def pearson(targets: np.ndarray, scores: np.ndarray) -> float:
    x, y = targets - targets.mean(), scores - scores.mean()
    spread = np.sqrt((x @ x) * (y @ y))
    # A constant that is not a binary fraction leaves rounding dust behind; it is no spread.
    dust = 1e-12 * len(x) * max(np.abs(targets).max(), 1e-300) * max(np.abs(scores).max(), 1e-300)
    return float(x @ y / spread) if spread > dust else float("nan")


def spearman(targets: np.ndarray, scores: np.ndarray) -> float:
    from scipy.stats import rankdata

    return pearson(rankdata(targets), rankdata(scores))


def roc_auc(targets: np.ndarray, scores: np.ndarray) -> float:
    from scipy.stats import rankdata

    positive = targets > 0.5
    found, rest = int(positive.sum()), int((~positive).sum())
    # Mann and Whitney's U over the number of pairs of a positive and a negative.
    return _ratio(rankdata(scores)[positive].sum() - found * (found + 1) / 2, found * rest)


def mean_absolute_error(targets: np.ndarray, scores: np.ndarray) -> float:
    return float(np.mean(np.abs(scores - targets)))


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
    arguments = (threshold,) if name in NEEDS_THRESHOLD else ()
    return FUNCTIONS[name](targets, scores, *arguments)


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


def _positives(targets: np.ndarray, scores: np.ndarray, threshold: float) -> tuple[int, int, int]:
    """Counts of true positives, false positives and false negatives."""
    said, is_so = scores >= threshold, targets > 0.5
    return int(np.sum(said & is_so)), int(np.sum(said & ~is_so)), int(np.sum(~said & is_so))


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else float("nan")
