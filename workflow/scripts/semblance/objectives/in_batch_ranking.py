"""Cross-entropy of picking each sentence's partner out of the batch.

The same as sentence-transformers' MultipleNegativesRankingLoss with its default scale of 20. Every
pair counts as a positive one; `labels` are not looked at.
"""

import torch
from torch import Tensor
from torch.nn import functional as F

SCALE = 20.0
ACROSS_THE_BATCH = True


def loss(embeddings: tuple[Tensor, Tensor], labels: Tensor) -> Tensor:
    u, v = (F.normalize(e, dim=-1) for e in embeddings)
    return F.cross_entropy(SCALE * u @ v.T, torch.arange(len(u), device=u.device))
