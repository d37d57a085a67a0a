"""Verdicts on published numbers, by comparison with measured ones."""

import math
from collections.abc import Sequence
from dataclasses import replace

from semblance.evaluation.cells import Number
from semblance.findings import MeasuredCell
from semblance.vocabulary import Printed

COMPARED = (Printed.REPRODUCED, Printed.NEAR, Printed.DIFFERS)


def verdict(number: Number, published: float | None, digits: int, not_comparable: str | None) -> str | None:
    """Return the verdict on a published number; None if nothing is published.

    A number is reproduced if it lies in the 95% interval, and near if it lies in an interval twice as wide. It may be
    any value that rounds to the printed digits. A measured number without an interval, such as a count, must round to
    the printed number.

    Args:
        number: the measured number.
        published: the published number.
        digits: number of published digits after the decimal point.
        not_comparable: why both numbers cannot be compared, if so.
    """
    if published is None:
        return None
    if number.value is None:
        return Printed.NOT_RUN
    if not_comparable:
        return f"{Printed.NOT_COMPARABLE}: {not_comparable}"
    if not math.isfinite(number.value):
        return Printed.UNDEFINED
    if number.low is None or number.high is None:
        return Printed.REPRODUCED if _off(number.value, number.value, published, digits) <= 0 else Printed.DIFFERS
    if not math.isfinite(number.high - number.low):
        return Printed.UNDEFINED
    off = _off(number.low, number.high, published, digits)
    if off <= 0:
        return Printed.REPRODUCED
    return Printed.NEAR if off <= (number.high - number.low) / 2 else Printed.DIFFERS


def _off(low: float, high: float, published: float, digits: int) -> float:
    """Return the distance of an interval from all values that round to the published number; negative if inside."""
    return max(low - published, published - high) - 0.5 * 10**-digits - 1e-9


def with_directions(column: Sequence[MeasuredCell]) -> list[MeasuredCell]:
    """Return a table's column with the verdict `Printed.DIRECTION` on numbers that differ but have the right direction.

    The direction of a number is right if it is above all measured numbers of the column whose published number is
    lower, and below all whose published number is higher.
    """
    compared = [cell for cell in column if cell.verdict in COMPARED]
    return [
        replace(cell, verdict=Printed.DIRECTION)
        if cell.verdict == Printed.DIFFERS and _in_its_place(cell, compared)
        else cell
        for cell in column
    ]


def _in_its_place(cell: MeasuredCell, others: Sequence[MeasuredCell]) -> bool:
    moves = [
        (cell.published - one.published, cell.value - one.value)  # type: ignore[operator]  # compared: neither is None
        for one in others
        if one.published != cell.published
    ]
    return bool(moves) and all(printed * ours > 0 for printed, ours in moves)
