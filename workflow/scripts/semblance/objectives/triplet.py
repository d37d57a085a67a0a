"""Triplet loss on cosine distance: the positive is nearer to the anchor by a margin of 0.5 (metric, section 3.2.2)."""

from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import draw as examples  # noqa: F401  (see objectives.examples)
from semblance.registry import OBJECTIVES

MARGIN = OBJECTIVES["triplet"].constants["margin"]


def loss(embeddings: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """Return the mean loss of n triplets, from three `embeddings` of shape (n, d); `labels` are ignored."""
    anchor, positive, negative = embeddings
    return F.relu(MARGIN - F.cosine_similarity(anchor, positive) + F.cosine_similarity(anchor, negative)).mean()
