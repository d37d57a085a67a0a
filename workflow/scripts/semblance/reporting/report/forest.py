"""Positions of effects, numbers and their intervals in the drawings of the report, in percent of the width."""

from collections.abc import Mapping

from semblance.findings import JudgedClaim, MeasuredCell
from semblance.reporting.claims import LIMIT
from semblance.vocabulary import Unit

# What the ends of the axis stand for, by the unit of the claim. Zero is in the middle.
LIMITS: dict[str | None, float] = {Unit.RELATIVE: 1.0, Unit.OF_PAIRS: 0.5, Unit.EPOCHS: 10.0}  # others: `LIMIT`


def placed(claim: JudgedClaim) -> dict | None:
    """Return where a claim's effect and its interval are on the axis of all claims.

    Returns:
        `at`, `left` and `right`, in percent, without `at` if the effect is beyond the axis; `beyond` names the sides on
        which the interval leaves the axis; `margin` is half the width of the band within which two count as equal, 0
        without one; `zero` is the place of a line at zero, None if the axis does not reach it. None without an effect.
    """
    if claim.effect is None:
        return None
    limit = LIMITS.get(claim.unit, LIMIT)
    effect = claim.effect
    low, high = claim.interval or (effect, effect)
    left, right = (_percent(value, -limit, limit) for value in (low, high))
    at = _percent(effect, -limit, limit) if abs(effect) <= limit else None
    beyond = [side for side, is_out in (("left", low < -limit), ("right", high > limit)) if is_out]
    margin = round(50 * claim.within / limit, 2) if claim.within else 0
    return {"at": at, "left": left, "right": right, "beyond": beyond, "margin": margin, "zero": 50.0}


def dots(cells: Mapping[str, MeasuredCell]) -> list[dict]:
    """Return where numbers and their intervals are on an axis that holds them all, as `placed`, with label and cell.

    Args:
        cells: measured cells by label, in the same unit.
    """
    known = {
        label: (cell.value, *(cell.interval or (cell.value, cell.value)))
        for label, cell in cells.items()
        if cell.value is not None
    }
    if not known:
        return []
    lowest, highest = min(map(min, known.values())), max(map(max, known.values()))
    margin = (highest - lowest) * 0.05 or 0.5
    ends = lowest - margin, highest + margin
    zero = _percent(0, *ends) if ends[0] < 0 < ends[1] else None
    found = []
    for label, values in known.items():
        at, left, right = (_percent(value, *ends) for value in values)
        drawn = {"at": at, "left": left, "right": right, "beyond": [], "margin": 0, "zero": zero}
        found.append({"label": label, "cell": cells[label], **drawn})
    return found


def _percent(value: float, lowest: float, highest: float) -> float:
    share = (min(max(value, lowest), highest) - lowest) / (highest - lowest)
    return round(100 * share, 2)
