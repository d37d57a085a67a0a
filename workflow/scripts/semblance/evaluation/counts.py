"""Counts of claims, published numbers and runs by their verdicts, and core-hours."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from semblance.evaluation.learning import has_collapsed
from semblance.findings import JudgedClaim, Judgement, MeasuredTable
from semblance.specs.facts import RunFacts
from semblance.vocabulary import DECIDED, UNJUDGED, Printed, Verdict

# Verdicts on published numbers that were compared.
NUMBERS = tuple(verdict for verdict in Printed if verdict not in (Printed.NOT_RUN, Printed.UNDEFINED))


def of_claims(claims: Sequence[JudgedClaim]) -> Counter:
    """Return the numbers of claims by `JudgedClaim.kind`, and all as `claims`.

    Claims about times or memory, which depend on the machine and its load, are counted apart, as `timed`.
    """
    counted = untimed(claims)
    return Counter(claim.kind for claim in counted) + Counter(claims=len(counted), timed=len(claims) - len(counted))


def untimed(claims: Iterable[JudgedClaim]) -> list[JudgedClaim]:
    """Return the claims that are not about times or memory."""
    return [claim for claim in claims if not claim.is_timed]


def by_verdict(claims: Sequence[JudgedClaim]) -> dict[Verdict, int]:
    """Return the numbers of supported, refuted and all other claims, without those about times or memory."""
    counted = untimed(claims)
    found = Counter(claim.verdict for claim in counted if claim.is_decided)
    return {verdict: found[verdict] for verdict in DECIDED} | {Verdict.INCONCLUSIVE: len(counted) - found.total()}


@dataclass(frozen=True)
class Discoveries:
    """Counts of claims among which the false discovery rate is controlled.

    Attributes:
        among: all of them.
        by_themselves: those that their intervals alone decide.
        decided: those of these that remain decided.
    """

    among: int
    by_themselves: int
    decided: int


def discoveries(claims: Sequence[JudgedClaim]) -> Discoveries:
    """Count claims for the false discovery rate, without exact counts, times, and claims that cannot be judged."""
    among = [claim for claim in untimed(claims) if claim.kind != UNJUDGED and not claim.exact]
    return Discoveries(
        len(among), sum(claim.by_itself in DECIDED for claim in among), sum(claim.is_decided for claim in among)
    )


def changing(claims: Iterable[JudgedClaim]) -> int:
    """Return how many claims have different verdicts for single seeds."""
    return sum(len({one.verdict for one in claim.each_seed}) > 1 for claim in claims)


def of_numbers(tables: Iterable[MeasuredTable]) -> Counter:
    """Return the numbers of published numbers by verdict, all that were measured, and those whose score is reproduced.

    Returns:
        By verdict, as `numbers`, and as `reproduced scores`.
    """
    compared = [cell for table in tables for cell in table.cells if cell.verdict]
    counted = Counter((cell.verdict or "").partition(":")[0] for cell in compared)
    counted["numbers"] = sum(counted[verdict] for verdict in NUMBERS)
    reproduced = (one for one in compared if one.verdict == Printed.REPRODUCED)
    counted["reproduced scores"] = sum(one.score_of_one is not None for one in reproduced)
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


def decided_per_core_hour(claims: Sequence[JudgedClaim], hours: float, devices: Iterable[str]) -> float | None:
    """Return how many claims a core-hour of training decided.

    Args:
        claims: all claims of a preset.
        hours: core-hours of its trainings.
        devices: devices on which they were trained.

    Returns:
        The number, to one digit; None if a GPU shared the work, or nothing was trained.
    """
    if set(devices) != {"cpu"} or not hours:
        return None
    found = by_verdict(claims)
    return round(sum(found[verdict] for verdict in DECIDED) / hours, 1)
