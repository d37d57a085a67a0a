"""Pairwise contrastive loss on cosine distance (metric, section 3.2.1).

A positive pair contributes its distance; a negative pair contributes the amount by which its distance is below the
margin of 0.5. The formula is missing from our copy of the paper, but the text describes these two cases.
"""

from torch import Tensor
from torch.nn import functional as F

from semblance.registry import OBJECTIVES

MARGIN = OBJECTIVES["contrastive"].constants["margin"]


def loss(embeddings: tuple[Tensor, Tensor], labels: Tensor) -> Tensor:
    """Return the mean loss of n pairs, from two `embeddings` of shape (n, d)."""
    distances = 1 - F.cosine_similarity(*embeddings)
    return (labels * distances + (1 - labels) * F.relu(MARGIN - distances)).mean()
