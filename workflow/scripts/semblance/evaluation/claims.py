"""Claims that one model is better than another: effect, confidence interval, verdict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semblance.errors import UserError
from semblance.evaluation import intervals
from semblance.evaluation.cells import Scored
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import all_trained
from semblance.progress import bar
from semblance.registry import METRICS
from semblance.specs.cells import ClaimSpec

MOST = 10_000_000  # examples; a claim that needs more has no measurable effect
MOST_SEEDS = 1000
SUPPORTED, REFUTED, INCONCLUSIVE = "supported", "refuted", "inconclusive"
NOT_TRAINED = "inconclusive: not trained enough"  # takes precedence over the interval


@dataclass(frozen=True)
class Comparison:
    """Both sides of a claim, compared: `drawn` holds the difference by seed and resample, shape (seeds, resamples)."""

    statement: str
    source: str
    metric: str
    examples: int
    clusters: int
    single_seed: bool
    not_trained: Sequence[str]  # compared runs that did not learn
    drawn: np.ndarray
    by_seed: Sequence[float]

    def found(self, level: float = intervals.LEVEL) -> dict:
        """Return effect, interval and verdict over all seeds."""
        over_examples = intervals.percentiles(self.drawn.mean(0), self.clusters, level)
        found = _judged(float(np.mean(self.by_seed)), intervals.with_seeds(over_examples, self.by_seed, level=level))
        return found | ({"verdict": NOT_TRAINED} if self.not_trained else {})

    def of_each_seed(self) -> list[dict]:
        """Return effect, interval and verdict of each seed alone; empty if there is only one."""
        if len(self.by_seed) < 2:
            return []
        each = zip(self.by_seed, self.drawn, strict=True)
        found = [_judged(effect, intervals.percentiles(drawn, self.clusters)) for effect, drawn in each]
        return [{**one, "verdict": NOT_TRAINED} for one in found] if self.not_trained else found


def of_paper(claims: Mapping[str, ClaimSpec], evidence: Evidence) -> list[dict]:
    """Judge all claims of a paper, given by name, and name the claim that each is a part of."""
    named = bar(claims.items(), what="claims", unit="claim")
    judged = judge({name: compare(claim, evidence) for name, claim in named})
    return [{"claim": name, "part_of": claims[name].part_of, **found} for name, found in judged.items()]


def compare(spec: ClaimSpec, evidence: Evidence) -> Comparison:
    """Compare the mean metric of the cells in `better` with the mean, or the best, of those in `than`.

    Both sides are measured on the same resampled examples, seed by seed, so that their shared variance cancels out.

    Raises:
        UserError: if the cells are not scored on the same examples.
    """
    better, other = ([Scored(cell, evidence) for cell in side] for side in (spec.better, spec.than))
    _require_same_examples([*better, *other], spec)
    sign = 1 if METRICS[better[0].name].higher_is_better else -1

    def difference(seed: int, counts: np.ndarray) -> np.ndarray:
        left, right = ([sign * cell.of_resamples(seed, counts) for cell in side] for side in (better, other))
        rest = np.max(right, axis=0) if spec.than_the == "best" else np.mean(right, axis=0)
        return np.mean(left, axis=0) - rest

    seeds, once = max(cell.seed_count for cell in [*better, *other]), np.ones((1, better[0].count))
    return Comparison(
        statement=spec.statement,
        source=spec.source,
        metric=better[0].name,
        examples=better[0].count,
        clusters=better[0].cluster_count,
        single_seed=any(evidence.single_seed(cell.run) for cell in spec.cells),
        not_trained=_not_trained(spec, evidence),
        drawn=intervals.resampled(difference, seeds, better[0].clusters),
        by_seed=[float(difference(seed, once)[0]) for seed in range(seeds)],
    )


def _not_trained(spec: ClaimSpec, evidence: Evidence) -> list[str]:
    """Return the compared runs that did not learn their own tasks; see `learning.all_trained`."""
    cells = [*spec.cells, *(cell.minus for cell in spec.cells if cell.minus)]
    return [run for run in dict.fromkeys(cell.run for cell in cells) if not all_trained(evidence.learned(run))]


def judge(compared: Mapping[str, Comparison]) -> dict[str, dict]:
    """Judge a paper's claims; the results are by name.

    A claim is supported if the 95% interval of the difference lies above 0, refuted if it lies below, and inconclusive
    otherwise. It is always inconclusive if a compared run is not better than the majority baseline. Such claims do not
    count among those for which the false discovery rate is controlled. `passes_fdr` is None for an inconclusive claim.
    `each_seed` contains the verdicts of each seed alone.
    """
    trained = [name for name, one in compared.items() if not one.not_trained]
    stands = dict(zip(trained, decided_at_fdr([compared[name] for name in trained]), strict=True))
    return {name: _of_one(one, stands.get(name, False)) for name, one in compared.items()}


def _of_one(compared: Comparison, stands: bool) -> dict:
    found = compared.found()
    return {
        "statement": compared.statement,
        "source": compared.source,
        "metric": compared.metric,
        **found,
        "passes_fdr": None if found["verdict"] in (INCONCLUSIVE, NOT_TRAINED) else stands,
        "examples": compared.examples,
        "clusters": compared.clusters,
        "seeds": len(compared.by_seed),
        "each_seed": compared.of_each_seed(),
        "single_seed": compared.single_seed,
        "not_trained": list(compared.not_trained),
        **_needed(found, compared.by_seed, compared.examples),
    }


def decided_at_fdr(compared: Sequence[Comparison]) -> list[bool]:
    """Return which claims are decided at a false discovery rate of 5%.

    Benjamini and Hochberg (1995) with intervals instead of p-values: the largest k such that k of the m claims are
    decided by intervals of level 1 - 0.05 k / m.
    """
    for k in range(len(compared), 0, -1):
        level = 1 - (1 - intervals.LEVEL) * k / len(compared)
        decided = [one.found(level)["verdict"] != INCONCLUSIVE for one in compared]
        if sum(decided) >= k:
            return decided
    return [False] * len(compared)


def _judged(effect: float, interval: tuple[float, float]) -> dict:
    if not math.isfinite(effect):  # e.g. the F1 of a threshold that accepts nothing
        return {"effect": None, "low": None, "high": None, "verdict": INCONCLUSIVE}
    low, high = interval
    if not math.isfinite(high - low):  # all examples are one cluster
        return {"effect": effect, "low": None, "high": None, "verdict": INCONCLUSIVE}
    verdict = SUPPORTED if low > 0 else REFUTED if high < 0 else INCONCLUSIVE
    return {"effect": effect, "low": low, "high": high, "verdict": verdict}


def _needed(found: Mapping, by_seed: Sequence[float], examples: int) -> dict:
    """Estimate how many more seeds or examples would decide an inconclusive claim."""
    if found["low"] is None or found["verdict"] != INCONCLUSIVE:
        return {"limited_by_seeds": False, "seeds_needed": None, "examples_needed": None}
    effect, low, high = (found[key] for key in ("effect", "low", "high"))
    of_seeds = intervals.half_width_over_seeds(by_seed)
    limited_by_seeds = of_seeds > 0 and of_seeds >= abs(effect)
    return {
        "limited_by_seeds": limited_by_seeds,
        "seeds_needed": seeds_needed(by_seed, low, high) if limited_by_seeds else None,
        "examples_needed": examples_needed(effect, low, high, examples, of_seeds),
    }


def examples_needed(effect: float, low: float, high: float, examples: int, of_seeds: float = 0.0) -> int | None:
    """Estimate how many examples would exclude 0 from the interval if the measured effect were the true one.

    The examples' part of an interval narrows with the square root of their number; the seeds' part, of half width
    `of_seeds`, does not.

    Returns:
        The number, rounded up to two digits; None if no number would suffice.
    """
    if abs(effect) <= of_seeds:
        return None
    of_examples = _reach(effect, low, high) ** 2 - of_seeds**2
    needed = examples * of_examples / (effect**2 - of_seeds**2)
    if not examples < needed < MOST:
        return None
    unit = 10 ** max(0, math.floor(math.log10(needed)) - 1)
    return math.ceil(needed / unit - 1e-6) * unit


def seeds_needed(by_seed: Sequence[float], low: float, high: float) -> int | None:
    """Estimate how many seeds with this variance would exclude 0 from the interval if the effect were real.

    Returns:
        The number; None if no number would suffice because the examples' part of the interval is too wide.
    """
    effect = float(np.mean(by_seed))
    of_examples = _reach(effect, low, high) ** 2 - intervals.half_width_over_seeds(by_seed) ** 2
    of_seeds = ((n, intervals.half_width_over_seeds(by_seed, n) ** 2) for n in range(2, MOST_SEEDS + 1))
    return next((n for n, squared in of_seeds if of_examples + squared < effect**2), None)


def _reach(effect: float, low: float, high: float) -> float:
    """Return how far an interval extends from the effect towards 0, at least half its width."""
    return max(effect - low if effect > 0 else high - effect, (high - low) / 2)


def _require_same_examples(cells: Sequence[Scored], spec: ClaimSpec) -> None:
    ids = cells[0].seeds[0].id
    for cell in cells:
        if any(len(one) != len(ids) or (one.id != ids).any() for one in cell.seeds):
            claim = spec.statement
            raise UserError(f"the claim {claim!r} compares runs on different examples: give both sides the same `on`")
