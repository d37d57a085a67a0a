"""The 3D Siamese network and its baselines, assembled from named parts (sn3d, figure 1)."""

from bisect import bisect_left
from dataclasses import replace
from functools import partial, reduce
from operator import mul

import torch
from torch import Tensor, nn

from semblance.models.siamese_3d.attention import (
    FeatureAttention,
    FeatureAttention3,
    LateAttention,
    SpatialAttention,
    maximum,
    mean,
)
from semblance.models.siamese_3d.extraction import AdaptiveFeatureExtraction, Plain, blocks
from semblance.models.siamese_3d.fusion import CODE, DILATED, INCEPTION, MaxAvgPooling, ReceptiveField
from semblance.registry import MODELS
from semblance.specs.run import NetworkSpec

# Names for runs. By default, AFE normalises over blocks and RFM as in the authors' code, because the equations of the
# text remove the signal (docs/deviations.md). Names in "-printed" follow the text, names in "-code" the authors' code.
EXTRACTION = {
    "afe": partial(AdaptiveFeatureExtraction, over_blocks=True),
    "afe-printed": AdaptiveFeatureExtraction,
    "afe-mean-1": partial(AdaptiveFeatureExtraction, mean_one=True),
    "plain": Plain,
}
ATTENTION = {
    "sa": SpatialAttention,
    "sa-scaled": partial(SpatialAttention, scaled=True),
    "sa-code": partial(SpatialAttention, projected=True),
    "fa-1": partial(FeatureAttention, summaries=[mean]),
    "fa-2": partial(FeatureAttention, summaries=[mean, maximum]),
    "fa-3": FeatureAttention3,
    "fa-3-code": partial(FeatureAttention3, by_maximum=True),
    "late": LateAttention,
}
FUSION = {
    "max-avg": MaxAvgPooling,
    "rfm": partial(ReceptiveField, normalise=True),
    "rfm-printed": ReceptiveField,
    "rfm-code": partial(ReceptiveField, branches=CODE, point=False, normalise=True),
    "inception": partial(ReceptiveField, branches=INCEPTION, normalise=True),
    "dilated": partial(ReceptiveField, branches=DILATED, normalise=True),
}
WIDEST = 1 << 16  # above any matched width
UNITS = 128  # of the classifier's hidden layers, as in the authors' code
DROPOUT = MODELS["siamese-3d"].constants["dropout"]  # of the classifier
REFERENCE = NetworkSpec("afe", "all", ("sa", "fa-3"), "max-avg")


class Network(nn.Module):
    """A 3D Siamese network or a baseline.

    Args:
        spec: names of the `extraction`, `blocks`, `attention` (a list; the results of several are multiplied) and
            `fusion`; ``layers`` is the classifier's number of hidden layers; see `NetworkSpec` for ``matched``.
        shape: the encoder's number of blocks and width.
        classes: number of classes.
        free: width of AFE's hidden layer, or of the classifier if there is no AFE. By default `matched_width` if the
            network is ``matched``, else the usual one.
    """

    def __init__(self, spec: NetworkSpec, shape: tuple[int, int], classes: int, free: int | None = None):
        super().__init__()
        count, width = shape
        if free is None and spec.matched:
            free = matched_width(spec, shape, classes)
        hidden, units = (None, free) if spec.extraction == "plain" else (free, None)
        self.classes = classes
        self.blocks = blocks(spec.blocks, count)
        self.extraction = EXTRACTION[spec.extraction](len(range(count)[self.blocks]), width, hidden)
        self.attention = nn.ModuleList(ATTENTION[name](width) for name in spec.attention)
        reduced = self.attention[0].reduced if self.attention else width
        self.fusion = FUSION[spec.fusion](reduced)
        units = units or UNITS
        sizes = [(self.fusion.width, units), *[(units, units)] * (spec.layers - 1)]
        layers = [layer for size in sizes for layer in (nn.Linear(*size), nn.ReLU())]
        self.classify = nn.Sequential(*layers, nn.Dropout(DROPOUT), nn.Linear(units, classes))
        self.apply(_as_keras_draws)

    def forward(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> Tensor:
        """Return logits of n pairs, shape (n, classes) (equation 19).

        Args:
            x: states of the first sentences in all blocks, shape (n, blocks, L, D).
            y: states of the second sentences.
            x_mask: true at the tokens of the first sentences, shape (n, L).
            y_mask: true at the tokens of the second sentences.
        """
        x, y = self.extracted(x, x_mask), self.extracted(y, y_mask)
        found = [attend(x, y, x_mask, y_mask) for attend in self.attention]
        if found:
            x, y = (reduce(mul, side) for side in zip(*found))  # equation 6
        return self.classify(self.fusion(x, y, x_mask, y_mask))

    def extracted(self, states: Tensor, mask: Tensor) -> Tensor:
        """Return the semantic tensors of n sentences, shape (n, H, L, D). They do not depend on the other sentence."""
        return self.extraction(states[:, self.blocks], mask).contiguous()  # once, instead of in every later part

    def similarity(self, x: Tensor, y: Tensor, x_mask: Tensor, y_mask: Tensor) -> Tensor:
        """Return the similarities of positions that the first attention uses, averaged over all pairs of blocks.

        The shape is (n, L of x, L of y). The arguments are those of `forward`.
        """
        x, y = self.extracted(x, x_mask), self.extracted(y, y_mask)
        alike = self.attention[0].similarity(x, y)
        return alike.unflatten(2, y.shape[1:3]).unflatten(1, x.shape[1:3]).mean((1, 3))


def _as_keras_draws(layer: nn.Module) -> None:
    """Initialise with Glorot's weights and zero biases, as in the authors' code.

    With torch's default weights, the signal vanishes.
    """
    if isinstance(layer, (nn.Linear, nn.Conv2d)):
        nn.init.xavier_uniform_(layer.weight)
        if layer.bias is not None:
            nn.init.zeros_(layer.bias)


def parameters(network: nn.Module) -> int:
    """Return the number of parameters."""
    return sum(p.numel() for p in network.parameters())


def matched_width(spec: NetworkSpec, shape: tuple[int, int], classes: int) -> int:
    """Return the free width with which a network has about as many parameters as the reference of Table 1 or 2.

    It is `REFERENCE`, followed by RFM or, for pooling and Inception, by Max&Avg pooling.

    Args:
        spec: the parts of the network.
        shape: blocks and width of the encoder.
        classes: number of classes.
    """
    reference = REFERENCE if spec.fusion in ("max-avg", "inception") else replace(REFERENCE, fusion="rfm")
    with torch.device("meta"):
        wanted = parameters(Network(reference, shape, classes))

        def more(free: int) -> int:
            return parameters(Network(spec, shape, classes, free)) - wanted

        above = bisect_left(range(WIDEST), 0, lo=1, key=more)
        return min(max(1, above - 1), above, key=lambda free: abs(more(free)))
