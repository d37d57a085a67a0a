"""What a paper says is better than what, held against the examples: effect, interval, verdict."""

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
from semblance.evaluation.names import LOWER_IS_BETTER
from semblance.evaluation.specs import cells_of_claim, subtracted

MOST = 10_000_000  # examples; more than that is to say that the effect is 0
MOST_SEEDS = 1000
HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "cannot tell at this size"
NOT_TRAINED = "inconclusive: not trained enough"  # whatever the interval says


@dataclass(frozen=True)
class Comparison:
    """What was found of the two sides of a claim: their difference by seed, `drawn`, (seeds, resamples), and whole."""

    says: str
    source: str
    metric: str
    examples: int
    clusters: int
    of_one_seed: bool
    unlearned: Sequence[str]  # runs that are compared and are no better than the majority
    drawn: np.ndarray
    by_seed: Sequence[float]

    def found(self, level: float = intervals.LEVEL) -> dict:
        """Effect, interval and verdict over all seeds."""
        over_examples = intervals.percentiles(self.drawn.mean(0), self.clusters, level)
        found = _judged(float(np.mean(self.by_seed)), intervals.with_seeds(over_examples, self.by_seed, level=level))
        return found | ({"verdict": NOT_TRAINED} if self.unlearned else {})

    def of_each_seed(self) -> list[dict]:
        """The same by each seed alone, where there are several."""
        if len(self.by_seed) < 2:
            return []
        each = zip(self.by_seed, self.drawn, strict=True)
        found = [_judged(effect, intervals.percentiles(drawn, self.clusters)) for effect, drawn in each]
        return [{**one, "verdict": NOT_TRAINED} for one in found] if self.unlearned else found


def compare(spec: Mapping, evidence: Evidence) -> Comparison:
    """Compare the mean metric of the cells said to be better with that of the others, or with the best of them.

    Both sides are measured on the same resampled examples, seed by seed, so that what they share cancels out. Raises
    UserError when the cells are not of the same examples.
    """
    better, other = ([Scored(cell, evidence) for cell in side] for side in cells_of_claim(spec))
    _require_same_examples([*better, *other], spec)
    sign = -1 if better[0].name in LOWER_IS_BETTER else 1

    def difference(seed: int, counts: np.ndarray) -> np.ndarray:
        left, right = ([sign * cell.of_resamples(seed, counts) for cell in side] for side in (better, other))
        rest = np.max(right, axis=0) if spec.get("than_the") == "best" else np.mean(right, axis=0)
        return np.mean(left, axis=0) - rest

    seeds, once = max(cell.seed_count for cell in [*better, *other]), np.ones((1, better[0].count))
    return Comparison(
        says=spec["says"],
        source=spec["source"],
        metric=better[0].name,
        examples=better[0].count,
        clusters=better[0].cluster_count,
        of_one_seed=any(evidence.of_one_seed(cell["run"]) for side in cells_of_claim(spec) for cell in side),
        unlearned=_unlearned(spec, evidence),
        drawn=intervals.resampled(difference, seeds, better[0].clusters),
        by_seed=[float(difference(seed, once)[0]) for seed in range(seeds)],
    )


def _unlearned(spec: Mapping, evidence: Evidence) -> list[str]:
    """The runs that a claim compares of which a seed is not better than the majority on its own task.

    That a run is no better than its start is no reason: it may be what the claim is about.
    """
    cells = [cell for side in cells_of_claim(spec) for cell in side]
    cells += [subtracted(cell) for cell in cells if "minus" in cell]
    return [run for run in dict.fromkeys(cell["run"] for cell in cells) if not all_trained(evidence.learned(run))]


def judge(compared: Mapping[str, Comparison]) -> dict[str, dict]:
    """What a paper's claims come to, by name.

    A claim holds when the 95% interval of the difference lies above 0, fails when it lies below, and is otherwise
    undecided; where a run that it compares is at chance, it is neither, and is not counted among the others.
    `stands_among_all` is whether what is decided is so among all of them (None where nothing is), and `each_seed` what
    it would have come to with that seed alone.
    """
    trained = [name for name, one in compared.items() if not one.unlearned]
    stands = dict(zip(trained, stand_among_all([compared[name] for name in trained]), strict=True))
    return {name: _of_one(one, stands.get(name, False)) for name, one in compared.items()}


