"""Feature extraction: which blocks' states a network sees, and with what weights (sn3d, section 3.1).

A semantic tensor has shape (n, H, L, D): n sentences, H Transformer blocks, L positions, D features.
Masks have shape (n, L), true where there is a token; a tensor is 0 wherever there is none.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def blocks(name: str, count: int) -> list[int]:
    """The blocks, counted from 0, that a choice of section 5.3 keeps of `count`; ``last`` is the baselines'."""
    half = max(1, count // 2)
    chosen = {
        "all": range(count),
        "top": range(count - half, count),
        "bottom": range(half),
        "spaced": sorted(range(count - 1, -1, -2)[:half]),
        "last": range(count - 1, count),
    }
    return list(chosen[name])


class Plain(nn.Module):
    """The states as they are: FE in figure 6, and what the baselines pool."""

    def __init__(self, blocks: int, width: int):
        super().__init__()

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        return states * _over_features(mask)


class AdaptiveFeatureExtraction(nn.Module):
    """Every block's states weighted, feature by feature, by a small network of the block's own (equations 3 to 5).

    The weights of equation 4 add up to 1 over a sentence's positions; `over_blocks`, as in the authors'
    code, makes them add up over the blocks instead.
    """

    # The paper does not say how wide W1 is. This share of the features makes the network of SA, FA-3 and
    # Max&Avg pooling on BERT base as large as Table 1 prints, 6.1 million.
    HIDDEN = 0.385

    def __init__(self, blocks: int, width: int, over_blocks: bool = False):
        super().__init__()
        hidden = round(self.HIDDEN * width)
        self.over_blocks = over_blocks
        self.weigh = nn.ModuleList(
            nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width), nn.Sigmoid())
            for _ in range(blocks)
        )

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        weights = torch.stack([weigh(block) for weigh, block in zip(self.weigh, states.unbind(1))], dim=1)
        weights = weights * _over_features(mask)
        if self.over_blocks:
            return states * weights / weights.sum(1, keepdim=True).clamp_min(1e-9)
        return states * weights / weights.sum(2, keepdim=True)


def _over_features(mask: Tensor) -> Tensor:
    return mask[:, None, :, None]
