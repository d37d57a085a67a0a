"""Cross-entropy of one logit a pair (stl, equation 4)."""

from torch import Tensor
from torch.nn import functional as F


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(logits, labels)
