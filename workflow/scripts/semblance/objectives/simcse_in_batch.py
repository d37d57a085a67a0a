"""Supervised SimCSE as published: a positive against the batch's positives and negatives (SimCSE, equation 5)."""

import torch
from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import of_inference as examples  # noqa: F401  (what this objective learns from)

TEMPERATURE = 0.05
ACROSS_THE_BATCH = True


def loss(embeddings: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """`embeddings` of anchors, positives and negatives, (n, d) each; `labels` are not looked at."""
    anchor, positive, negative = (F.normalize(e, dim=-1) for e in embeddings)
    cosines = anchor @ torch.cat([positive, negative]).T
    return F.cross_entropy(cosines / TEMPERATURE, torch.arange(len(anchor), device=anchor.device))
