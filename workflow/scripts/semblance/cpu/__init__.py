"""Faster training of small encoders on a CPU: the choice of attention, layers without padding, and quick dropout.

`benchmarks/cpu.py` measures what each of them saves. The environment variable SEMBLANCE_PLAIN_CPU=1 switches all of
them off, to see what they change.
"""

import os


def is_plain() -> bool:
    """Return whether all of this is switched off."""
    return os.environ.get("SEMBLANCE_PLAIN_CPU") == "1"


def attention(device: str) -> str:
    """Return transformers' name of the attention implementation that trains fastest on ``cpu`` or ``cuda``.

    On a CPU, the backward pass of torch's fused attention takes longer than the rest of a small encoder's step. The
    plain implementation halves the time of the step.
    """
    return "sdpa" if device == "cuda" or is_plain() else "eager"
