"""Differences between two results as Markdown."""

from collections.abc import Mapping, Sequence

import pandas as pd

from semblance.evaluation.differences import Differences
from semblance.reporting import frames
from semblance.reporting.claims import effect

SHOWN = 20  # places that only one of them has


def markdown(found: Differences, names: tuple[str, str]) -> str:
    """Return the page that ``snakemake compare`` prints.

    Args:
        found: the differences.
        names: what the two results are called.
    """
    numbers = [
        {"number": " · ".join(place)} | dict(zip(names, map(_number, pair))) for place, pair in found.numbers.items()
    ]
    verdicts = [
        {"claim": " · ".join(name)} | dict(zip(names, map(_verdict, pair))) for name, pair in found.verdicts.items()
    ]
    parts = [
        f"# {names[0]} and {names[1]}",
        f"{len(numbers)} of {found.compared} numbers differ: their 95% intervals do not overlap, or they have none.",
        *([frames.markdown(pd.DataFrame(numbers))] if numbers else []),
        f"Claims with another verdict: {len(verdicts)}.",
        *([frames.markdown(pd.DataFrame(verdicts))] if verdicts else []),
        *_only(found.only_in_first, names[0]),
        *_only(found.only_in_second, names[1]),
    ]
    return "\n\n".join(parts) + "\n"


def _number(number: Mapping) -> str:
    digits = number["digits"]
    if number["value"] is None:
        return "undefined"
    text = f"{number['value']:.{digits}f}"
    return text if number["low"] is None else f"{text} [{number['low']:.{digits}f}, {number['high']:.{digits}f}]"


def _verdict(claim: Mapping) -> str:
    return f"{claim['verdict']}, {effect(claim)}"


def _only(places: Sequence[tuple[str, ...]], name: str) -> list[str]:
    if not places:
        return []
    shown = ", ".join(" · ".join(place) for place in places[:SHOWN])
    more = f" and {len(places) - SHOWN} more" if len(places) > SHOWN else ""
    return [f"Only in {name}: {shown}{more}."]
