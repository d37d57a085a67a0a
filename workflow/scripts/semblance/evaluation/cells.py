"""Compute a cell of a table: select rows, tune the threshold, compute the metric and its confidence interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from semblance.curve import LOSS, PENALTY, PROXIMITY, SMOOTHNESS
from semblance.errors import UserError
from semblance.evaluation import intervals, metrics
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.predictions import Predictions
from semblance.evaluation.subsets import selected
from semblance.evaluation.thresholds import tuning
from semblance.registry import METRICS
from semblance.specs.cells import CellSpec, ThresholdRule
from semblance.specs.facts import RunFacts, SplitFacts, StageFacts

NOT_THERE = SplitFacts(read=None, used=0)  # a split that the dataset lacks


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
        return _of_corpus(cell, evidence)
    if measures == "evaluation":
        near = evidence.evaluations_near(cell.run, cell.on, cell.during or 0)
        return _counted([getattr(evaluation, metric) for evaluation in near])
    if measures in ("training", "selection", "scoring"):
        if METRICS[metric].is_timed and len(machines([cell], evidence)) > 1:
            return _counted([None])  # a ratio to another machine's time
        return _counted(_of_runs(cell, evidence))
    if measures == "learning":
        found = [getattr(one, metric.replace("-", "_")) for one in evidence.learned(cell.run)]
        return _counted(found or [None])  # nothing of a run that is not trained
    return _scored(cell, evidence)


def _reached(cell: CellSpec, evidence: Evidence) -> bool:
    """Return whether a run was trained as far as a cell that shows a time in its training."""
    return cell.during is None or evidence.reached(cell.run, cell.on, cell.during)


def _of_runs(cell: CellSpec, evidence: Evidence) -> list[float]:
    """Return what was measured of each seed's training or scoring, such as time, memory or size."""
    if METRICS[cell.metric].measures == "scoring":
        found = [SCORING[cell.metric](speed) for speed in evidence.speed(cell.run, cell.on)]
    else:
        found = [TRAINING[cell.metric](facts) for facts in evidence.facts(cell.run)]
    if not cell.per:
        return found
    below = _of_runs(cell.per, evidence)  # a cell with one seed counts for all of the other's
    seeds = max(len(found), len(below))
    return (np.resize(found, seeds) / np.resize(below, seeds)).tolist()


def machines(cells: Iterable[CellSpec], evidence: Evidence) -> list[str]:
    """Return the machines on which the runs of cells were measured, and of what divides them; each once."""
    return sorted(set().union(*(evidence.machines(one) for cell in cells for one in (cell, cell.per) if one)))


def repeats(cell: CellSpec, evidence: Evidence) -> list[float]:
    """Return the measurements of a cell that is not computed from examples: by seed, or repeated timings of one."""
    found = _of_runs(cell, evidence)
    if METRICS[cell.metric].measures == "scoring" and len(found) == 1 and not cell.per:
        [speed] = evidence.speed(cell.run, cell.on)
        encoding = speed.get("each_encoding") or [speed.get("encoding_seconds", 0.0)] * len(speed["each"])
        each = zip(speed["each"], encoding, strict=True)
        found = [SCORING[cell.metric]({**speed, "seconds": own, "encoding_seconds": text}) for own, text in each]
    return [value * cell.scale for value in found]


def tunes_on_scored_rows(cell: CellSpec) -> bool:
    """Return whether a score is of a threshold that may be tuned on the rows that it scores."""
    return METRICS[cell.metric].needs_threshold and bool(cell.rule and cell.rule.leaks)


SCORING: dict[str, Callable[[Mapping], float]] = {
    "pairs-per-second": lambda speed: speed["pairs"] / speed["seconds"],
    "milliseconds-per-pair": lambda speed: 1000 * speed["seconds"] / speed["pairs"],
    # For a network over a frozen encoder, this includes the time of the encoder.
    "milliseconds-per-pair-from-text": lambda speed: (
        1000 * (speed["seconds"] + speed.get("encoding_seconds", 0)) / speed["pairs"]
    ),
}


def _mean_of_steps(facts: RunFacts, series: str, without: float = math.nan) -> float:
    """Return the mean of a part of the loss over the steps of all stages; `without` if no stage has this part."""
    stages = facts["stages"]
    if not any(series in one["means"] for one in stages):
        return without
    steps = sum(one["steps"] for one in stages) or math.nan  # none, if the first has diverged
    return sum(one["steps"] * one["means"].get(series, 0.0) for one in stages) / steps


