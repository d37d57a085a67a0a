"""Supervised SimCSE as published: a positive against all positives and negatives of the batch (SimCSE, equation 5)."""

import torch
from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import of_inference as examples  # noqa: F401  (see objectives.examples)
from semblance.registry import OBJECTIVES

TEMPERATURE = OBJECTIVES["simcse-in-batch"].constants["temperature"]


def loss(embeddings: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """Return the mean loss of n triplets, from three `embeddings` of shape (n, d); `labels` are ignored."""
    anchor, positive, negative = (F.normalize(e, dim=-1) for e in embeddings)
    cosines = anchor @ torch.cat([positive, negative]).T
    return F.cross_entropy(cosines / TEMPERATURE, torch.arange(len(anchor), device=anchor.device))
