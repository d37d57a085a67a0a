"""A bi-encoder, which encodes and pools each sentence separately (SBERT, figures 1 and 2).

The score of a pair is the cosine of its two embeddings, or a logistic regression on features of them, optionally
after hidden layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from semblance.models.embedding import SentenceEncoder, SentenceModel, SentenceTask
from semblance.models.features import of_pair
from semblance.specs.run import ModelSpec

HEAD = "pair_head.safetensors"


class Network(nn.Module):
    """A sentence encoder, and a head if `features` is not empty.

    The head is linear, or has hidden layers as wide as an embedding, with ReLU.
    """

    def __init__(self, sentences: SentenceEncoder, features: Sequence[str], hidden_layers: int = 0):
        super().__init__()
        self.sentences, self.features = sentences, features
        widths = [len(features) * sentences.width, *[sentences.width] * hidden_layers, 1]
        linear = [nn.Linear(*sizes, device=sentences.device) for sizes in pairwise(widths)] if features else [None]
        hidden = [part for layer in linear[:-1] for part in (layer, nn.ReLU())]
        self.head = nn.Sequential(*hidden, linear[-1]) if hidden else linear[-1]

    def logits(self, u: Tensor, v: Tensor) -> Tensor:
        """Return the head's logits of n pairs, shape (n,), from two embeddings of shape (n, d)."""
        return self.head(torch.cat(of_pair(self.features, u, v), dim=-1)).squeeze(-1)

    def scores(self, kind: str, columns: tuple[Tensor, ...]) -> Tensor:
        """Return the cosines in [-1, 1] of n pairs, or the head's probabilities in [0, 1], shape (n,)."""
        return F.cosine_similarity(*columns) if self.head is None else self.logits(*columns).sigmoid()


class Model(SentenceModel):
    """A bi-encoder.

    `spec` defines `pooling` (mean, max or cls), `max_length`, and optionally the `features` of a head and the number of
    its `hidden_layers`.
    """

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> Model:
        """Open an encoder or a finished run. A head without saved weights is initialised at random."""
        sentences = SentenceEncoder(folder, spec.pooling, spec.max_length, device)
        network = Network(sentences, spec.features, spec.hidden_layers)
        if network.head and (folder / HEAD).exists():
            network.head.load_state_dict(load_file(folder / HEAD))
        return cls(spec, network)

    def task(self, examples) -> _Task:
        """Return the engine's view of the model and of `examples`, which have `columns` of sentences and `targets`."""
        return _Task(self, examples)

    def save(self, folder: Path) -> None:
        self.module.sentences.save(folder)
        if self.module.head:
            save_file(self.module.head.state_dict(), folder / HEAD)


class _Task(SentenceTask):
    """A bi-encoder and its training examples."""

    def forward(self, inputs: dict[str, Tensor]) -> Tensor | tuple[Tensor, ...]:
        """Return the head's logits, shape (n,), or without a head the embeddings of each column, shape (n, d)."""
        columns = self.embeddings(inputs)
        return columns if self.module.head is None else self.module.logits(*columns)
