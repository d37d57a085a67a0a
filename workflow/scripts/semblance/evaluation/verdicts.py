"""What a number of ours says of the published one."""

from __future__ import annotations

import math

from semblance.evaluation.cells import Number

REPRODUCED, NEAR, DIFFERS = "reproduced", "near", "differs"
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
    low, high = (number.value, number.value) if number.low is None else (number.low, number.high)
    off = max(low - published, published - high) - 0.5 * 10**-digits - 1e-9
    if off <= 0:
        return REPRODUCED
    return NEAR if number.low is not None and off <= (high - low) / 2 else DIFFERS
