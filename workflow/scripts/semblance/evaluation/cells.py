"""One cell of a table: which rows it looks at, which cut it uses, its value and its interval."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from semblance.errors import UserError
from semblance.evaluation import intervals, metrics
from semblance.evaluation.names import NEEDS_THRESHOLD
from semblance.evaluation.predictions import Predictions

Lookup = Callable[[str, str], Sequence[Predictions]]  # (run, dataset/split) -> one entry a seed


@dataclass(frozen=True)
class Number:
    """A measured number: the mean over seeds, its 95% interval, and what it was measured on."""

    value: float
    low: float
    high: float
    examples: int
    per_seed: list[float]
    thresholds: list[float] | None = None

    def as_dict(self) -> dict:
        return asdict(self)


def measure(cell: Mapping, lookup: Lookup) -> Number:
    """Compute a cell from predictions.

    `cell` has run, on and metric, and may have threshold (a number, or tune_on and maximise), group
    and hardest. Thresholds are tuned for each seed and held fixed under resampling.
    """
    seeds = lookup(cell["run"], cell["on"])
    cuts = [_threshold(cell, lookup, seed) for seed in range(len(seeds))]
    keep = _kept(cell, seeds[0], lookup)
    if not keep.any():
        raise UserError(f"no row of {cell['on']} is left for the cell {dict(cell)}")
    seeds = [one.only(keep) for one in seeds]

    def metric(seed: int, rows: np.ndarray | slice) -> float:
        one = seeds[seed]
        return metrics.compute(cell["metric"], one.target[rows], one.score[rows], cuts[seed])

    per_seed = [metric(seed, slice(None)) for seed in range(len(seeds))]
    low, high = intervals.bootstrap(metric, len(seeds), len(seeds[0]))
    return Number(float(np.mean(per_seed)), low, high, len(seeds[0]), per_seed, cuts if cuts[0] is not None else None)


def _threshold(cell: Mapping, lookup: Lookup, seed: int) -> float | None:
    rule = cell.get("threshold")
    if cell["metric"] not in NEEDS_THRESHOLD or not isinstance(rule, Mapping):
        return rule
    tuning = lookup(cell["run"], rule["tune_on"])[seed]
    return metrics.best_threshold(rule["maximise"], tuning.target, tuning.score)


def _kept(cell: Mapping, rows: Predictions, lookup: Lookup) -> np.ndarray:
    keep = np.ones(len(rows), dtype=bool)
    if "group" in cell:
        keep &= rows.group == cell["group"]
    if "hardest" in cell:
        keep &= _hardest(lookup(cell["hardest"]["for"], cell["on"])[0], cell["hardest"]["share"])
    return keep


def _hardest(reference: Predictions, share: float) -> np.ndarray:
    """The `share` of rows on which the reference run's score is furthest from the target."""
    error = np.abs(reference.score - reference.target)
    chosen = np.argsort(-error, kind="stable")[: round(share * len(error))]
    mask = np.zeros(len(error), dtype=bool)
    mask[chosen] = True
    return mask
