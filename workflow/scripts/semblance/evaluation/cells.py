"""A cell of a table: its number and confidence interval, or a mean of several cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from semblance.evaluation import intervals
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.measurements import machines, of_corpus, of_runs
from semblance.evaluation.scored import Scored
from semblance.registry import METRICS
from semblance.specs.cells import CellSpec, ThresholdRule


@dataclass(frozen=True)
class Number:
    """A measured number.

    Attributes:
        value: mean over seeds; None if it was not recorded.
        low: lower end of the 95% interval; None for counts and times.
        high: upper end of the 95% interval; None for counts and times.
        examples: number of examples; None for counts and times.
        per_seed: value of each seed.
        thresholds: threshold of each seed; None if the metric needs none.
        clusters: number of clusters of dependent examples, see docs/results.md; None for counts and times.
    """

    value: float | None
    low: float | None
    high: float | None
    examples: int | None
    per_seed: Sequence[float]
    thresholds: Sequence[float | None] | None = None
    clusters: int | None = None

    def scaled(self, factor: float) -> Number:
        """Return the number, its interval and its values by seed multiplied by `factor`, e.g. 100 for percent."""
        value, low, high = (None if v is None else v * factor for v in (self.value, self.low, self.high))
        per_seed = [v * factor for v in self.per_seed]
        return replace(self, value=value, low=low, high=high, per_seed=per_seed)


def measure(cell: CellSpec, evidence: Evidence) -> Number:
    """Compute a cell from recorded results.

    Thresholds are tuned for each seed. Intervals include the error of tuning them on other rows.

    Args:
        cell: the cell.
        evidence: the recorded results.
    """
    return _measured(cell, evidence).scaled(cell.scale)


def mean(cells: Sequence[CellSpec], evidence: Evidence, on_unit_scale: Sequence[bool]) -> Number:
    """Compute the mean of scored cells and its confidence interval.

    Cells on the same rows use the same resamples. Cells on different splits or subsets are resampled independently.

    Args:
        cells: the cells, which all have a metric of scores.
        evidence: the recorded results.
        on_unit_scale: for each cell, whether its value r counts as (r + 1) / 2, as for a correlation.
    """
    if not all(_reached(cell, evidence) for cell in cells):
        return _counted([None])
    rows = [(cell.on, cell.subset) for cell in cells]
    parts = [Scored(cell, evidence, unit) for cell, unit in zip(cells, on_unit_scale, strict=True)]
    if not all(part.count for part in parts):  # a subset without rows
        return Number(math.nan, math.nan, math.nan, 0, [math.nan])
    different = list(dict.fromkeys(rows))
    drawn = [part.resampled(random=different.index(those)) for part, those in zip(parts, rows)]
    # A run that does not depend on the seed has one value, which counts for every seed.
    seeds = max(part.seed_count for part in parts)
    per_seed = [float(np.mean([part.metric(seed) for part in parts])) for seed in range(seeds)]
    limits = tuple(np.mean([part.limits for part in parts], axis=0).tolist())
    examples, clusters = ([getattr(part, counted) for part in parts] for counted in ("count", "cluster_count"))
    on_resamples = np.mean(drawn, axis=0)
    low, high = math.nan, math.nan
    if not intervals.is_fixed(on_resamples):  # otherwise nothing tells how far it is from the mean on other rows
        low, high = intervals.with_seeds(intervals.percentiles(on_resamples, min(clusters)), per_seed, limits)
    return Number(float(np.mean(per_seed)), low, high, sum(examples), per_seed, clusters=sum(clusters))


def _measured(cell: CellSpec, evidence: Evidence) -> Number:
    metric, measures = cell.metric, METRICS[cell.metric].measures
    if not _reached(cell, evidence):
        return _counted([None])
    if measures == "corpus":
        return _counted([of_corpus(cell, evidence)])
    if measures == "evaluation":
        near = evidence.evaluations_near(cell.run, cell.on, cell.epoch or 0)
        return _counted([getattr(evaluation, metric) for evaluation in near])
    if measures in ("training", "selection", "scoring"):
        if METRICS[metric].is_timed and len(machines([cell], evidence)) > 1:
            return _counted([None])  # a ratio to another machine's time
        return _counted(of_runs(cell, evidence))
    if measures == "learning":
        found = [getattr(one, metric.replace("-", "_")) for one in evidence.learned(cell.run)]
        return _counted(found or [None])  # nothing of a run that is not trained
    return _scored(cell, evidence)


def _reached(cell: CellSpec, evidence: Evidence) -> bool:
    """Return whether a run was trained as far as a cell that shows a time in its training."""
    return cell.during is None or evidence.reached(cell.run, cell.on, cell.during)


def _scored(cell: CellSpec, evidence: Evidence) -> Number:
    if cell.metric == "threshold" and not isinstance(cell.threshold, ThresholdRule):
        return _counted([cell.threshold])
    scored = Scored(cell, evidence)
    if cell.metric == "examples":
        return _counted([scored.count])
    if not scored.count:
        return Number(math.nan, math.nan, math.nan, 0, [math.nan] * scored.seed_count)
    per_seed = [scored.metric(seed) for seed in range(scored.seed_count)]
    if cell.metric == "mean-score" and scored.count == 1:  # the score of one pair
        return _counted(per_seed)
    low, high = scored.interval(per_seed)
    used = scored.thresholds if METRICS[cell.metric].uses_threshold else None
    return Number(float(np.mean(per_seed)), low, high, scored.count, per_seed, used, scored.cluster_count)


def _counted(per_seed: Sequence[float | None]) -> Number:
    known = [value for value in per_seed if value is not None]
    if len(known) < len(per_seed):
        return Number(None, None, None, None, [])
    return Number(float(np.mean(known)), None, None, None, known)
