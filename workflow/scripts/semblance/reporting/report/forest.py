"""Positions of effects, numbers and their intervals in the drawings of the report, in percent of the width."""

from collections.abc import Iterable, Mapping, Sequence

from semblance.evaluation.comparisons import EPOCHS, OF_PAIRS, OVERALL, RELATIVE
from semblance.reporting.claims import LIMIT

# What the ends of the axis stand for, by the unit of the claim. Zero is in the middle.
LIMITS = {None: LIMIT, OVERALL: LIMIT, RELATIVE: 1.0, OF_PAIRS: 0.5, EPOCHS: 10.0}


def placed(claim: Mapping) -> dict | None:
    """Return where a claim's effect and its interval are on the axis of all claims.

    Returns:
        `at`, `left` and `right`, in percent; `beyond` names the sides on which the interval leaves the axis;
        `margin` is half the width of the band within which two count as equal, 0 without one. None without an effect.
    """
    if claim["effect"] is None:
        return None
    limit = LIMITS[claim["unit"]]
    effect = claim["effect"]
    low, high = (effect if claim[end] is None else claim[end] for end in ("low", "high"))
    at, left, right = (_percent(value, -limit, limit) for value in (effect, low, high))
    beyond = [side for side, is_out in (("left", low < -limit), ("right", high > limit)) if is_out]
    margin = round(50 * claim["within"] / limit, 2) if claim["within"] else 0
    return {"at": at, "left": left, "right": right, "beyond": beyond, "margin": margin}


def dots(cells: Mapping[str, Mapping]) -> list[dict]:
    """Return where numbers and their intervals are on an axis that holds them all.

    Args:
        cells: measured cells by label, in the same unit.
    """
    known = [cell for cell in cells.values() if cell["value"] is not None]
    ends = list(_ends(known))
    if not ends:
        return []
    lowest, highest = min(ends), max(ends)
    margin = (highest - lowest) * 0.05 or 0.5
    return [
        {"label": label, "cell": cell, "beyond": [], "margin": 0, **_interval(cell, lowest - margin, highest + margin)}
        for label, cell in cells.items()
        if cell["value"] is not None
    ]


def _ends(cells: Sequence[Mapping]) -> Iterable[float]:
    for cell in cells:
        yield from (cell[key] for key in ("low", "value", "high") if cell[key] is not None)


def _interval(cell: Mapping, lowest: float, highest: float) -> dict[str, float]:
    value = cell["value"]
    low, high = (value if cell[end] is None else cell[end] for end in ("low", "high"))
    return {key: _percent(x, lowest, highest) for key, x in (("at", value), ("left", low), ("right", high))}


def _percent(value: float, lowest: float, highest: float) -> float:
    share = (min(max(value, lowest), highest) - lowest) / (highest - lowest)
    return round(100 * share, 2)
