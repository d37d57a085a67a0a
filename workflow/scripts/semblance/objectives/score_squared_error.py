"""Squared error of a predicted score, in the corpus's own unit, 0 to 5 (smart, section 3.3.4)."""

from torch import Tensor
from torch.nn import functional as F

HIGHEST = 5.0


def loss(scores: Tensor, labels: Tensor) -> Tensor:
    """`scores` of shape (n,), from 0 to 5; `labels` on [0, 1]."""
    return F.mse_loss(scores, HIGHEST * labels)
