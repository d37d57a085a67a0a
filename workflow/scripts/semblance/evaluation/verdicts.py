"""What a number of ours says of the published one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from semblance.evaluation.cells import Number

REPRODUCED, NEAR, DIRECTION, DIFFERS = "reproduced", "near", "direction only", "differs"
COMPARED = (REPRODUCED, NEAR, DIFFERS)
NOT_COMPARABLE, NOT_RUN, UNDEFINED = "not comparable", "not run", "undefined"


def verdict(number: Number, published: float | None, digits: int, not_comparable: str | None) -> str | None:
    """Reproduced inside the 95% interval, near inside one twice as wide; None where nothing is published.

    The published number may be any that rounds to what is printed with so many `digits`. What has no interval,
    such as a count, is reproduced when it rounds to the same.
    """
    if published is None:
        return None
    if number.value is None:
        return NOT_RUN
    if not_comparable:
        return f"{NOT_COMPARABLE}: {not_comparable}"
    if math.isnan(number.value):
        return UNDEFINED
    if number.low is None or number.high is None:
        return REPRODUCED if _off(number.value, number.value, published, digits) <= 0 else DIFFERS
    if not math.isfinite(number.high - number.low):
        return UNDEFINED
    off = _off(number.low, number.high, published, digits)
    if off <= 0:
        return REPRODUCED
    return NEAR if off <= (number.high - number.low) / 2 else DIFFERS


def _off(low: float, high: float, published: float, digits: int) -> float:
    """Return how far an interval is from the published number and all that would be printed alike; negative inside."""
    return max(low - published, published - high) - 0.5 * 10**-digits - 1e-9


def with_directions(column: Sequence[Mapping]) -> list[str | None]:
    """The verdicts of a table's column, where those that differ have only their direction if that is right.

    A number's direction is right when it is above every other number of its column that the paper prints below
    it, and below every one printed above it, in the paper as here. `column` are its cells, with value,
    published and verdict.
    """
    compared = [cell for cell in column if cell["published"] is not None and cell["verdict"] in COMPARED]
    return [
        DIRECTION if cell["verdict"] == DIFFERS and _in_its_place(cell, compared) else cell["verdict"]
        for cell in column
    ]


def _in_its_place(cell: Mapping, others: Sequence[Mapping]) -> bool:
    moves = [(cell["published"] - o["published"], cell["value"] - o["value"]) for o in others if o is not cell]
    moves = [(printed, ours) for printed, ours in moves if printed]
    return bool(moves) and all(printed * ours > 0 for printed, ours in moves)
