"""Cross-entropy over classes (sn3d, section 4.3)."""

from torch import Tensor
from torch.nn import functional as F


def loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean loss of `logits` of shape (n, classes); `labels` are class indices of shape (n,)."""
    return F.cross_entropy(logits, labels.long())
