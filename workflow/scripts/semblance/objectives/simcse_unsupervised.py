"""Unsupervised SimCSE: a sentence against itself under other dropout, among the batch's (SimCSE, equation 4)."""

import torch
from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import twins as examples  # noqa: F401  (what this objective learns from)

TEMPERATURE = 0.05
ACROSS_THE_BATCH = True


def loss(embeddings: tuple[Tensor, Tensor], labels: Tensor) -> Tensor:
    """`embeddings` of the same sentences twice, (n, d) each; `labels` are not looked at."""
    one, other = (F.normalize(e, dim=-1) for e in embeddings)
    return F.cross_entropy(one @ other.T / TEMPERATURE, torch.arange(len(one), device=one.device))
