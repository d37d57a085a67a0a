"""Feature fusion: combine two semantic tensors (n, H, L, D') into one vector (n, F) (sn3d, section 3.3).

The product X'⊙Y' of equation 19 multiplies position by position. Its pooling excludes positions at which either
sentence has no token.
"""

import torch
from torch import Tensor, nn

from semblance.models.siamese_3d.attention import maximum, mean

Branch = tuple[tuple[int, int], ...]  # convolutions, one after another: kernel size and dilation rate
SIZES = (1, 3, 5)  # of kernels and dilations, as in the receptive field block on which figure 4 is based [21]
INCEPTION: tuple[Branch, ...] = tuple(((size, 1),) for size in SIZES)
DILATED: tuple[Branch, ...] = tuple(((3, rate),) for rate in SIZES)
BOTH: tuple[Branch, ...] = tuple(one + other for one, other in zip(INCEPTION, DILATED))
CODE: tuple[Branch, ...] = (((1, 1), (3, 1)), ((1, 1), (1, 1)), ((1, 1), (3, 1)), ((1, 1), (5, 1)))


class MaxAvgPooling(nn.Module):
    """The maximum and the mean of X', of Y' and of their product."""

    def __init__(self, width: int):
        super().__init__()
        self.width = 6 * width

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> Tensor:
        pooled = [pool(*part) for part in _parts(x, y, x_mask, y_mask) for pool in (maximum, mean)]
        return torch.cat(pooled, dim=-1)


class ReceptiveField(nn.Module):
    """Parallel branches of convolutions over blocks and positions, then mean pooling (equations 17 to 19).

    Args:
        width: number of input features D'.
        branches: the convolutions of each branch. In the text, a branch is a convolution ψ with one of several kernels,
            then a 3×3 convolution φ with one of several dilations (`BOTH`). Table 2 has either alone (`INCEPTION`,
            `DILATED`). The authors' code has four branches without dilation (`CODE`).
        point: whether a 1×1 convolution is parallel to the branches (φ0 of equation 18). The code has none.
        normalise: whether batch normalisation without a scale and ReLU follow every convolution, which then has no
            bias, as in the code.
    """

    # Filters of a convolution, as a share of the input width D'. The authors' code has 512 // 5 in a network of another
    # shape. A quarter is 48 on BERT base, where equations 17 and 18 then add the 0.3 million parameters of Table 1.
    FILTERS = 0.25

    def __init__(
        self,
        width: int,
        branches: tuple[Branch, ...] = BOTH,
        point: bool = True,
        normalise: bool = False,
    ):
        super().__init__()
        filters = max(1, round(self.FILTERS * width))

        def convolution(inputs: int, kernel: int, dilation: int = 1) -> nn.Module:
            made = nn.Conv2d(inputs, filters, kernel, padding="same", dilation=dilation, bias=not normalise)
            return _Normalised(made) if normalise else made

        self.branches = nn.ModuleList(
            nn.ModuleList(convolution(filters if place else width, *one) for place, one in enumerate(branch))
            for branch in branches
        )
        self.point = convolution(width, 1) if point else None
        self.width = 3 * filters * (len(branches) + point)

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> Tensor:
        x, y = self._fields(torch.cat([x, y]), torch.cat([x_mask, y_mask])).chunk(2)
        return torch.cat([mean(*part) for part in _parts(x, y, x_mask, y_mask)], dim=-1)

    def _fields(self, tensors: Tensor, mask: Tensor) -> Tensor:
        """Return X^RFM, shape (n, H, L, k·D'') for k parallel parts."""
        there = mask[:, None, None]
        images = tensors.permute(0, 3, 1, 2) * there  # (n, D', H, L), with zeros at padding
        found = []
        for branch in self.branches:
            field = images
            for convolution in branch:
                field = _applied(convolution, field, there)
            found.append(field.relu())
        if self.point:
            found.append(_applied(self.point, images, there))
        return torch.cat(found, dim=1).sigmoid().permute(0, 2, 3, 1)


class _Normalised(nn.Module):
    """A convolution, batch normalisation over unmasked positions, and ReLU."""

    def __init__(self, convolution: nn.Conv2d):
        super().__init__()
        self.convolution = convolution
        self.normalise = nn.BatchNorm1d(convolution.out_channels, affine=False)
        self.bias = nn.Parameter(torch.zeros(convolution.out_channels))

    def forward(self, images: Tensor, there: Tensor) -> Tensor:
        fields = self.convolution(images).permute(0, 2, 3, 1)  # (n, H, L, D'')
        inside = there[:, 0].expand(fields.shape[:3])
        normalised = torch.zeros_like(fields)
        normalised[inside] = (self.normalise(fields[inside]) + self.bias).relu().to(fields.dtype)
        return normalised.permute(0, 3, 1, 2)


def _applied(convolution: nn.Module, images: Tensor, there: Tensor) -> Tensor:
    """Apply a convolution to images (n, D', H, L), with zeros where the mask `there`, (n, 1, 1, L), is false."""
    return convolution(images, there) if isinstance(convolution, _Normalised) else convolution(images) * there


def _parts(x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> list[tuple[Tensor, Tensor]]:
    return [(x, x_mask), (y, y_mask), (x * y, x_mask & y_mask)]
