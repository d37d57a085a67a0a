"""Attention over semantic tensors, one module per form (sn3d, section 3.2).

Every module takes the semantic tensors of both sentences, shape (n, H, L, D), and their masks, shape (n, L). It returns
one tensor of shape (n, H, L, D') for each sentence, with D' in its attribute `reduced`.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

REDUCTION = 4  # D' is a quarter of D, as in the authors' code


class SpatialAttention(nn.Module):
    """A weighted mean of the other sentence's positions in all blocks, for each position (equations 7 and 8).

    Args:
        width: number of features D.
        scaled: whether dot products are divided by √D, which keeps the softmax from saturating.
        projected: whether 1×1 convolutions to D' features precede the dot products, as in the authors' code.
    """

    def __init__(self, width: int, scaled: bool = False, projected: bool = False):
        super().__init__()
        self.reduced = width // REDUCTION
        self.scale = width**-0.5 if scaled else 1.0
        self.project = nn.Linear(width, self.reduced)  # the 1×1 convolution
        self.query, self.key = (nn.Linear(width, self.reduced) if projected else None for _ in range(2))

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> tuple[Tensor, Tensor]:
        alike = self.similarity(x, y)
        # Dot products of plain states are symmetric, those of queries and keys are not.
        reverse = alike if self.query is None else self.similarity(y, x).transpose(1, 2)
        from_y = _softmax(alike, _positions(y, y_mask)[:, None, :], dim=2)
        from_x = _softmax(reverse, _positions(x, x_mask)[:, :, None], dim=1)
        # Projecting before the weighted mean gives the same result at a quarter of the cost.
        x_values, y_values = (self.project(values).flatten(1, 2) for values in (x, y))
        return (
            (from_y @ y_values).unflatten(1, x.shape[1:3]),
            (from_x.transpose(1, 2) @ x_values).unflatten(1, y.shape[1:3]),
        )

    def similarity(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the dot products of all positions of all blocks, shape (n, H·L of x, H·L of y)."""
        if self.query is not None and self.key is not None:
            x, y = self.query(x), self.key(y)
        found = x.flatten(1, 2) @ y.flatten(1, 2).transpose(1, 2)
        return found * self.scale if self.scale != 1 else found


class FeatureAttention(nn.Module):
    """One weight per feature, from summaries of all positions.

    Args:
        width: number of features D.
        summaries: `mean` for FA-1 (equations 9 and 10), `mean` and `maximum` for FA-2 (equations 11 to 13).
    """

    def __init__(self, width: int, summaries: Sequence[Callable]):
        super().__init__()
        self.reduced, self.summaries = width // REDUCTION, summaries
        sizes = len(summaries) * width, width // 2, self.reduced
        self.excite = nn.Sequential(nn.Linear(*sizes[:2]), nn.ReLU(), nn.Linear(*sizes[1:]), nn.Sigmoid())

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> tuple[Tensor, Tensor]:
        return self._one(x, x_mask), self._one(y, y_mask)

    def _one(self, x: Tensor, mask: Tensor) -> Tensor:
        weights = self.excite(torch.cat([summary(x, mask) for summary in self.summaries], dim=-1))
        return weights[:, None, None].expand(-1, *x.shape[1:3], -1)


class FeatureAttention3(nn.Module):
    """The elementwise product of weights per block and weights per position (equations 14 to 16).

    Positions and blocks are reduced by their mean or, with `by_maximum`, by their maximum as in the authors' code.
    """

    def __init__(self, width: int, by_maximum: bool = False):
        super().__init__()
        self.reduced = width // REDUCTION
        self.by_maximum = by_maximum
        self.normalise = nn.BatchNorm1d(width)
        self.of_blocks, self.of_positions = nn.Linear(width, self.reduced), nn.Linear(width, self.reduced)

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> tuple[Tensor, Tensor]:
        return self._one(x, x_mask), self._one(y, y_mask)

    def _one(self, x: Tensor, mask: Tensor) -> Tensor:
        blocks, positions = self._squeezed(x, mask)
        described = torch.cat([blocks, positions], dim=1).sigmoid()
        there = torch.cat([mask.new_ones(blocks.shape[:2]), mask], dim=1)
        # Padding is excluded from the batch statistics.
        normalised = torch.zeros_like(described)
        normalised[there] = self.normalise(described[there])
        blocks, positions = normalised.split([x.shape[1], x.shape[2]], dim=1)
        return self.of_blocks(blocks)[:, :, None] * self.of_positions(positions)[:, None]

    def _squeezed(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Reduce over positions, to (n, H, D), and over blocks, to (n, L, D)."""
        if self.by_maximum:
            return x.masked_fill(~mask[:, None, :, None], -torch.inf).amax(2), x.amax(1)
        return x.sum(2) / mask.sum(1)[:, None, None], x.mean(1)


class LateAttention(nn.Module):
    """ColBERT's late interaction: the projection of each position, and its best match in the other sentence.

    Projections have unit length, so that matches are cosines (ColBERT, sections 3.2 and 3.3). The mean of the best
    matches is ColBERT's MaxSim; the subsequent fusion computes it with its other pooled features.
    """

    def __init__(self, width: int):
        super().__init__()
        self.project = nn.Linear(width, width // REDUCTION, bias=False)
        self.reduced = width // REDUCTION + 1

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> tuple[Tensor, Tensor]:
        alike = self.similarity(x, y)
        best_x = alike.masked_fill(~_positions(y, y_mask)[:, None, :], -torch.inf).amax(2)
        best_y = alike.masked_fill(~_positions(x, x_mask)[:, :, None], -torch.inf).amax(1)
        return self._matched(x, best_x), self._matched(y, best_y)

    def similarity(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the cosines between the projections of all positions, shape (n, H·L of x, H·L of y)."""
        x, y = (F.normalize(self.project(states), dim=-1).flatten(1, 2) for states in (x, y))
        return x @ y.transpose(1, 2)

    def _matched(self, x: Tensor, best: Tensor) -> Tensor:
        return torch.cat([F.normalize(self.project(x), dim=-1), best.unflatten(1, x.shape[1:3])[..., None]], dim=-1)


def mean(x: Tensor, mask: Tensor) -> Tensor:
    """Return the mean over all blocks and all unmasked positions: (n, H, L, D) to (n, D)."""
    return (x * mask[:, None, :, None]).sum((1, 2)) / (x.shape[1] * mask.sum(1)[:, None])


def maximum(x: Tensor, mask: Tensor) -> Tensor:
    """Return the maximum over all blocks and all unmasked positions: (n, H, L, D) to (n, D)."""
    return x.masked_fill(~mask[:, None, :, None], -torch.inf).amax((1, 2))


def _positions(x: Tensor, mask: Tensor) -> Tensor:
    """Expand a mask of sentences, (n, L), to the positions of all blocks, (n, H·L)."""
    return mask[:, None].expand(-1, x.shape[1], -1).flatten(1)


def _softmax(scores: Tensor, mask: Tensor, dim: int) -> Tensor:
    return scores.masked_fill(~mask, -torch.inf).softmax(dim)
