"""Verdicts on a paper's claims, among all of them, and what would decide those that are open."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from semblance.evaluation import intervals
from semblance.evaluation.comparisons import Comparison, compare
from semblance.evaluation.evidence import Evidence
from semblance.findings import JudgedClaim, Outcome
from semblance.progress import bar
from semblance.registry import METRICS
from semblance.specs.cells import ClaimSpec
from semblance.vocabulary import DECIDED, Verdict

MOST = 10_000_000  # examples; a claim that needs more has no measurable effect
MOST_SEEDS = 1000


def of_paper(
    paper: str, claims: Mapping[str, ClaimSpec], evidence: Evidence, of_stand_ins: Collection[str] = ()
) -> tuple[JudgedClaim, ...]:
    """Judge all claims of a paper.

    Args:
        paper: name of the paper.
        claims: the claims by name.
        evidence: the recorded results.
        of_stand_ins: those of which a side is nothing but untrained stand-ins.
    """
    named = bar(claims.items(), what="claims", unit="claim")
    compared = {name: replace(compare(claim, evidence), stands_in=name in of_stand_ins) for name, claim in named}
    return judge(paper, compared)


def judge(paper: str, compared: Mapping[str, Comparison]) -> tuple[JudgedClaim, ...]:
    """Judge a paper's claims, which are compared by name.

    By itself, a claim is supported if the 95% interval of the effect lies above 0, refuted if it lies below, and
    inconclusive otherwise. So is its verdict if that remains at a false discovery rate of 5%; if not, it is
    inconclusive. So are claims that cannot be judged, for example because a compared run did not learn. Neither these
    nor claims about exact counts are among those for which the rate is controlled. It is controlled for claims about
    times or memory apart from the others.
    """
    passes: dict[str, bool] = {}
    for timed in (False, True):
        among = {name: one for name, one in compared.items() if METRICS[one.metric].is_timed == timed}
        asked = [name for name, one in among.items() if not (one.cannot_be_judged or one.is_exact)]
        passes |= dict(zip(asked, decided_at_fdr([compared[name] for name in asked]), strict=True))
    return tuple(_of_one(paper, name, one, passes.get(name, one.is_exact)) for name, one in compared.items())


def _of_one(paper: str, name: str, compared: Comparison, remains: bool) -> JudgedClaim:
    claim, outcome = compared.claim, compared.outcome()
    sides = compared.narrowed or claim
    return JudgedClaim(
        paper=paper,
        claim=name,
        part_of=claim.part_of,
        statement=claim.statement,
        source=claim.source,
        contradicted=claim.contradicted,
        better=tuple(sides.runs("better")),
        than=tuple(sides.runs("than")),
        metric=compared.metric,
        unit=compared.unit,
        within=claim.within,
        spread=claim.spread,
        effect=outcome.effect,
        low=outcome.low,
        high=outcome.high,
        verdict=outcome.verdict if remains or outcome.verdict not in DECIDED else Verdict.INCONCLUSIVE,
        by_itself=outcome.verdict,
        examples=compared.examples,
        clusters=compared.clusters,
        seeds=len(compared.by_seed),
        each_seed=tuple(compared.of_each_seed()),
        single_seed=compared.single_seed,
        selected_on_scored_rows=compared.selected_on_scored_rows,
        threshold_tuned_on_scored_rows=compared.threshold_tuned_on_scored_rows,
        not_trained=tuple(compared.not_trained),
        exact=compared.is_exact,
        **asdict(_needed(compared, outcome)),
        definition=claim.definition,
        chosen_on=claim.choose_on,
    )


def decided_at_fdr(compared: Sequence[Comparison]) -> list[bool]:
    """Return which claims are decided at a false discovery rate of 5%.

    Benjamini and Hochberg (1995) with intervals instead of p-values: the largest k such that k of the m claims are
    decided by intervals of level 1 - 0.05 k / m. A claim that is open at 95% is not among them: where an interval
    becomes Student's t at a higher level, it can exclude a 0 that the percentiles include.
    """
    at_95 = [one.outcome().verdict != Verdict.INCONCLUSIVE for one in compared]
    for k in range(len(compared), 0, -1):
        level = 1 - (1 - intervals.LEVEL) * k / len(compared)
        both = zip(compared, at_95, strict=True)
        decided = [known and one.outcome(level).verdict != Verdict.INCONCLUSIVE for one, known in both]
        if sum(decided) >= k:
            return decided
    return [False] * len(compared)


@dataclass(frozen=True)
class Needed:
    """What would decide an inconclusive claim; see the attributes of `JudgedClaim`."""

    limited_by_seeds: bool = False
    seeds_needed: int | None = None
    examples_needed: int | None = None


def _needed(compared: Comparison, outcome: Outcome) -> Needed:
    """Estimate what would decide an inconclusive claim: each of its single comparisons."""
    if outcome.verdict != Verdict.INCONCLUSIVE or not compared.examples:
        return Needed()
    outcomes = [(one, one.outcome()) for one in compared.singly()]
    each = [_needed_singly(*one) for one in outcomes if one[1].verdict == Verdict.INCONCLUSIVE]
    return Needed(
        any(one.limited_by_seeds for one in each),
        _most([one.seeds_needed for one in each]),
        _most([one.examples_needed for one in each]),
    )


def _most(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return max(known) if known and len(known) == len(counts) else None


def _needed_singly(compared: Comparison, outcome: Outcome) -> Needed:
    effect, low, high = outcome.effect, outcome.low, outcome.high
    if effect is None or low is None or high is None:
        return Needed()
    within = compared.claim.within or 0.0
    # An interval must end before 0, or outside the margin of equivalence; if the effect is within, before both margins.
    distance = abs(within - abs(effect))
    reach = max(effect - low, high - effect) if abs(effect) < within else _reach(effect, low, high)
    of_seeds = intervals.half_width_over_seeds(compared.by_seed)
    limited_by_seeds = of_seeds > 0 and of_seeds >= distance
    return Needed(
        limited_by_seeds,
        seeds_needed(compared.by_seed, distance, reach) if limited_by_seeds else None,
        examples_needed(distance, reach, compared.examples, of_seeds),
    )


def examples_needed(distance: float, reach: float, examples: int, of_seeds: float = 0.0) -> int | None:
    """Estimate how many examples would decide a claim if the measured effect were the true one.

    The examples' part of an interval narrows with the square root of their number; the seeds' part, of half width
    `of_seeds`, does not.

    Args:
        distance: how far an interval may extend from the effect.
        reach: how far it extends.
        examples: number of examples.
        of_seeds: half width of the seeds' part.

    Returns:
        The number, rounded up to two digits; None if no number would suffice.
    """
    if distance <= of_seeds:
        return None
    needed = examples * (reach**2 - of_seeds**2) / (distance**2 - of_seeds**2)
    if not examples < needed < MOST:
        return None
    unit = 10 ** max(0, math.floor(math.log10(needed)) - 1)
    return math.ceil(needed / unit - 1e-6) * unit


def seeds_needed(by_seed: Sequence[float], distance: float, reach: float) -> int | None:
    """Estimate how many seeds with this variance would decide a claim if the measured effect were the true one.

    Args:
        by_seed: effect of each seed.
        distance: how far an interval may extend from the effect.
        reach: how far it extends.

    Returns:
        The number; None if no number would suffice because the examples' part of the interval is too wide.
    """
    if not distance:
        return None
    of_examples = reach**2 - intervals.half_width_over_seeds(by_seed) ** 2
    of_seeds = ((n, intervals.half_width_over_seeds(by_seed, n) ** 2) for n in range(2, MOST_SEEDS + 1))
    return next((n for n, squared in of_seeds if of_examples + squared < distance**2), None)


def _reach(effect: float, low: float, high: float) -> float:
    """Return how far an interval extends from the effect towards 0, at least half its width."""
    return max(effect - low if effect > 0 else high - effect, (high - low) / 2)
