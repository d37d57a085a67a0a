"""The comparison that a claim makes: effect, confidence interval and verdict, on the same examples and seeds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semblance.errors import UserError
from semblance.evaluation import intervals
from semblance.evaluation.cells import Scored, repeats
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import all_trained
from semblance.registry import METRICS
from semblance.specs.cells import CellSpec, ClaimSpec

SUPPORTED, REFUTED, INCONCLUSIVE = "supported", "refuted", "inconclusive"
NOT_TRAINED = "inconclusive: not trained enough"  # takes precedence over the interval
NOT_REACHED = "inconclusive: training ended before the epoch"
SAME_MODEL = "inconclusive: both sides are the same model"  # a preset can use one encoder for both
OPEN = (INCONCLUSIVE, NOT_TRAINED, NOT_REACHED, SAME_MODEL)
RELATIVE = "relative"  # unit of effects on times, memory and counts
EQUAL_EACH = 0.5  # share of pairs that is won if neither side is better


@dataclass(frozen=True)
class Comparison:
    """Both sides of a claim, compared.

    Attributes:
        claim: the claim.
        metric: the compared metric.
        by_seed: the effect of each seed.
        drawn: the effect by seed and resample, shape (seeds, resamples); None for what is not measured on examples.
        examples: number of examples; 0 if it is not measured on any.
        clusters: number of clusters of examples.
        single_seed: whether a compared run is random and has one seed.
        not_trained: compared runs that did not learn.
        unit: unit of the effect if it is not the metric's.
        varies: whether another measurement could give another value, so that a single one decides nothing.
        not_reached: whether a compared evaluation during training lies beyond its end.
        same_model: whether both sides have the same scores.
    """

    claim: ClaimSpec
    metric: str
    by_seed: Sequence[float]
    drawn: np.ndarray | None
    examples: int = 0
    clusters: int = 0
    single_seed: bool = False
    not_trained: Sequence[str] = ()
    unit: str | None = None
    varies: bool = True
    not_reached: bool = False
    same_model: bool = False

    @property
    def cannot_be_judged(self) -> str | None:
        """Why the claim is inconclusive whatever the interval: a verdict, or None."""
        if self.not_reached:
            return NOT_REACHED
        if self.not_trained:
            return NOT_TRAINED
        return SAME_MODEL if self.same_model else None

    def found(self, level: float = intervals.LEVEL) -> dict:
        """Return effect, interval and verdict over all seeds."""
        if self.not_reached:
            return {"effect": None, "low": None, "high": None, "verdict": NOT_REACHED}
        effect = float(np.mean(self.by_seed))
        if self.drawn is not None:
            over_examples = intervals.percentiles(self.drawn.mean(0), self.clusters, level)
        else:
            over_examples = intervals.UNLIMITED if self.varies and len(self.by_seed) < 2 else (effect, effect)
        found = judged(effect, intervals.with_seeds(over_examples, self.by_seed, level=level), self.claim.within)
        return found | ({"verdict": self.cannot_be_judged} if self.cannot_be_judged else {})

    def of_each_seed(self) -> list[dict]:
        """Return effect, interval and verdict of each seed alone; empty if there is only one."""
        if len(self.by_seed) < 2 or self.drawn is None:
            return []
        each = zip(self.by_seed, self.drawn, strict=True)
        found = [
            judged(effect, intervals.percentiles(drawn, self.clusters), self.claim.within) for effect, drawn in each
        ]
        return [{**one, "verdict": self.cannot_be_judged or one["verdict"]} for one in found]


def judged(effect: float, interval: tuple[float, float], within: float | None = None) -> dict:
    """Return an effect, its interval and the verdict.

    Args:
        effect: the measured effect.
        interval: its confidence interval.
        within: margin of a claim of equivalence: supported if the interval lies within it on both sides of 0, refuted
            if it lies beyond it. None is a claim that the effect is above 0.
    """
    if not math.isfinite(effect):  # e.g. the F1 of a threshold that accepts nothing
        return {"effect": None, "low": None, "high": None, "verdict": INCONCLUSIVE}
    low, high = interval
    if not math.isfinite(high - low):  # all examples are one cluster, or there is one measurement of a time
        return {"effect": effect, "low": None, "high": None, "verdict": INCONCLUSIVE}
    if within is None:
        verdict = SUPPORTED if low > 0 else REFUTED if high < 0 else INCONCLUSIVE
    else:
        inside, outside = -within <= low and high <= within, low > within or high < -within
        verdict = SUPPORTED if inside else REFUTED if outside else INCONCLUSIVE
    return {"effect": effect, "low": low, "high": high, "verdict": verdict}


def compare(spec: ClaimSpec, evidence: Evidence) -> Comparison:
    """Compare both sides of a claim.

    Scores are compared on the same resampled examples, seed by seed, so that the variance that both sides share cancels
    out. Cells can score different subsets of one split; a resample of the split then contains some rows of each.

    Raises:
        UserError: if the cells are scored on different splits.
    """
    first = spec.cells[0]
    if not all(evidence.reached(cell.run, cell.on, cell.epoch) for cell in spec.cells if cell.epoch is not None):
        return Comparison(spec, first.metric, [], None, not_reached=True)
    not_trained = _not_trained(spec, evidence)
    if not METRICS[first.metric].on_examples:
        return _of_measurements(spec, evidence, not_trained)
    return _of_examples(spec, evidence, not_trained)


def _of_examples(spec: ClaimSpec, evidence: Evidence, not_trained: Sequence[str]) -> Comparison:
    better, other = ([Scored(cell, evidence) for cell in side] for side in (spec.better, spec.than))
    scored = [*better, *other]
    rows, places = _together(scored, spec)
    sign = 1 if METRICS[scored[0].name].higher_is_better else -1

    def difference(seed: int, counts: np.ndarray, which: slice | None = None) -> np.ndarray:
        values = [
            sign * cell.of_resamples(seed, counts[:, place], which) for cell, place in zip(scored, places, strict=True)
        ]
        rest = values[len(better) :] or [np.full(len(counts), sign * (spec.than_value or 0))]
        return _aggregated(spec, np.array(values[: len(better)]), np.array(rest))

    clusters = evidence.clusters(spec.cells[0].on, rows)
    seeds, once = max(cell.seed_count for cell in scored), np.ones((1, len(rows)))
    drawn = [[difference(seed, counts, which) for seed in range(seeds)] for which, counts in intervals.draws(clusters)]
    return Comparison(
        spec,
        metric=scored[0].name,
        by_seed=[float(difference(seed, once)[0]) for seed in range(seeds)],
        drawn=np.concatenate(drawn, axis=1),
        examples=len(rows),
        clusters=int(clusters.max()) + 1,
        single_seed=any(evidence.single_seed(cell.run) for cell in spec.cells),
        not_trained=not_trained,
        same_model=bool(other) and all(_same(one, another) for one in better for another in other),
    )


def _same(one: Scored, other: Scored) -> bool:
    """Return whether two cells have the same scores of the same rows."""
    return len(one.seeds) == len(other.seeds) and all(
        np.array_equal(a.id, b.id) and np.array_equal(a.score, b.score) for a, b in zip(one.seeds, other.seeds)
    )


def _aggregated(spec: ClaimSpec, better: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the effect on b resamples from the values of both sides, shapes (cells, b)."""
    if spec.pairs == "most":
        return np.heaviside(better - other, EQUAL_EACH).mean(0) - EQUAL_EACH
    if spec.pairs == "all":
        return (better - other).min(0)
    left = better.min(0) if spec.better_the == "worst" else better.mean(0)
    return left - (other.max(0) if spec.than_the == "best" else other.mean(0))


