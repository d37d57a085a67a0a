"""What pages show of claims, published numbers and runs besides their own numbers: counts, factors and core-hours."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from semblance.evaluation.learning import has_collapsed
from semblance.findings import (
    DIFFERS,
    DIRECTION,
    NEAR,
    NOT_COMPARABLE,
    REPRODUCED,
    JudgedClaim,
    Judgement,
    MeasuredTable,
)
from semblance.registry import METRICS
from semblance.specs.facts import RunFacts

NUMBERS = (REPRODUCED, NEAR, DIRECTION, DIFFERS, NOT_COMPARABLE)  # verdicts on published numbers that were measured


def of_claims(claims: Sequence[JudgedClaim]) -> Counter:
    """Return the numbers of claims by `JudgedClaim.kind`, all as `claims`, and those that pass the FDR as `fdr`."""
    return Counter(claim.kind for claim in claims) + Counter(
        claims=len(claims), fdr=sum(bool(claim.passes_fdr) for claim in claims)
    )


def of_numbers(tables: Iterable[MeasuredTable]) -> Counter:
    """Return the numbers of published numbers by verdict, all that were measured, and those whose score is reproduced.

    Returns:
        By verdict, as `numbers`, and as `reproduced scores`.
    """
    compared = [cell for table in tables for cell in table.cells if cell.verdict]
    counted = Counter((cell.verdict or "").partition(":")[0] for cell in compared)
    counted["numbers"] = sum(counted[verdict] for verdict in NUMBERS)
    counted["reproduced scores"] = sum(one.verdict == REPRODUCED and one.score_of_one is not None for one in compared)
    return counted


def of_runs(judged: Sequence[Judgement]) -> Counter:
    """Return the numbers of trained runs by what they learned, `collapsed` ones, and all as `runs`.

    Args:
        judged: judgements of `evaluation.learning`; each seed of a run counts once.
    """
    collapsed = sum(has_collapsed(run.top_share) for run in judged)
    return Counter(run.learned for run in judged) + Counter(runs=len(judged), collapsed=collapsed)


def core_hours(facts: Iterable[RunFacts]) -> float:
    """Return the core-hours of trainings, to two digits.

    Args:
        facts: the facts of runs. The time of networks that were trained together is that of all of them.
    """
    seconds = sum(one["threads"] * one["seconds"] / one.get("trained_together", 1) for one in facts)
    return round(seconds / 3600, 2)


def factor(claim: JudgedClaim, effect: float) -> float:
    """Return an effect on times, memory or counts as a factor, which is above 1 where the claim holds.

    Half of the other side's time, or twice its speed, is a factor of 2. For a claim of equivalence, which holds near 1,
    it is the first side's value over the other's.

    Args:
        claim: the claim.
        effect: its effect or an end of its interval: the difference as a share of the other side's value, above 0 where
            the claim holds.
    """
    faster = METRICS[claim.metric].higher_is_better
    ratio = max(1 + effect if faster else 1 - effect, 0.0)
    if faster or claim.within:
        return ratio
    return 1 / ratio if ratio else math.inf
