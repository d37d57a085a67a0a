"""Gradients of embeddings on a CPU, of which a batch looks few rows up.

torch gives all other rows zeros, in memory that is new every step: 47 MB of them for MiniLM's 30,522 tokens.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Lookups:
    """While it is entered, a module's embeddings give sparse gradients; `settle` makes dense ones of them.

    These are torch's own sums, in its order, in memory that is kept: only rows that the last batch had looked up are
    set to 0 again. Who changes such a gradient may change those rows alone.
    """

    def __init__(self, module: nn.Module):
        found = (part for part in module.modules() if isinstance(part, nn.Embedding))
        self._tables = [table for table in found if table.weight.device.type == "cpu"]
        self._kept: dict[Tensor, tuple[Tensor, Tensor]] = {}  # by the weights: their gradient, and its rows in use

    def __enter__(self):
        self._sparse(True)

    def __exit__(self, *raised):
        self._sparse(False)

    def _sparse(self, wanted: bool) -> None:
        for table in self._tables:
            table.sparse = wanted

    def settle(self) -> None:
        """Make the sparse gradients dense. One that also came from elsewhere, as of tied weights, already is."""
        for table in self._tables:
            gradient = table.weight.grad
            if gradient is not None and gradient.is_sparse:
                table.weight.grad = self._dense(table.weight, gradient)

    def _dense(self, weights: Tensor, gradient: Tensor) -> Tensor:
        rows = gradient._indices()[0]
        dense, used = self._kept.get(weights) or (torch.zeros_like(weights), rows)
        dense.index_fill_(0, used, 0)
        self._kept[weights] = dense, rows
        return dense.index_add_(0, rows, gradient._values())
