"""Dropout on a CPU whose masks do not take longer than what they mask.

torch draws every element of a mask from one Mersenne Twister, on one core: a seventh of a small encoder's step in
32-bit floats, and more in bf16. numpy's SFC64 draws them ten times as fast, sixteen bits an element.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

LEVELS = 2**16


class QuickDropout(TorchFunctionMode):
    """While it is entered, `torch.nn.functional.dropout` of a tensor on the CPU draws its mask the quick way.

    A mask is a function of the state of torch's random numbers, as it is without: who sets that state anew gets
    the same mask again, and without its being drawn again. An element is dropped with the probability asked for to
    within 1/131072.
    """

    def __init__(self):
        super().__init__()
        self._masks: dict[tuple, Tensor] = {}  # of no cost where there are gradients, which hold on to them as well

    def __exit__(self, *raised):
        self._masks.clear()
        return super().__exit__(*raised)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        return self._dropout(*args, **kwargs) if function is F.dropout else function(*args, **kwargs)

    def _dropout(self, input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        if not training or inplace or not 0 < p < 1 or input.device.type != "cpu":
            return F.dropout(input, p, training, inplace)
        drawn = torch.randint(2**62, ()).item(), input.shape, p, input.dtype
        if drawn not in self._masks:
            self._masks[drawn] = mask(*drawn)
        return input * self._masks[drawn]


def quick(module: nn.Module) -> AbstractContextManager:
    """`QuickDropout` where it is worth it: every call of torch takes a little longer under it."""
    drops = any(isinstance(part, nn.Dropout) and part.p > 0 for part in module.modules())
    on_cpu = all(weights.device.type == "cpu" for weights in module.parameters())
    return QuickDropout() if drops and on_cpu else nullcontext()


def mask(seed: int, shape: torch.Size, p: float, dtype: torch.dtype) -> Tensor:
    """What dropout multiplies by: 0 with probability p, else 1 / (1 - p)."""
    count = shape.numel()
    drawn = np.random.SFC64(seed).random_raw(-(-count // 4)).view(np.uint16)[:count]
    kept = (drawn >= round(p * LEVELS)).reshape(shape)
    # Not of booleans: multiplying by one of those takes longer than drawing it.
    return torch.from_numpy(np.multiply(kept, np.float32(1 / (1 - p)), dtype=np.float32)).to(dtype)
