"""The scored rows and tuned thresholds of a cell, its value for each seed and on resamples, and its interval."""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

import numpy as np

from semblance.errors import UserError
from semblance.evaluation import intervals, metrics
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.predictions import Predictions
from semblance.evaluation.subsets import selected
from semblance.evaluation.thresholds import tuning
from semblance.registry import METRICS
from semblance.specs.cells import CellSpec, ThresholdRule


class Scored:
    """The rows and thresholds of a cell for each seed.

    A cell with `minus` stands for the difference from that cell, on the same rows. If the cell
    has n seeds, seed s uses the results of seed s mod n, so that cells with one seed and cells with several combine.

    Args:
        cell: a cell with a metric of scores.
        evidence: the recorded results.
        on_unit_scale: whether a value r counts as (r + 1) / 2.

    Raises:
        UserError: if both sides of a difference have different rows.
    """

    def __init__(self, cell: CellSpec, evidence: Evidence, on_unit_scale: bool = False):
        self.name, self.on_unit_scale = cell.metric, on_unit_scale
        self._on, self._evidence = cell.on, evidence
        self.seeds, self.thresholds = rows_and_thresholds(cell, evidence)
        self.of_split = evidence.predictions(cell.run, cell.on, cell.during)[0].id  # of all rows of the split
        self.count = len(self.seeds[0])
        self._tuning = tuning(cell, evidence) if METRICS[self.name].uses_threshold else None
        self.other = Scored(cell.minus, evidence) if cell.minus else None
        if cell.minus and self.other and not np.array_equal(self.seeds[0].id, self.other.seeds[0].id):
            raise UserError(
                f"a difference of {self.name} on {cell.on} has other rows of {cell.run} than of {cell.minus.run}: "
                "give both the same subset"
            )

    @cached_property
    def clusters(self) -> np.ndarray:
        """Index of each row's cluster of rows that share sentences, shape (n,); see `intervals`."""
        return self._evidence.clusters(self._on, self.seeds[0].id)

    @property
    def cluster_count(self) -> int:
        return int(self.clusters.max(initial=-1)) + 1

    @property
    def seed_count(self) -> int:
        return max(len(self.seeds), self.other.seed_count if self.other else 0)

    def metric(self, seed: int) -> float:
        """Return the value of one seed on all rows."""
        return float(self.of_resamples(seed, np.ones((1, self.count)))[0])

    def of_resamples(self, seed: int, counts: np.ndarray, which: slice | None = None) -> np.ndarray:
        """Return the values of one seed on b resamples, shape (b,).

        Args:
            seed: index of the seed.
            counts: how often each resample contains each row, shape (b, n).
            which: numbers of the resamples, whose thresholds are those of the tuning rows' resamples with the same
                numbers; None uses the threshold tuned on all tuning rows.
        """
        own = seed % len(self.seeds)
        threshold = self._threshold(own, counts, which)
        if self.name == "threshold":
            values = np.broadcast_to(np.asarray(threshold), len(counts))
        else:
            values = self._metrics[own](counts, threshold)
        values = values - self.other.of_resamples(seed, counts, which) if self.other else values
        return (values + 1) / 2 if self.on_unit_scale else values

    def _threshold(self, seed: int, counts: np.ndarray, which: slice | None) -> float | np.ndarray | None:
        if self._tuning is None or which is None:
            return self.thresholds[seed]
        if self._tunes_on_itself:
            return self._tuning.on_same_resamples(seed, counts)
        return self._tuning.of_resamples(seed, which)

    @cached_property
    def _tunes_on_itself(self) -> bool:
        """Whether the rows that tune the threshold are those that are scored."""
        if self._tuning is None or self._tuning.rule.tune_on != self._on:
            return False
        return np.array_equal(self._tuning.seeds[0].id, self.seeds[0].id)

    @cached_property
    def _metrics(self) -> list[Callable[[np.ndarray, float | np.ndarray | None], np.ndarray]]:
        return [metrics.of_resamples(self.name, rows.target, rows.compared(self.name)) for rows in self.seeds]

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest possible value."""
        if self.other:
            return intervals.UNLIMITED
        lowest, highest = METRICS[self.name].bounds
        if self.name == "threshold" and self._tuning and self._tuning.rule.between:
            return self._tuning.rule.between
        return ((lowest + 1) / 2, (highest + 1) / 2) if self.on_unit_scale else (lowest, highest)

    def interval(self, per_seed: Sequence[float]) -> tuple[float, float]:
        """Return the 95% interval of the mean of `per_seed`.

        It combines the cluster bootstrap over rows, with thresholds tuned again on resamples, with the variance between
        seeds. A share of correct rows has an exact interval, by the rows' means over seeds, which the rest can only
        widen: rows on which all seeds are right, or none, give a bootstrap no width. The interval of another value that
        no resample changes is undefined: nothing tells how far it is from that on other rows.
        """
        exact = None
        if METRICS[self.name].is_share and not self.other:
            thresholds = self.thresholds if METRICS[self.name].needs_threshold else [None] * len(self.seeds)
            decided = zip(self.seeds, thresholds)
            right = [metrics.right(rows.target, rows.score, threshold) for rows, threshold in decided]
            exact = intervals.exact(np.mean(right, axis=0), self.clusters)
            if self._tuning is None and len(per_seed) == 1:
                return exact
        drawn = self.resampled()
        if METRICS[self.name].is_scored and not exact and intervals.is_fixed(drawn):
            return math.nan, math.nan
        over_examples = intervals.percentiles(drawn, self.cluster_count)
        low, high = intervals.with_seeds(over_examples, per_seed, self.limits)
        return (min(low, exact[0]), max(high, exact[1])) if exact else (low, high)

    def resampled(self, random: int = 0) -> np.ndarray:
        """Return the mean over seeds on every resample, shape (resamples,); `random` seeds the resampling."""
        seeds = range(self.seed_count)
        drawn = np.concatenate(
            [
                np.mean([self.of_resamples(seed, counts, which) for seed in seeds], axis=0)
                for which, counts in intervals.draws(self.clusters, random=random)
            ]
        )
        return self.centred(drawn, np.asarray(np.mean([self.metric(seed) for seed in seeds])))

    def centred(self, drawn: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return values on resamples, shifted so that their mean is the value itself, if that is too high on average.

        A threshold that is best on the rows it scores makes their score too high. It does so again on their resamples.

        Args:
            drawn: values on b resamples, shape (..., b).
            values: those on all rows, shape (...).
        """
        if not self._is_too_high or np.isnan(drawn).all(-1).any():
            return drawn
        return drawn - np.nanmean(drawn, axis=-1, keepdims=True) + np.expand_dims(values, -1)

    @property
    def _is_too_high(self) -> bool:
        own = METRICS[self.name].needs_threshold and self._tunes_on_itself
        return own or (self.other is not None and self.other._is_too_high)


