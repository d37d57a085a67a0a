"""Linear loss on the cosine: the cosine itself for label 0, 1 minus the cosine for label 1 (minilm, section 3.3.2)."""

from torch import Tensor
from torch.nn import functional as F


def loss(embeddings: tuple[Tensor, Tensor], labels: Tensor) -> Tensor:
    """Return the mean loss of n pairs, from two `embeddings` of shape (n, d)."""
    cosines = F.cosine_similarity(*embeddings)
    return ((1 - labels) * cosines + labels * (1 - cosines)).mean()
