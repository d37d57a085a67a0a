"""A model and its training examples, as the engine trains them."""

import numpy as np
import torch
from torch import Tensor, nn

from semblance.tokens import ColumnTokens, Tokens


class Task:
    """What tasks have in common; a subclass defines `encoder` and `forward`. Implements the engine's `Trainable`.

    Args:
        module: the network that is trained.
        tokens: tokens of n examples.
        targets: their targets, shape (n,).
    """

    def __init__(self, module: nn.Module, tokens: Tokens | ColumnTokens, targets: np.ndarray):
        self.module, self._tokens = module, tokens
        self._targets = torch.tensor(targets, dtype=torch.float32)
        self.lengths = tokens.lengths

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], Tensor]:
        """Return the inputs and targets of some examples."""
        return self._tokens.batch(indices), self._targets[indices]
