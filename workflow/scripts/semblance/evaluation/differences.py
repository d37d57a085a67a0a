"""Differences between two results.json, of two presets, commits or machines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Differences:
    """What differs between two results.

    Attributes:
        numbers: places (paper, table, row, column) with the two numbers, whose intervals do not overlap. Times and
            memory depend on the machine and are left out.
        verdicts: pairs of claims with different verdicts, by paper and claim.
        only_in_first: numbers and claims that only the first results have.
        only_in_second: those that only the second results have.
        compared: count of numbers that both have.
    """

    numbers: dict[tuple[str, ...], tuple[Mapping, Mapping]]
    verdicts: dict[tuple[str, ...], tuple[Mapping, Mapping]]
    only_in_first: list[tuple[str, ...]]
    only_in_second: list[tuple[str, ...]]
    compared: int


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> Differences:
    """Compare the contents of two results.json, see config/schema/results.yaml."""
    numbers, claims = (_both(found(first), found(second)) for found in (_numbers, _claims))
    ours, theirs = ({*_numbers(one), *_claims(one)} for one in (first, second))
    return Differences(
        numbers={place: pair for place, pair in numbers.items() if _apart(*pair)},
        verdicts={name: pair for name, pair in claims.items() if pair[0]["verdict"] != pair[1]["verdict"]},
        only_in_first=sorted(ours - theirs),
        only_in_second=sorted(theirs - ours),
        compared=len(numbers),
    )


def _numbers(results: Mapping) -> dict[tuple[str, ...], Mapping]:
    return {
        (table["paper"], table["name"], number["row"], number["column"]): number
        for table in results["tables"]
        for number in table["numbers"]
        if not number["timed"]
    }


def _claims(results: Mapping) -> dict[tuple[str, ...], Mapping]:
    return {(claim["paper"], claim["claim"]): claim for claim in results["claims"]}


def _both(one: Mapping, other: Mapping) -> dict[tuple[str, ...], tuple[Mapping, Mapping]]:
    return {key: (one[key], other[key]) for key in one if key in other}


def _apart(one: Mapping, other: Mapping) -> bool:
    """Return whether two numbers differ by more than their intervals, or at all if there is none."""
    ends = list(_interval(one)), list(_interval(other))
    if not all(ends):
        return bool(ends[0]) != bool(ends[1])
    return min(ends[0]) > max(ends[1]) or max(ends[0]) < min(ends[1])


def _interval(number: Mapping) -> Iterator[float]:
    """Yield the ends of a number's interval, rounded as it is shown; the number itself, if it has none."""
    for key in ("low", "value", "high"):
        if number[key] is not None:
            yield round(number[key], number["digits"])