def _of_one(compared: Comparison, stands: bool) -> dict:
    found = compared.found()
    return {
        "says": compared.says,
        "source": compared.source,
        "metric": compared.metric,
        **found,
        "stands_among_all": None if found["verdict"] in (UNDECIDED, NOT_TRAINED) else stands,
        "examples": compared.examples,
        "clusters": compared.clusters,
        "seeds": len(compared.by_seed),
        "each_seed": compared.of_each_seed(),
        "of_one_seed": compared.of_one_seed,
        "unlearned": list(compared.unlearned),
        **_to_settle(found, compared.by_seed, compared.examples),
    }


def stand_among_all(compared: Sequence[Comparison]) -> list[bool]:
    """Which claims are decided where so many are asked that chance would decide some: at a false discovery rate of 5%.

    Benjamini and Hochberg 1995, by intervals instead of p-values: of m claims the most, k, that as many of are decided
    by intervals of the level 1 - 0.05 k / m.
    """
    for k in range(len(compared), 0, -1):
        level = 1 - (1 - intervals.LEVEL) * k / len(compared)
        decided = [one.found(level)["verdict"] != UNDECIDED for one in compared]
        if sum(decided) >= k:
            return decided
    return [False] * len(compared)


def _judged(effect: float, interval: tuple[float, float]) -> dict:
    if not math.isfinite(effect):  # an F1 with nothing found, say
        return {"effect": None, "low": None, "high": None, "verdict": UNDECIDED}
    low, high = interval
    if not math.isfinite(high - low):  # all examples are one cluster
        return {"effect": effect, "low": None, "high": None, "verdict": UNDECIDED}
    verdict = HOLDS if low > 0 else FAILS if high < 0 else UNDECIDED
    return {"effect": effect, "low": low, "high": high, "verdict": verdict}


def _to_settle(found: Mapping, by_seed: Sequence[float], examples: int) -> dict:
    """What an undecided claim hangs on, and roughly how much more of that would do."""
    if found["low"] is None or found["verdict"] != UNDECIDED:
        return {"hangs_on_seeds": False, "seeds_to_settle": None, "examples_to_settle": None}
    effect, low, high = (found[key] for key in ("effect", "low", "high"))
    of_seeds = intervals.half_width_over_seeds(by_seed)
    hangs_on_seeds = of_seeds > 0 and of_seeds >= abs(effect)
    return {
        "hangs_on_seeds": hangs_on_seeds,
        "seeds_to_settle": seeds_to_settle(by_seed, low, high) if hangs_on_seeds else None,
        "examples_to_settle": examples_to_settle(effect, low, high, examples, of_seeds),
    }


def examples_to_settle(effect: float, low: float, high: float, examples: int, of_seeds: float = 0.0) -> int | None:
    """Roughly how many examples would bring the interval clear of 0, were the effect what it seems.

    What examples have made of an interval narrows with the square root of their number; `of_seeds`, half the width
    that is left with all examples there are, does not. Two digits, rounded up; None where no number would do.
    """
    if abs(effect) <= of_seeds:
        return None
    of_examples = _reach(effect, low, high) ** 2 - of_seeds**2
    needed = examples * of_examples / (effect**2 - of_seeds**2)
    if not examples < needed < MOST:
        return None
    unit = 10 ** max(0, math.floor(math.log10(needed)) - 1)
    return math.ceil(needed / unit - 1e-6) * unit


def seeds_to_settle(by_seed: Sequence[float], low: float, high: float) -> int | None:
    """Roughly how many seeds, differing as these do, would bring the interval clear of 0, were the effect real.

    None where no number would do: what examples make of the interval is too wide by itself.
    """
    effect = float(np.mean(by_seed))
    of_examples = _reach(effect, low, high) ** 2 - intervals.half_width_over_seeds(by_seed) ** 2
    of_seeds = ((n, intervals.half_width_over_seeds(by_seed, n) ** 2) for n in range(2, MOST_SEEDS + 1))
    return next((n for n, squared in of_seeds if of_examples + squared < effect**2), None)


def _reach(effect: float, low: float, high: float) -> float:
    """How far an interval reaches from the effect: to the side where 0 is, or half its width where that is more."""
    return max(effect - low if effect > 0 else high - effect, (high - low) / 2)


def _require_same_examples(cells: Sequence[Scored], spec: Mapping) -> None:
    ids = cells[0].seeds[0].id
    for cell in cells:
        if any(len(one) != len(ids) or (one.id != ids).any() for one in cell.seeds):
            raise UserError(f"the claim {spec['says']!r} compares runs on different examples: give both sides one `on`")
