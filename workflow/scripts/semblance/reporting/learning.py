"""What was trained, how many runs learned, and the marks of numbers whose run did not."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from semblance.evaluation.learning import COLLAPSED, NO, NOT_CLEAR, YES, has_collapsed, medians

MARKS = {COLLAPSED: "⊘", NO: "○", NOT_CLEAR: "≈"}  # by the verdict on the run behind a number
WORDS = {COLLAPSED: "collapsed", NO: "did not learn", NOT_CLEAR: "no clear gain"}


def summary(found: Sequence[Mapping]) -> dict:
    """Count judgements by verdict, and collapsed runs, with the median scores; each seed of a run counts once."""
    verdicts = Counter(one["learned"] for one in found)
    collapsed = sum(has_collapsed(one["top_share"]) for one in found)
    return {
        "runs": len(found),
        "yes": verdicts[YES],
        "not_clear": verdicts[NOT_CLEAR],
        "no": verdicts[NO],
        "collapsed": collapsed,
        "medians": medians(found),
    }


def trained_on(facts: Iterable[Mapping], encoders: Mapping[str, Mapping], rows: Mapping[str, int]) -> dict:
    """Return what runs were trained from: their encoders with sizes, and their datasets with training rows, as texts.

    Args:
        facts: facts of the trained runs, with `spec`.
        encoders: facts by encoder.
        rows: number of training rows by dataset.
    """
    specs = [one["spec"] for one in facts]
    named = dict.fromkeys(spec["model"]["encoder"] for spec in specs if spec["model"]["encoder"])
    on = dict.fromkeys(stage["on"] for spec in specs for stage in spec["stages"])
    return {
        "encoders": [f"{name} {_size(encoders[name])}".strip() for name in named],
        "datasets": [f"{name} {rows[name]:,}" for name in on],
    }


def _size(encoder: Mapping) -> str:
    if "layers" not in encoder:
        return ""
    return f"({encoder['layers']} × {encoder['width']}, {encoder['parameters'] / 1e6:,.1f} M)"
