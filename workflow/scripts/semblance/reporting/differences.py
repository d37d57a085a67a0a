"""Differences between two results as Markdown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from semblance.evaluation.differences import Differences
from semblance.findings import JudgedClaim
from semblance.reporting import frames
from semblance.reporting.claims import effect

SHOWN = 20  # places that only one of them has


def markdown(found: Differences, names: tuple[str, str]) -> str:
    """Return the page that ``snakemake compare`` prints.

    Args:
        found: the differences.
        names: what the two results are called.
    """
    parts = [
        f"# First: {names[0]}; second: {names[1]}",
        "Made with other settings:" if found.settings else "Made with the same settings, versions, rows and encoders.",
        *_table("setting", ((name, pair) for name, pair in found.settings.items()), str),
        f"{found.unequal} of {found.compared} numbers are not equal; {len(found.numbers)} differ so much that their "
        "95% intervals do not overlap, or have none.",
        *_table("number", ((" · ".join(place), pair) for place, pair in found.numbers.items()), _number),
        f"Claims with another verdict: {len(found.verdicts)}.",
        *_table("claim", ((" · ".join(name), pair) for name, pair in found.verdicts.items()), _verdict),
        *_only(found.only_in_first, names[0]),
        *_only(found.only_in_second, names[1]),
    ]
    return "\n\n".join(parts) + "\n"


def _table(what: str, pairs: Iterable[tuple[str, tuple]], shown: Callable[[Any], str]) -> list[str]:
    """Return a table of pairs by name as a list of one text; an empty list if there is none."""
    rows = [{what: name, "first": shown(first), "second": shown(second)} for name, (first, second) in pairs]
    return [frames.markdown(pd.DataFrame(rows))] if rows else []


def _number(number: Mapping) -> str:
    digits = number["digits"]
    if number["value"] is None:
        return "undefined"
    text = f"{number['value']:.{digits}f}"
    return text if number["low"] is None else f"{text} [{number['low']:.{digits}f}, {number['high']:.{digits}f}]"


def _verdict(claim: JudgedClaim) -> str:
    return f"{claim.verdict}, {effect(claim)}"


def _only(places: Sequence[tuple[str, ...]], name: str) -> list[str]:
    if not places:
        return []
    shown = ", ".join(" · ".join(place) for place in places[:SHOWN])
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return [f"Only in {name}: {shown}{more}."]
