"""Supervised SimCSE as the thesis's code has it (smart, listing B.2).

The positives' exponentials, (n,), are broadcast along the rows of the anchors' with all negatives, (n, n): column j
sets anchor j's positive against the similarity of every anchor i with negative j.
"""

from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import of_inference as examples  # noqa: F401  (what this objective learns from)

TEMPERATURE = 0.05
ACROSS_THE_BATCH = True


def loss(embeddings: tuple[Tensor, Tensor, Tensor], labels: Tensor) -> Tensor:
    """`embeddings` of anchors, positives and negatives, (n, d) each; `labels` are not looked at."""
    anchor, positive, negative = (F.normalize(e, dim=-1) for e in embeddings)
    near = (anchor * positive).sum(-1)
    return F.softplus((anchor @ negative.T - near) / TEMPERATURE).mean()
