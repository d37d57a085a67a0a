"""Binary cross-entropy of one logit per pair (stl, equation 4)."""

from torch import Tensor
from torch.nn import functional as F


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean loss of `logits` of shape (n,)."""
    return F.binary_cross_entropy_with_logits(logits, labels)
