"""Subsets of a split, for scoring a cell or tuning its threshold."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from semblance.data.cues import overlap
from semblance.data.groups import names_of
from semblance.errors import require
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.predictions import Predictions
from semblance.evaluation.selecting import half_of
from semblance.specs.cells import Characters, Hardest, Subset


def selected(subset: Subset, rows: Predictions, on: str, evidence: Evidence) -> np.ndarray:
    """Return which rows are in a subset, as a boolean mask of shape (n,).

    Args:
        subset: the filters.
        rows: n predictions of the split.
        on: the split.
        evidence: the recorded results.

    Raises:
        UserError: if no row is of a group that the subset names.
    """
    mask = np.ones(len(rows), dtype=bool)
    for name, value in vars(subset).items():
        if value not in (None, ()):
            mask &= FILTERS[name](value, rows, on, evidence)
    return mask


def _group(name: str, rows: Predictions, on: str, evidence: Evidence) -> np.ndarray:
    names = [names_of(group) for group in rows.group]
    require(name, sorted(set().union(*names)), "group", on)
    return np.array([name in of_row for of_row in names])


def _label(target: float, rows: Predictions, on: str, evidence: Evidence) -> np.ndarray:
    return rows.target == target


def _half(which: str, rows: Predictions, on: str, evidence: Evidence) -> np.ndarray:
    """Select one of two random halves that share no sentence, if there are such, so that one can tune for the other."""
    clusters = evidence.clusters(on, rows.id)
    first = half_of(clusters if clusters.any() else np.arange(len(rows)))
    return first if which == "first" else ~first


def _hardest(spec: Hardest, rows: Predictions, on: str, evidence: Evidence) -> np.ndarray:
    """Select the `fraction` of rows on which the run has the largest absolute error."""
    reference = evidence.predictions(spec.run, on)[0]
    error = np.abs(reference.score - reference.target)
    chosen = np.argsort(-error, kind="stable")[: round(spec.fraction * len(error))]
    mask = np.zeros(len(error), dtype=bool)
    mask[chosen] = True
    return mask


def _characters(spec: Characters, rows: Predictions, on: str, evidence: Evidence) -> np.ndarray:
    """Select pairs whose shorter sentence has more than `above` characters, or `at_most` that number."""
    pairs = evidence.pairs(on)
    shorter = np.array([min(len(a), len(b)) for a, b in zip(pairs.sentence1, pairs.sentence2, strict=True)])
    return shorter > spec.above if spec.above is not None else shorter <= spec.at_most


def _unseen_in(splits: Sequence[str], rows: Predictions, on: str, evidence: Evidence) -> np.ndarray:
    """Select pairs that occur in none of these splits, in either order of their sentences."""
    seen = set(evidence.pair_keys(on))
    seen &= {key for split in splits for key in evidence.pair_keys(split)}
    return np.array([key not in seen for key in evidence.pair_keys(on)])


def _overlap_above(least: float, rows: Predictions, on: str, evidence: Evidence) -> np.ndarray:
    """Select pairs with more word overlap than a number, for example minimal edits."""
    pairs = evidence.pairs(on)
    return np.array([overlap(a, b) > least for a, b in zip(pairs.sentence1, pairs.sentence2, strict=True)])


FILTERS: dict[str, Callable[[Any, Predictions, str, Evidence], np.ndarray]] = {  # by field of `Subset`
    "group": _group,
    "label": _label,
    "overlap_above": _overlap_above,
    "half": _half,
    "unseen_in": _unseen_in,
    "hardest": _hardest,
    "characters": _characters,
}
