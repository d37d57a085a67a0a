"""Feature fusion: two semantic tensors (n, H, L, D') into one vector (n, F) (sn3d, section 3.3).

The product X'⊙Y' of equation 19 multiplies position by position; where either sentence has none, there
is nothing to pool.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from semblance.models.siamese_3d.attention import maximum, mean

KERNELS = DILATIONS = (1, 3, 5)  # as in the receptive field block that figure 4 is drawn after [21]


class MaxAvgPooling(nn.Module):
    """The maximum and the mean of X', of Y' and of their product."""

    def __init__(self, width: int):
        super().__init__()
        self.width = 6 * width

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> Tensor:
        pooled = [pool(*part) for part in _parts(x, y, x_mask, y_mask) for pool in (maximum, mean)]
        return torch.cat(pooled, dim=-1)


class ReceptiveField(nn.Module):
    """Branches of convolutions over blocks and positions, then the mean (equations 17 to 19).

    A branch is a convolution ψ of one of `kernels`, then a 3×3 one φ dilated by one of `dilations`; either
    may be left out (Table 2: Inception has only ψ, Dilated Convolution only φ). A 1×1 convolution stands
    beside the branches.
    """

    # The authors' code has 512 // 5 in a network of another shape. With 48 in this one, equations 17 and 18
    # add what Table 1 prints, 0.3 million, to pooling on BERT base.
    FILTERS = 48

    def __init__(self, width: int, kernels: tuple[int, ...] = KERNELS, dilations: tuple[int, ...] = DILATIONS):
        super().__init__()
        self.branches = nn.ModuleList()
        for number in range(max(len(kernels), len(dilations))):
            inputs, branch = width, nn.ModuleList()
            if kernels:
                branch.append(nn.Conv2d(inputs, self.FILTERS, kernels[number], padding="same"))
                inputs = self.FILTERS
            if dilations:
                branch.append(nn.Conv2d(inputs, self.FILTERS, 3, padding="same", dilation=dilations[number]))
            self.branches.append(branch)
        self.point = nn.Conv2d(width, self.FILTERS, 1)
        self.width = 3 * self.FILTERS * (len(self.branches) + 1)

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> Tensor:
        x, y = self._fields(torch.cat([x, y]), torch.cat([x_mask, y_mask])).chunk(2)
        return torch.cat([mean(*part) for part in _parts(x, y, x_mask, y_mask)], dim=-1)

    def _fields(self, tensors: Tensor, mask: Tensor) -> Tensor:
        """X^RFM, shape (n, H, L, (k + 1)·D'')."""
        there = mask[:, None, None]
        images = tensors.permute(0, 3, 1, 2) * there  # (n, D', H, L); what is not there is zero padding
        found = []
        for branch in self.branches:
            field = images
            for convolution in branch:
                field = convolution(field) * there
            found.append(field.relu())
        return torch.cat([*found, self.point(images)], dim=1).sigmoid().permute(0, 2, 3, 1)


def _parts(x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> list[tuple[Tensor, Tensor]]:
    return [(x, x_mask), (y, y_mask), (x * y, x_mask & y_mask)]