def _evaluating_seconds(stage: StageFacts) -> float:
    return stage.get("watching_seconds", 0) + stage.get("selecting_seconds", 0)


TRAINING: dict[str, Callable[[RunFacts], float]] = {
    "training-minutes": lambda facts: facts["seconds"] / 60,
    # Memory of the process plus memory of the GPU, if there is one.
    "peak-memory-gib": lambda facts: (facts["peak_memory_mb"] + (facts["gpu_peak_memory_mb"] or 0)) / 1024,
    "parameters": lambda facts: facts["parameters"],
    "selected-epoch": lambda facts: facts["stages"][-1]["selected_epoch"],
    "task-loss": lambda facts: _mean_of_steps(facts, LOSS) - _mean_of_steps(facts, PENALTY, without=0),
    "smoothness-term": lambda facts: _mean_of_steps(facts, SMOOTHNESS),
    "proximity-term": lambda facts: _mean_of_steps(facts, PROXIMITY),
    "seconds-per-step": lambda facts: (
        (facts["seconds"] - sum(map(_evaluating_seconds, facts["stages"])))
        / (sum(stage["steps"] for stage in facts["stages"]) or math.nan)
    ),
}


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
        if self.other and (self.count != self.other.count or (self.seeds[0].id != self.other.seeds[0].id).any()):
            raise UserError(f"a difference of {self.name} is of different examples: give both cells one `on`")

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
        """Return the mean over seeds on every resample, shape (resamples,); `random` seeds the resampling.

        A threshold that is best on the rows it scores makes their score too high on average. It does so again on their
        resamples, which are shifted by that, so that their mean is the score itself.
        """
        seeds = range(self.seed_count)
        drawn = np.concatenate(
            [
                np.mean([self.of_resamples(seed, counts, which) for seed in seeds], axis=0)
                for which, counts in intervals.draws(self.clusters, random=random)
            ]
        )
        if METRICS[self.name].needs_threshold and self._tunes_on_itself and not np.isnan(drawn).all():
            drawn = drawn - np.nanmean(drawn) + np.mean([self.metric(seed) for seed in seeds])
        return drawn


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


def rows_and_thresholds(cell: CellSpec, evidence: Evidence) -> tuple[list[Predictions], Sequence[float | None]]:
    """Return, for each seed, the rows on which a cell is computed and its threshold; None if it has none."""
    seeds = evidence.predictions(cell.run, cell.on, cell.during)
    mask = selected(cell.subset, seeds[0], cell.on, evidence)
    rows, tuned = [seed.only(mask) for seed in seeds], tuning(cell, evidence)
    if tuned:
        return rows, tuned.thresholds
    return rows, [None if isinstance(cell.threshold, ThresholdRule) else cell.threshold] * len(seeds)


def _of_corpus(cell: CellSpec, evidence: Evidence) -> Number:
    """Return the number of rows as they were read, or the share of a label among those with text and label.

    Rows that were held out for tuning count as rows of the split from which they were taken.
    """
    splits = evidence.dataset(cell.dataset)["splits"]
    names = cell.split.split("+")
    found = [splits.get(name, NOT_THERE) for name in names]
    found = [one for one in found if one.get("held_out_of") not in names]
    if cell.subset.group:
        groups = cell.subset.group.split("+")
        counts = [one["groups_read"][group] for one in found for group in groups if group in one.get("groups_read", {})]
        return _counted([sum(counts) if counts else None])
    if cell.metric == "rows":
        known = [one["read"] for one in found if one["read"] is not None]
        return _counted([sum(known) if len(known) == len(found) else None])
    by_label = [pair for one in found for pair in enumerate(one.get("labels_read", []))]
    rows = sum(count for _, count in by_label)
    return _counted([sum(count for label, count in by_label if label == cell.subset.label) / rows if rows else None])


def _counted(per_seed: Sequence[float | None]) -> Number:
    known = [value for value in per_seed if value is not None]
    if len(known) < len(per_seed):
        return Number(None, None, None, None, [])
    return Number(float(np.mean(known)), None, None, None, known)
