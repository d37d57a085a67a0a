"""Faster dropout on a CPU.

torch draws all elements of a mask from one Mersenne Twister, on one core. numpy's SFC64 is ten times as fast, with 16
bits per element. docs/speed.md has what this saves of a training step.
"""

from contextlib import AbstractContextManager, nullcontext

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from semblance.cpu import is_plain

LEVELS = 2**16


class QuickDropout(TorchFunctionMode):
    """Context in which `torch.nn.functional.dropout` of CPU tensors uses `mask`.

    As in torch, a mask is a function of the state of torch's random generator. Restoring that state gives the same
    mask, which is cached. The dropout probability is exact to within 1/131072.
    """

    def __init__(self):
        super().__init__()
        self._masks: dict[tuple, Tensor] = {}  # takes no extra memory in training, where autograd keeps them too

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
    """Return `QuickDropout` for a network on the CPU with dropout, else an empty context, which has no overhead."""
    drops = any(isinstance(part, nn.Dropout) and part.p > 0 for part in module.modules())
    on_cpu = all(weights.device.type == "cpu" for weights in module.parameters())
    return QuickDropout() if drops and on_cpu and not is_plain() else nullcontext()


def mask(seed: int, shape: torch.Size, p: float, dtype: torch.dtype) -> Tensor:
    """Return a dropout mask: 0 with probability p, else 1 / (1 - p).

    Args:
        seed: seed of the mask.
        shape: shape of the mask.
        p: dropout probability, rounded to 1/65536.
        dtype: data type of the mask.
    """
    count = shape.numel()
    drawn = np.random.SFC64(seed).random_raw(-(-count // 4)).view(np.uint16)[:count]
    is_kept = (drawn >= round(p * LEVELS)).reshape(shape)
    # Not a boolean mask, because multiplying by one takes longer than drawing it.
    return torch.from_numpy(np.multiply(is_kept, np.float32(1 / (1 - p)), dtype=np.float32)).to(dtype)
