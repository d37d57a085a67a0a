"""The cosine of two embeddings where the label is 0, its distance from 1 where it is 1 (minilm, section 3.3.2)."""

from torch import Tensor
from torch.nn import functional as F


def loss(embeddings: tuple[Tensor, Tensor], labels: Tensor) -> Tensor:
    cosines = F.cosine_similarity(*embeddings)
    return ((1 - labels) * cosines + labels * (1 - cosines)).mean()
