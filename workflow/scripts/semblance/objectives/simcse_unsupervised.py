"""Unsupervised SimCSE: identify each sentence under another dropout mask within the batch (SimCSE, equation 4)."""

import torch
from torch import Tensor
from torch.nn import functional as F

from semblance.data.triplets import twins as examples  # noqa: F401  (see objectives.examples)

TEMPERATURE = 0.05


def loss(embeddings: tuple[Tensor, Tensor], labels: Tensor) -> Tensor:
    """Return the mean loss from two `embeddings` of the same n sentences, shape (n, d) each; `labels` are ignored."""
    one, other = (F.normalize(e, dim=-1) for e in embeddings)
    return F.cross_entropy(one @ other.T / TEMPERATURE, torch.arange(len(one), device=one.device))
