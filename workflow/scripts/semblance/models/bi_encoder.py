"""A bi-encoder, which encodes and pools each sentence separately (SBERT, figures 1 and 2).

The score of a pair is the cosine of its two embeddings, or a logistic regression on features of them, optionally
after hidden layers.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from semblance.models.embedding import SentenceEncoder, SentenceModel
from semblance.models.features import of_pair
from semblance.specs.run import ModelSpec


class Network(nn.Module):
    """A sentence encoder, and a head if the model has `features`.

    The head is linear, or has hidden layers as wide as an embedding, with ReLU.
    """

    def __init__(self, sentences: SentenceEncoder, spec: ModelSpec):
        super().__init__()
        self.sentences, self.features = sentences, spec.features or ()
        widths = [len(self.features) * sentences.width, *[sentences.width] * spec.hidden_layers, 1]
        linear = [nn.Linear(*sizes, device=sentences.device) for sizes in pairwise(widths)] if self.features else [None]
        hidden = [part for layer in linear[:-1] for part in (layer, nn.ReLU())]
        self.head = nn.Sequential(*hidden, linear[-1]) if hidden else linear[-1]

    def logits(self, u: Tensor, v: Tensor) -> Tensor:
        """Return the head's logits of n pairs, shape (n,), from two embeddings of shape (n, d)."""
        return self.head(torch.cat(of_pair(self.features, u, v), dim=-1)).squeeze(-1)

    def output(self, kind: str | None, columns: tuple[Tensor, ...]) -> Tensor | tuple[Tensor, ...]:
        """Return the head's logits, shape (n,), or without a head the embeddings of each column, shape (n, d)."""
        return columns if self.head is None else self.logits(*columns)

    def scores(self, kind: str, columns: tuple[Tensor, ...]) -> Tensor:
        """Return the cosines in [-1, 1] of n pairs, or the head's probabilities in [0, 1], shape (n,)."""
        return F.cosine_similarity(*columns) if self.head is None else self.logits(*columns).sigmoid()


class Model(SentenceModel):
    """A bi-encoder.

    `spec` defines `pooling` (mean, max or cls), `max_length`, and optionally the `features` of a head and the number of
    its `hidden_layers`.
    """

    network = Network
    HEAD = "pair_head.safetensors"
