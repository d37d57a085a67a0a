"""Differences between two results.json, as Markdown."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from semblance.evaluation.differences import Differences
from semblance.reporting import frames
from semblance.reporting.claims import effect
from semblance.results import ShownNumber

SHOWN = 20  # places that only one of them has; of more, their tables are shown


def markdown(found: Differences, names: tuple[str, str]) -> str:
    """Return the page that ``snakemake compare`` prints: other settings, numbers and verdicts.

    Args:
        found: what differs.
        names: what the two results are called.
    """
    parts = [
        f"# First: {names[0]}; second: {names[1]}",
        "Made with other settings:" if found.settings else "Made with the same settings, machine, rows and encoders.",
        *_table("setting", found.settings, _setting),
        f"{found.different} of {found.compared} numbers are not equal; {len(found.disjoint)} differ so much that their "
        "95% intervals do not overlap, or have none."
        if found.compared
        else "They share no number, or only times and memory, which are left out.",
        *_table("number", found.disjoint, _number),
        f"Claims with another verdict: {len(found.verdicts)}.",
        *_table("claim", found.verdicts, lambda claim: f"{claim.verdict}, {effect(claim)}"),
        *([f"Claims that compare something else: {', '.join(found.redefined)}."] if found.redefined else []),
        *(only for places, name in zip(found.missing, names, strict=True) for only in _only(places, name)),
    ]
    return "\n\n".join(parts) + "\n"


def _table(what: str, pairs: Mapping[str, tuple], shown: Callable[[Any], str]) -> list[str]:
    """Return a table of pairs by name as a list of one text; an empty list if there is none."""
    rows = [{what: name, "first": shown(first), "second": shown(second)} for name, (first, second) in pairs.items()]
    return [frames.markdown(pd.DataFrame(rows))] if rows else []


def _setting(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {one}" for name, one in value.items())
    return "–" if value is None else str(value)


def _number(number: ShownNumber) -> str:
    digits = number.digits
    if number.value is None:
        return "undefined" if number.undefined else "not measured"
    text = f"{number.value:.{digits}f}"
    return text if number.low is None else f"{text} [{number.low:.{digits}f}, {number.high:.{digits}f}]"


def _only(places: Sequence[str], name: str) -> list[str]:
    if not places:
        return []
    if len(places) > SHOWN:
        places = [f"{table} ({count})" for table, count in Counter(map(_table_of, places)).items()]
    return [f"Only in {name}: {', '.join(places)}."]


def _table_of(place: str) -> str:
    """Return the paper and table of a number, or of which paper a claim is."""
    paper, *within = place.split(" · ")
    return f"{paper} · {within[0]}" if len(within) > 1 else f"claims of {paper}"
