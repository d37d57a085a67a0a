"""Differences between two results.json, of two presets, commits or machines, as Markdown."""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeVar

import pandas as pd

from semblance.findings import JudgedClaim
from semblance.reporting import frames
from semblance.reporting.claims import effect
from semblance.results import claims_of

Value = TypeVar("Value")
SHOWN = 20  # places that only one of them has


def markdown(first: Mapping, second: Mapping, names: tuple[str, str]) -> str:
    """Return the page that ``snakemake compare`` prints: other settings, numbers and verdicts.

    Two numbers differ if their intervals do not overlap. Times and memory depend on the machine and are left out.

    Args:
        first: contents of a results.json, see config/schema/results.yaml.
        second: those of another.
        names: what the two results are called.
    """
    results = (first, second)
    made, numbers, claims = list(map(_settings, results)), list(map(_numbers, results)), list(map(_claims, results))
    settings = {name: (made[0].get(name), made[1].get(name)) for name in {**made[0], **made[1]}}
    settings = {name: pair for name, pair in settings.items() if pair[0] != pair[1]}
    compared, judged = _both(*numbers), _both(*claims)
    unequal = sum(_shown(one) != _shown(other) for one, other in compared.values())
    apart = {place: pair for place, pair in compared.items() if _are_apart(*pair)}
    turned = {name: pair for name, pair in judged.items() if pair[0].verdict != pair[1].verdict}
    has = [{*numbers[one], *claims[one]} for one in (0, 1)]
    parts = [
        f"# First: {names[0]}; second: {names[1]}",
        "Made with other settings:" if settings else "Made with the same settings, versions, rows and encoders.",
        *_table("setting", settings, str),
        f"{unequal} of {len(compared)} numbers are not equal; {len(apart)} differ so much that their 95% intervals do "
        "not overlap, or have none.",
        *_table("number", apart, _number),
        f"Claims with another verdict: {len(turned)}.",
        *_table("claim", turned, lambda claim: f"{claim.verdict}, {effect(claim)}"),
        *_only(has[0] - has[1], names[0]),
        *_only(has[1] - has[0], names[1]),
    ]
    return "\n\n".join(parts) + "\n"


def _settings(results: Mapping) -> dict[str, object]:
    """Return what decides numbers, by name: preset, commit, settings, versions, rows of datasets, and encoders."""
    named = {key: results[key] for key in ("preset", "commit")} | results["settings"] | (results["versions"] or {})
    datasets = {f"rows of {name}": dataset["rows"] for name, dataset in results["datasets"].items()}
    encoders = {
        f"encoder {name}": " ".join(filter(None, (encoder["title"], encoder.get("weights_sha256"))))
        for name, encoder in results["encoders"].items()
    }
    return named | datasets | encoders


def _numbers(results: Mapping) -> dict[str, Mapping]:
    """Return the numbers of all tables by paper, table, row and column."""
    return {
        " · ".join((table["paper"], table["name"], number["row"], number["column"])): number
        for table in results["tables"]
        for number in table["numbers"]
        if not number["timed"]
    }


def _claims(results: Mapping) -> dict[str, JudgedClaim]:
    """Return the claims by paper and name."""
    return {f"{claim.paper} · {claim.claim}": claim for claim in claims_of(results)}


def _both(one: Mapping[str, Value], other: Mapping[str, Value]) -> dict[str, tuple[Value, Value]]:
    return {name: (one[name], other[name]) for name in one if name in other}


def _shown(number: Mapping) -> float | None:
    return None if number["value"] is None else round(number["value"], number["digits"])


def _are_apart(one: Mapping, other: Mapping) -> bool:
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


def _table(what: str, pairs: Mapping[str, tuple], shown: Callable[[Any], str]) -> list[str]:
    """Return a table of pairs by name as a list of one text; an empty list if there is none."""
    rows = [{what: name, "first": shown(first), "second": shown(second)} for name, (first, second) in pairs.items()]
    return [frames.markdown(pd.DataFrame(rows))] if rows else []


def _number(number: Mapping) -> str:
    digits = number["digits"]
    if number["value"] is None:
        return "undefined"
    text = f"{number['value']:.{digits}f}"
    return text if number["low"] is None else f"{text} [{number['low']:.{digits}f}, {number['high']:.{digits}f}]"


def _only(places: Collection[str], name: str) -> list[str]:
    if not places:
        return []
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return [f"Only in {name}: {', '.join(sorted(places)[:SHOWN])}{more}."]
