"""The Pareto front of cost and quality."""

import math
from collections.abc import Mapping


def front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the names on the Pareto front, cheapest first.

    No other point has at most the cost and a higher quality, or a lower cost and at least the quality.

    Args:
        points: cost and quality by name.
    """
    found: list[str] = []
    best = -math.inf
    for name, (_, quality) in sorted(points.items(), key=lambda point: (point[1][0], -point[1][1])):
        if quality > best:
            found, best = [*found, name], quality
    return found
