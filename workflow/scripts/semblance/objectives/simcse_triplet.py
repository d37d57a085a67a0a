"""Supervised SimCSE as the thesis writes it: a positive against its own negative (smart, section 3.2.4.3)."""

from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import of_inference as examples  # noqa: F401  (what this objective learns from)

TEMPERATURE = 0.05


def loss(embeddings: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """`embeddings` of anchors, positives and negatives, (n, d) each; `labels` are not looked at."""
    anchor, positive, negative = embeddings
    apart = F.cosine_similarity(anchor, positive) - F.cosine_similarity(anchor, negative)
    return F.softplus(-apart / TEMPERATURE).mean()
