"""Feature extraction: which blocks' states a network sees, and with what weights (sn3d, section 3.1).

A semantic tensor has shape (n, H, L, D): n sentences, H Transformer blocks, L positions, D features.
Masks have shape (n, L), true where there is a token; a tensor is 0 wherever there is none.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def blocks(name: str, count: int) -> slice:
    """The blocks, counted from 0, that a choice of section 5.3 keeps of `count`; ``last`` is the baselines'."""
    half = max(1, count // 2)
    return {
        "all": slice(0, count),
        "top": slice(count - half, count),
        "bottom": slice(0, half),
        "spaced": slice(count - 2 * half + 1, count, 2),
        "last": slice(count - 1, count),
    }[name]


class Plain(nn.Module):
    """The states as they are: FE in figure 6, and what the baselines pool."""

    def __init__(self, blocks: int, width: int):
        super().__init__()

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        return states


class AdaptiveFeatureExtraction(nn.Module):
    """Every block's states weighted, feature by feature, by a small network of the block's own (equations 3 to 5).

    The weights of equation 4 add up to 1 over a sentence's positions, so that states shrink by its length. With
    `mean_one` their mean over positions is 1, and states keep their size; with `over_blocks`, as in the authors' code,
    they add up to 1 over the blocks instead.
    """

    # The paper does not say how wide W1 is. This share of the features makes the network of SA, FA-3 and
    # Max&Avg pooling on BERT base as large as Table 1 prints, 6.1 million.
    HIDDEN = 0.385

    def __init__(self, blocks: int, width: int, mean_one: bool = False, over_blocks: bool = False):
        super().__init__()
        hidden = round(self.HIDDEN * width)
        self.mean_one, self.over_blocks = mean_one, over_blocks
        # All blocks' layers in one tensor each.
        self.w1, self.b1 = _layers(blocks, width, hidden)
        self.w2, self.b2 = _layers(blocks, hidden, width)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        by_block = states.transpose(0, 1)  # (H, n, L, D), which is how the encoder lays them out
        hidden = torch.baddbmm(self.b1, by_block.flatten(1, 2), self.w1).relu()
        weights = torch.baddbmm(self.b2, hidden, self.w2).sigmoid().view(by_block.shape)
        total = weights.sum(0) if self.over_blocks else _over_positions(weights, mask)
        if self.mean_one:
            total = total / mask.sum(1)[:, None, None]
        return (weights * total.reciprocal() * by_block).transpose(0, 1)


def _layers(count: int, inputs: int, outputs: int) -> tuple[nn.Parameter, nn.Parameter]:
    """Weights and biases of so many linear layers."""
    weights = torch.empty(count, inputs, outputs)
    for layer in weights:
        nn.init.xavier_uniform_(layer)
    return nn.Parameter(weights), nn.Parameter(torch.zeros(count, 1, outputs))


def _over_positions(weights: Tensor, mask: Tensor) -> Tensor:
    """Sums over the positions that are there, (H, n, L, D) to (H, n, 1, D).

    As a product with the mask: masking the weights first would copy what is by far the largest tensor.
    """
    there = mask.to(weights.dtype).repeat(len(weights), 1)[:, None]
    return (there @ weights.flatten(0, 1)).view(*weights.shape[:2], 1, -1)
