"""Supervised SimCSE as in the text of the thesis: each positive against its own negative (smart, section 3.2.4.3)."""

from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import of_inference as examples  # noqa: F401  (see objectives.examples)
from semblance.registry import OBJECTIVES

TEMPERATURE = OBJECTIVES["simcse-triplet"].constants["temperature"]


def loss(embeddings: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """Return the mean loss of n triplets, from three `embeddings` of shape (n, d); `labels` are ignored."""
    anchor, positive, negative = embeddings
    apart = F.cosine_similarity(anchor, positive) - F.cosine_similarity(anchor, negative)
    return F.softplus(-apart / TEMPERATURE).mean()
