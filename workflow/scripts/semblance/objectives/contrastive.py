"""Pairwise contrastive loss on cosine distance: paraphrases together, others at least a margin apart (metric, 3.2.1).

The formula is missing from our copy of the paper; the text gives its two branches, the distance of a
positive pair and what a negative pair's distance lacks of the margin, 0.5.
"""

from torch import Tensor
from torch.nn import functional as F

MARGIN = 0.5


def loss(embeddings: tuple[Tensor, Tensor], labels: Tensor) -> Tensor:
    distances = 1 - F.cosine_similarity(*embeddings)
    return (labels * distances + (1 - labels) * F.relu(MARGIN - distances)).mean()
