"""How long a stage is. Without torch, which the configuration does not need to reckon with it."""

from __future__ import annotations

import math


def steps(examples: int, batch_size: int, epochs: float, steps_per_epoch: int | None = None) -> tuple[int, int]:
    """Steps an epoch, one pass over the examples where nothing else is said, and in all."""
    per_epoch = steps_per_epoch or math.ceil(examples / batch_size)
    return per_epoch, max(1, round(per_epoch * epochs))
