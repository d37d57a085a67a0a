"""Cross-entropy of choosing each sentence's partner among all second sentences of the batch.

Equal to sentence-transformers' MultipleNegativesRankingLoss with its default scale of 20.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

from semblance.registry import OBJECTIVES

SCALE = OBJECTIVES["in-batch-ranking"].constants["scale"]


def loss(embeddings: tuple[Tensor, Tensor], labels: Tensor) -> Tensor:
    """Return the mean loss of n positive pairs, from two `embeddings` of shape (n, d); `labels` are ignored."""
    u, v = (F.normalize(e, dim=-1) for e in embeddings)
    return F.cross_entropy(SCALE * u @ v.T, torch.arange(len(u), device=u.device))
