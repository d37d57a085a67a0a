"""Faster training of small encoders on a CPU: the choice of attention, layers without padding, and quick dropout.

`benchmarks/cpu.py` measures what each of them saves.
"""


def attention(device: str) -> str:
    """Return transformers' name of the attention implementation that trains fastest on ``cpu`` or ``cuda``.

    On a CPU, the backward pass of torch's fused attention takes longer than the rest of a small encoder's step. The
    plain implementation halves the time of the step.
    """
    return "sdpa" if device == "cuda" else "eager"
