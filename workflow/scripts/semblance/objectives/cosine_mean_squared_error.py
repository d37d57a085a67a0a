"""Squared error between the cosine of two embeddings and the label.

Equal to sentence-transformers' CosineSimilarityLoss (SBERT, section 3: regression objective).
"""

from torch import Tensor
from torch.nn import functional as F


def loss(embeddings: tuple[Tensor, Tensor], labels: Tensor) -> Tensor:
    """Return the mean loss of n pairs, from two `embeddings` of shape (n, d)."""
    return F.mse_loss(F.cosine_similarity(*embeddings), labels)
