"""Effects of claims in the units in which pages show them, and the examples that a claim needs in clusters."""

import math

from semblance.findings import Interval, JudgedClaim
from semblance.registry import METRICS
from semblance.vocabulary import HALF, Unit


def shown(claim: JudgedClaim, effect: float) -> float:
    """Return an effect in the unit in which it is shown.

    Args:
        claim: the claim.
        effect: its effect, or an end of its interval.

    Returns:
        The share of comparisons won, of a claim about most of them; a factor, of times, memory and counts; otherwise
        the effect itself.
    """
    if claim.unit == Unit.OF_PAIRS:
        return min(max(effect, -HALF), HALF) + HALF  # no more than all pairs are won
    return _factor(claim, effect) if claim.unit == Unit.RELATIVE else effect


def shown_interval(claim: JudgedClaim) -> Interval | None:
    """Return both ends of a claim's interval in that unit, the lower one first; None if it has none."""
    if not claim.interval:
        return None
    low, high = sorted(shown(claim, end) for end in claim.interval)
    return low, high


def clusters_needed(claim: JudgedClaim) -> int | None:
    """Return the number of clusters needed to decide a claim; None if no number could."""
    return claim.examples_needed and math.ceil(claim.examples_needed * claim.clusters / claim.examples)


def _factor(claim: JudgedClaim, effect: float) -> float:
    """Return an effect on times, memory or counts as a factor, which is above 1 in favour of the claim.

    Half of the other side's time, or twice its speed, is a factor of 2. For a claim of equivalence, it is
    the first side's value over the other's.

    Args:
        claim: the claim.
        effect: its effect or an end of its interval: the difference as a share of the other side's value, above 0 in
            favour of the claim.
    """
    faster = METRICS[claim.metric].higher_is_better
    ratio = max(1 + effect if faster else 1 - effect, 0.0)
    if faster or claim.within:
        return ratio
    return 1 / ratio if ratio else math.inf
