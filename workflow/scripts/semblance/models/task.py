"""A model and its training examples, as the engine trains them."""

import numpy as np
import torch
from torch import Tensor

from semblance.tokens import ColumnTokens, Tokens


class Task:
    """What tasks have in common; a subclass defines `encoder` and `forward`. Implements the engine's `Trainable`.

    Args:
        model: model whose `module` is trained.
        tokens: tokens of n examples.
        targets: their targets, shape (n,).
    """

    def __init__(self, model, tokens: Tokens | ColumnTokens, targets: np.ndarray):
        self._model, self._tokens = model, tokens
        self._targets = torch.tensor(targets, dtype=torch.float32)
        self.lengths = tokens.lengths

    @property
    def module(self):
        return self._model.module

    @module.setter
    def module(self, module) -> None:
        self._model.module = module

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], Tensor]:
        """Return the inputs and targets of some examples."""
        return self._tokens.batch(indices), self._targets[indices]
