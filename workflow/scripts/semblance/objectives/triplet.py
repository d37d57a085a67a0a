"""Triplet loss on cosine distance: an anchor is nearer to its positive than to its negative (metric, 3.2.2)."""

from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import draw as examples  # noqa: F401  (what this objective learns from)

MARGIN = 0.5


def loss(embeddings: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """`embeddings` of anchors, positives and negatives, (n, d) each; `labels` are not looked at."""
    anchor, positive, negative = embeddings
    return F.relu(MARGIN - F.cosine_similarity(anchor, positive) + F.cosine_similarity(anchor, negative)).mean()
