"""Cross-entropy of n logits a class, (n, classes), with the classes' numbers (sn3d, section 4.3)."""

from torch import Tensor
from torch.nn import functional as F


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(logits, labels.long())
