"""Tuned thresholds of cells: one per seed on all tuning rows, and one per seed and resample of these rows."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from semblance.errors import UserError
from semblance.evaluation import intervals, metrics
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.predictions import Predictions
from semblance.evaluation.subsets import selected
from semblance.specs.cells import CellSpec, ThresholdRule

RANDOM = 1  # seed of the resamples of tuning rows, which are not those of the scored rows
RESAMPLES = 200  # of tuning rows; the resamples of scored rows use them in turn


@dataclass(frozen=True, eq=False)
class Tuning:
    """The tuning of a run's threshold.

    Attributes:
        rule: how it is tuned.
        seeds: for each seed, the predictions that tune it.
        evidence: the recorded results.
    """

    rule: ThresholdRule
    seeds: Sequence[Predictions]
    evidence: Evidence

    @cached_property
    def clusters(self) -> np.ndarray:
        """Index of each row's cluster of rows that share sentences, shape (n,)."""
        return self.evidence.clusters(self.rule.tune_on, self.seeds[0].id)

    @cached_property
    def thresholds(self) -> list[float]:
        """The threshold of each seed, tuned on all rows."""
        return [float(self.on_resamples(seed, np.ones((1, len(rows))))[0]) for seed, rows in enumerate(self.seeds)]

    @cached_property
    def resampled(self) -> np.ndarray:
        """The thresholds tuned on resamples of the rows, shape (seeds, `RESAMPLES`).

        All runs that are tuned on the same rows use the same resamples, so that differences between them are paired.
        """
        seeds, drawn = range(len(self.seeds)), intervals.draws(self.clusters, RESAMPLES, RANDOM)
        return np.concatenate([[self.on_resamples(seed, counts) for seed in seeds] for _, counts in drawn], axis=1)

    def of_resamples(self, seed: int, which: slice) -> np.ndarray:
        """Return the thresholds that go with resamples of the scored rows, given their numbers."""
        return self.resampled[seed, np.arange(which.start, which.stop) % RESAMPLES]

    def on_same_resamples(self, seed: int, counts: np.ndarray) -> np.ndarray:
        """Return `on_resamples` for resamples that several cells score on these rows; computed once."""
        key = seed, hashlib.blake2b(counts.tobytes()).digest()
        if key not in self._known:
            self._known[key] = self.on_resamples(seed, counts)
        return self._known[key]

    @cached_property
    def _known(self) -> dict[tuple[int, bytes], np.ndarray]:
        return {}

    def on_resamples(self, seed: int, counts: np.ndarray) -> np.ndarray:
        """Return the threshold that maximises the rule's metric on each of b resamples, shape (b,).

        With k `folds` it is the mean of the k thresholds that are each best on all rows outside one fold (metric,
        section 4.1). Fold i consists of the rows i, i + k, i + 2k, …
        """
        rule, rows = self.rule, self.seeds[seed]
        folds = np.arange(len(rows)) % rule.folds
        parts = [folds != fold for fold in range(rule.folds)] if rule.folds > 1 else [folds == 0]
        found = [
            metrics.best_thresholds(rule.maximise, rows.target[part], rows.score[part], counts[:, part], rule.between)
            for part in parts
        ]
        return np.nanmean(found, axis=0)


def tuning(cell: CellSpec, evidence: Evidence) -> Tuning | None:
    """Return the tuning of a cell's threshold; None if the threshold is fixed or there is none."""
    return _tuning(cell.rule, cell.run, cell.during, evidence) if cell.rule else None


@cache
def _tuning(rule: ThresholdRule, run: str, during: float | str | None, evidence: Evidence) -> Tuning:
    seeds = evidence.predictions(run, rule.tune_on, during)
    mask = selected(rule.subset, seeds[0], rule.tune_on, evidence)
    if not mask.any():
        raise UserError(f"no row of {rule.tune_on} is in the subset that tunes the threshold of {run}: choose another")
    return Tuning(rule, [seed.only(mask) for seed in seeds], evidence)
