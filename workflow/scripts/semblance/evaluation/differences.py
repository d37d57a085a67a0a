"""Differences between two results.json, of two presets, commits or machines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from semblance.findings import JudgedClaim
from semblance.results import Results, ShownNumber

Value = TypeVar("Value")
Pairs = Mapping[str, tuple[Value, Value]]


@dataclass(frozen=True)
class Differences:
    """What differs between two results.

    Attributes:
        settings: other settings, versions, rows and encoders, by name; None where one has none.
        compared: number of numbers that both have. Times and memory depend on the machine and are left out.
        different: number of those whose rounded values differ.
        disjoint: numbers of results.json whose intervals do not overlap, by paper, table, row and column.
        verdicts: claims with another verdict, by paper and name, without those about times or memory.
        redefined: claims that compare something else, and are not in `verdicts`.
        missing: numbers and claims that the second lacks, and those that the first lacks.
    """

    settings: Pairs[object]
    compared: int
    different: int
    disjoint: Pairs[ShownNumber]
    verdicts: Pairs[JudgedClaim]
    redefined: list[str]
    missing: tuple[list[str], list[str]]


def between(first: Results, second: Results) -> Differences:
    """Compare two results."""
    made, others = _settings(first), _settings(second)
    settings = {name: (made.get(name), others.get(name)) for name in {**made, **others}}
    numbers, claims = (_numbers(first), _numbers(second)), (_claims(first), _claims(second))
    compared, judged = _both(*numbers), {name: one for name, one in _both(*claims).items() if not one[0].is_timed}
    redefined = [name for name, (one, other) in judged.items() if one.definition != other.definition]
    has = [{*numbers[one], *claims[one]} for one in (0, 1)]
    return Differences(
        settings={name: pair for name, pair in settings.items() if pair[0] != pair[1]},
        compared=len(compared),
        different=sum(_shown(one) != _shown(other) for one, other in compared.values()),
        disjoint={place: pair for place, pair in compared.items() if _are_disjoint(*pair)},
        verdicts={n: pair for n, pair in judged.items() if pair[0].verdict != pair[1].verdict and n not in redefined},
        redefined=redefined,
        missing=(sorted(has[0] - has[1]), sorted(has[1] - has[0])),
    )


def _settings(results: Results) -> dict[str, object]:
    """Return what decides numbers, by name: preset, commit, settings, machine, versions, datasets and encoders."""
    trained = {name: getattr(results.training, name) for name in ("device", "processor", "precision")}
    named = {"preset": results.preset, "commit": results.commit, **results.settings.plain(), **(results.versions or {})}
    named |= {name: " and ".join(found) for name, found in trained.items() if found}
    datasets = {f"rows of {name}": dataset.rows for name, dataset in results.datasets.items()}
    encoders = {
        f"encoder {name}": " ".join(filter(None, (encoder.title, encoder.weights_sha256)))
        for name, encoder in results.encoders.items()
    }
    return named | datasets | encoders


def _numbers(results: Results) -> dict[str, ShownNumber]:
    """Return the numbers of all tables by paper, table, row and column."""
    return {
        " · ".join((table.paper, table.name, number.row, number.column)): number
        for table in results.tables
        for number in table.numbers
        if not number.timed
    }


def _claims(results: Results) -> dict[str, JudgedClaim]:
    """Return the claims by paper and name."""
    return {f"{claim.paper} · {claim.claim}": claim for claim in results.claims}


def _both(one: Mapping[str, Value], other: Mapping[str, Value]) -> dict[str, tuple[Value, Value]]:
    return {name: (one[name], other[name]) for name in one if name in other}


def _shown(number: ShownNumber) -> float | None:
    return None if number.value is None else round(number.value, number.digits)


def _are_disjoint(one: ShownNumber, other: ShownNumber) -> bool:
    """Return whether two numbers differ by more than their intervals, or at all if there is none."""
    ends = list(_interval(one)), list(_interval(other))
    if not all(ends):
        return bool(ends[0]) != bool(ends[1])
    return min(ends[0]) > max(ends[1]) or max(ends[0]) < min(ends[1])


def _interval(number: ShownNumber) -> Iterator[float]:
    """Yield the ends of a number's interval, rounded as it is shown; the number itself, if it has none."""
    for end in (number.low, number.value, number.high):
        if end is not None:
            yield round(end, number.digits)