def _of_measurements(spec: ClaimSpec, evidence: Evidence, not_trained: Sequence[str]) -> Comparison:
    """Compare times, memory or counts: by how much larger, or smaller, the better side is, relative to the other.

    Each seed and each repeated timing is a measurement.
    """
    metric = METRICS[spec.cells[0].metric]
    better, other = (
        [np.array(repeats(cell, evidence), dtype=float) for cell in side] for side in (spec.better, spec.than)
    )
    other = other or [np.array([spec.than_value or 0])]
    count = max(len(values) for values in [*better, *other])
    left, right = (np.mean([np.resize(values, count) for values in side], axis=0) for side in (better, other))
    ratios = left / right - 1 if metric.higher_is_better else 1 - left / right
    return Comparison(
        spec,
        metric=metric.name,
        by_seed=ratios.tolist(),
        drawn=None,
        single_seed=metric.is_timed and count == 1,
        not_trained=not_trained,
        unit=RELATIVE,
        varies=metric.is_timed,
    )


def _not_trained(spec: ClaimSpec, evidence: Evidence) -> list[str]:
    """Return the compared runs that did not learn their own tasks; see `learning.all_trained`."""
    cells: list[CellSpec] = [*spec.cells, *(cell.minus for cell in spec.cells if cell.minus)]
    return [run for run in dict.fromkeys(cell.run for cell in cells) if not all_trained(evidence.learned(run))]


def _together(scored: Sequence[Scored], spec: ClaimSpec) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the identifiers of all rows that any cell scores, and each cell's places among them."""
    split = scored[0].of_split
    if any(len(cell.of_split) != len(split) or (cell.of_split != split).any() for cell in scored):
        raise UserError(
            f"the claim {spec.statement!r} compares runs on different examples: give both sides the same `on`"
        )
    used = set().union(*(cell.seeds[0].id for cell in scored))
    rows = np.array([name for name in split if name in used])
    place: Mapping[str, int] = {name: number for number, name in enumerate(rows)}
    return rows, [np.array([place[name] for name in cell.seeds[0].id], dtype=int) for cell in scored]
