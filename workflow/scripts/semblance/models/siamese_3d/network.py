"""The 3D Siamese network put together from its parts, by name, and the baselines made of the same (sn3d, figure 1)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from operator import mul

import torch
from torch import Tensor, nn

from semblance.models.siamese_3d.attention import (
    FeatureAttention1,
    FeatureAttention2,
    FeatureAttention3,
    LateAttention,
    SpatialAttention,
)
from semblance.models.siamese_3d.extraction import AdaptiveFeatureExtraction, Plain, blocks
from semblance.models.siamese_3d.fusion import MaxAvgPooling, ReceptiveField

# What a run may name. AFE and RFM are the authors' code where their text takes the signal away (docs/deviations.md): a
# part that ends in "-printed" is the text's, one that ends in "-code" the code's where the text is our default.
EXTRACTION = {
    "afe": partial(AdaptiveFeatureExtraction, over_blocks=True),
    "afe-printed": AdaptiveFeatureExtraction,
    "afe-mean-1": partial(AdaptiveFeatureExtraction, mean_one=True),
    "plain": Plain,
}
ATTENTION = {
    "sa": SpatialAttention,
    "fa-1": FeatureAttention1,
    "fa-2": FeatureAttention2,
    "fa-3": FeatureAttention3,
    "fa-3-code": partial(FeatureAttention3, by_maximum=True),
    "late": LateAttention,
}
FUSION = {
    "max-avg": MaxAvgPooling,
    "rfm": partial(ReceptiveField, normalise=True),
    "rfm-printed": ReceptiveField,
    "rfm-code": partial(ReceptiveField, dilations=(1, 1, 1), normalise=True),
    "inception": partial(ReceptiveField, dilations=(), normalise=True),
    "dilated": partial(ReceptiveField, kernels=(), normalise=True),
}
UNITS, DROPOUT = 128, 0.2  # of the classifier, as in the authors' code
REFERENCE = {"extraction": "afe", "blocks": "all", "attention": ["sa", "fa-3"], "fusion": "max-avg"}


class Network(nn.Module):
    """`spec` names an `extraction`, `blocks`, `attention` (none, one, or two to multiply), and a `fusion`.

    `shape` is the number of the encoder's blocks and its width. ``units: matched`` in `spec` makes the
    classifier as wide as it takes to have the parameters of the network of AFE, SA, FA-3 and pooling.
    """

    def __init__(self, spec: Mapping, shape: tuple[int, int], classes: int):
        super().__init__()
        count, width = shape
        self.classes = classes
        self.blocks = blocks(spec["blocks"], count)
        self.extraction = EXTRACTION[spec["extraction"]](len(range(count)[self.blocks]), width)
        self.attention = nn.ModuleList(ATTENTION[name](width) for name in spec["attention"])
        reduced = self.attention[0].reduced if self.attention else width
        self.fusion = FUSION[spec["fusion"]](reduced)
        units = spec.get("units", UNITS)
        units = matched_units(spec, shape, classes) if units == "matched" else units
        self.classify = nn.Sequential(
            nn.Linear(self.fusion.width, units), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(units, classes)
        )
        self.apply(_as_keras_draws)

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> Tensor:
        """Logits (n, classes) of n pairs, from all blocks' states of both sentences, (n, blocks, L, D) (eq. 19)."""
        x, y = self.extracted(x, x_mask), self.extracted(y, y_mask)
        found = [attend(x, y, x_mask, y_mask) for attend in self.attention]
        if found:
            x, y = (reduce(mul, side) for side in zip(*found))  # equation 6
        return self.classify(self.fusion(x, y, x_mask, y_mask))

    def extracted(self, states: Tensor, mask: Tensor) -> Tensor:
        """The semantic tensor of sentences, (n, H, L, D): what can be kept of them before any pair is known."""
        return self.extraction(states[:, self.blocks], mask).contiguous()  # once, not in every part that follows

    def similarity(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> Tensor:
        """How alike the attention finds the positions of n pairs, the mean over blocks, (n, L of x, L of y)."""
        x, y = self.extracted(x, x_mask), self.extracted(y, y_mask)
        alike = self.attention[0].similarity(x, y)
        return alike.unflatten(2, y.shape[1:3]).unflatten(1, x.shape[1:3]).mean((1, 3))


def _as_keras_draws(layer: nn.Module) -> None:
    """Glorot's initial weights and no bias, as in the authors' code: torch's own let the signal die away."""
    if isinstance(layer, (nn.Linear, nn.Conv2d)):
        nn.init.xavier_uniform_(layer.weight)
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)


def parameters(network: nn.Module) -> int:
    return sum(p.numel() for p in network.parameters())


def matched_units(spec: Mapping, shape: tuple[int, int], classes: int) -> int:
    """The classifier's width that brings a network nearest to the reference's number of parameters (section 4.3)."""
    with torch.device("meta"):
        wanted = parameters(Network(REFERENCE, shape, classes))
        one, two = (parameters(Network({**spec, "units": units}, shape, classes)) for units in (1, 2))
    return max(1, 1 + round((wanted - one) / (two - one)))
