"""Squared error of a predicted score on the corpus's own scale from 0 to 5 (smart, section 3.3.4)."""

from torch import Tensor
from torch.nn import functional as F

from semblance.registry import HIGHEST_SCORE


def loss(scores: Tensor, labels: Tensor) -> Tensor:
    """Return the mean loss of `scores` of shape (n,) on the scale from 0 to 5; `labels` are in [0, 1]."""
    return F.mse_loss(scores, HIGHEST_SCORE * labels)
