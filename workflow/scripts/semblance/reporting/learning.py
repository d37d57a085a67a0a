"""Summary of how many trained runs learned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from semblance.evaluation.learning import NO, NOT_CLEAR, YES, has_collapsed


def summary(found: Sequence[Mapping]) -> dict[str, int]:
    """Count judgements by verdict, and collapsed runs; each seed of a run counts once."""
    said = Counter(one["learned"] for one in found)
    collapsed = sum(has_collapsed(one["top_share"]) for one in found)
    return {"runs": len(found), "yes": said[YES], "not_clear": said[NOT_CLEAR], "no": said[NO], "collapsed": collapsed}
