"""Differences between two results.json, of two presets, commits or machines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from semblance.findings import JudgedClaim
from semblance.results import claims_of

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Differences:
    """What differs between two results.

    Attributes:
        settings: what the results were made with where they differ: names with both values.
        numbers: places (paper, table, row, column) with the two numbers, whose intervals do not overlap. Times and
            memory depend on the machine and are left out.
        verdicts: pairs of claims with different verdicts, by paper and claim.
        only_in_first: numbers and claims that only the first results have.
        only_in_second: those that only the second results have.
        compared: count of numbers that both have.
        unequal: count of those that are not equal as shown.
    """

    settings: dict[str, tuple[object, object]]
    numbers: dict[tuple[str, ...], tuple[Mapping, Mapping]]
    verdicts: dict[tuple[str, ...], tuple[JudgedClaim, JudgedClaim]]
    only_in_first: list[tuple[str, ...]]
    only_in_second: list[tuple[str, ...]]
    compared: int
    unequal: int


def differences(first: Mapping[str, Any], second: Mapping[str, Any]) -> Differences:
    """Compare the contents of two results.json, see config/schema/results.yaml."""
    numbers = _both(_numbers(first), _numbers(second))
    claims = _both(_claims(first), _claims(second))
    ours, theirs = ({*_numbers(one), *_claims(one)} for one in (first, second))
    made = _settings(first), _settings(second)
    settings = {name: (made[0].get(name), made[1].get(name)) for name in {**made[0], **made[1]}}
    return Differences(
        settings={name: pair for name, pair in settings.items() if pair[0] != pair[1]},
        numbers={place: pair for place, pair in numbers.items() if _apart(*pair)},
        verdicts={name: pair for name, pair in claims.items() if pair[0].verdict != pair[1].verdict},
        only_in_first=sorted(ours - theirs),
        only_in_second=sorted(theirs - ours),
        compared=len(numbers),
        unequal=sum(_shown(one) != _shown(other) for one, other in numbers.values()),
    )


def _settings(results: Mapping) -> dict[str, object]:
    """Return what decides numbers, by name: preset, commit, settings, versions, rows of datasets, and encoders."""
    named = {key: results[key] for key in ("preset", "commit")} | results["settings"] | (results["versions"] or {})
    datasets = {f"rows of {name}": dataset["rows"] for name, dataset in results["datasets"].items()}
    encoders = {
        f"encoder {name}": " ".join(filter(None, (encoder["title"], encoder.get("weights_sha256"))))
        for name, encoder in results["encoders"].items()
    }
    return named | datasets | encoders


def _shown(number: Mapping) -> float | None:
    return None if number["value"] is None else round(number["value"], number["digits"])


def _numbers(results: Mapping) -> dict[tuple[str, ...], Mapping]:
    return {
        (table["paper"], table["name"], number["row"], number["column"]): number
        for table in results["tables"]
        for number in table["numbers"]
        if not number["timed"]
    }


def _claims(results: Mapping) -> dict[tuple[str, ...], JudgedClaim]:
    return {(claim.paper, claim.claim): claim for claim in claims_of(results)}


def _both(one: Mapping[Key, Value], other: Mapping[Key, Value]) -> dict[Key, tuple[Value, Value]]:
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
