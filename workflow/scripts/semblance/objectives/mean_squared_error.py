"""Squared error of a predicted score on [0, 1] (stl, equation 5)."""

from torch import Tensor
from torch.nn import functional as F


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    return F.mse_loss(logits.sigmoid(), labels)
