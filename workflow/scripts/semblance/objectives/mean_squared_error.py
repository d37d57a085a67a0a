"""Squared error of a predicted score in [0, 1] (stl, equation 5)."""

from torch import Tensor
from torch.nn import functional as F


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean loss of `logits` of shape (n,), whose sigmoids are the predicted scores."""
    return F.mse_loss(logits.sigmoid(), labels)
