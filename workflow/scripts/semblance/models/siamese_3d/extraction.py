"""Feature extraction: selection and weighting of the blocks' states (sn3d, section 3.1).

A semantic tensor has shape (n, H, L, D): n sentences, H Transformer blocks, L positions, D features. Masks have shape
(n, L) and are true at tokens. Semantic tensors are 0 at padding.
"""

import torch
from torch import Tensor, nn


def blocks(name: str, count: int) -> slice:
    """Return the blocks to use out of `count`, by the name of the selection.

    The selections ``all``, ``top``, ``bottom`` and ``spaced`` are those of section 5.3; the baselines use ``last``.
    """
    half = max(1, count // 2)
    return {
        "all": slice(0, count),
        "top": slice(count - half, count),
        "bottom": slice(0, half),
        "spaced": slice(count - 2 * half + 1, count, 2),
        "last": slice(count - 1, count),
    }[name]


class Plain(nn.Module):
    """The unchanged states: FE in figure 6, and the input of the baselines' pooling."""

    def __init__(self, blocks: int, width: int, hidden: int | None = None):
        super().__init__()

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        return states


class AdaptiveFeatureExtraction(nn.Module):
    """Weight the states of each block elementwise by a small network per block (equations 3 to 5).

    The weights of equation 4 sum to 1 over the positions of a sentence, which shrinks the states by its length. With
    `mean_one`, their mean over positions is 1, so that states keep their scale. With `over_blocks`, they sum to 1 over
    the blocks instead; the authors' code divides the weighted states by their sum over the blocks. `hidden` is the
    width of W1, by default `HIDDEN` times the features.
    """

    # The paper does not give the width of W1. With this share of the features, the network with SA, FA-3 and Max&Avg
    # pooling on BERT base has the 6.1 million parameters of Table 1.
    HIDDEN = 0.385

    def __init__(
        self, blocks: int, width: int, hidden: int | None = None, mean_one: bool = False, over_blocks: bool = False
    ):
        super().__init__()
        hidden = hidden or round(self.HIDDEN * width)
        self.mean_one, self.over_blocks = mean_one, over_blocks
        # One tensor holds the layers of all blocks, for batched products.
        self.w1, self.b1 = _layers(blocks, width, hidden)
        self.w2, self.b2 = _layers(blocks, hidden, width)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        by_block = states.transpose(0, 1)  # (H, n, L, D), the memory layout of the encoder's states
        hidden = torch.baddbmm(self.b1, by_block.flatten(1, 2), self.w1).relu()
        weights = torch.baddbmm(self.b2, hidden, self.w2).sigmoid().view(by_block.shape)
        total = weights.sum(0) if self.over_blocks else _over_positions(weights, mask)
        if self.mean_one:
            total = total / mask.sum(1)[:, None, None]
        return (weights * total.reciprocal() * by_block).transpose(0, 1)


def _layers(count: int, inputs: int, outputs: int) -> tuple[nn.Parameter, nn.Parameter]:
    """Return the initial weights and biases of `count` linear layers."""
    weights = torch.empty(count, inputs, outputs)
    for layer in weights:
        nn.init.xavier_uniform_(layer)
    return nn.Parameter(weights), nn.Parameter(torch.zeros(count, 1, outputs))


def _over_positions(weights: Tensor, mask: Tensor) -> Tensor:
    """Sum over unmasked positions: (H, n, L, D) to (H, n, 1, D).

    The sum is a product with the mask, because masking the weights would copy the largest tensor by far.
    """
    there = mask.to(weights.dtype).repeat(len(weights), 1)[:, None]
    return (there @ weights.flatten(0, 1)).view(*weights.shape[:2], 1, -1)
