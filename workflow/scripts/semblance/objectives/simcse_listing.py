"""Supervised SimCSE as in the code of the thesis (smart, listing B.2).

The exponentials of the positives, shape (n,), are broadcast along the rows of the exponentials of all anchors and
negatives, shape (n, n). Column j thus compares the similarity of anchor j and its positive with the similarity of every
anchor i and negative j.
"""

from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import of_inference as examples  # noqa: F401  (see objectives.examples)
from semblance.registry import OBJECTIVES

TEMPERATURE = OBJECTIVES["simcse-listing"].constants["temperature"]


def loss(embeddings: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """Return the mean loss of n triplets, from three `embeddings` of shape (n, d); `labels` are ignored."""
    anchor, positive, negative = (F.normalize(e, dim=-1) for e in embeddings)
    near = (anchor * positive).sum(-1)
    return F.softplus((anchor @ negative.T - near) / TEMPERATURE).mean()