def best_on(split: str, cells: Iterable[CellSpec], evidence: Evidence) -> tuple[CellSpec, ...]:
    """Return the cell that is best on a split, by its mean over seeds; the first of equally good ones; none of none."""

    def mean(cell: CellSpec) -> float:
        scored = Scored(cell.to_choose(split), evidence)
        found = float(np.mean([scored.metric(seed) for seed in range(scored.seed_count)]))
        return metrics.defined(metrics.rank(cell.metric, found))

    return tuple(sorted(cells, key=mean, reverse=True)[:1])


def rows_and_thresholds(cell: CellSpec, evidence: Evidence) -> tuple[list[Predictions], Sequence[float | None]]:
    """Return, for each seed, the rows on which a cell is computed and its threshold; None if it has none."""
    seeds = evidence.predictions(cell.run, cell.on, cell.during)
    mask = selected(cell.subset, seeds[0], cell.on, evidence)
    rows, tuned = [seed.only(mask) for seed in seeds], tuning(cell, evidence)
    if tuned:
        return rows, tuned.thresholds
    return rows, [None if isinstance(cell.threshold, ThresholdRule) else cell.threshold] * len(seeds)


def tunes_on_scored_rows(cell: CellSpec) -> bool:
    """Return whether a score is of a threshold that may be tuned on the rows that it scores."""
    return METRICS[cell.metric].needs_threshold and bool(cell.rule and cell.rule.leaks)
