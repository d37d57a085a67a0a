"""A bi-encoder: each sentence through the encoder alone, pooled, compared by cosine (SBERT, figure 2)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from torch import Tensor

from semblance.data.rows import Pairs
from semblance.training.batches import Tokens
from semblance.training.device import attention, choose

PREDICTION_BATCH = 64


class Model:
    """A SentenceTransformer of two modules: the encoder, and `pooling` (mean, max or cls) over its tokens."""

    def __init__(self, spec: dict, module: SentenceTransformer):
        self.spec, self.module = spec, module

    @classmethod
    def open(cls, spec: dict, folder: Path, device: str) -> Model:
        """The encoder or finished run in `folder`."""
        kwargs = {"attn_implementation": attention(), "dtype": torch.float32}
        encoder = Transformer(str(folder), max_seq_length=spec["max_length"], model_kwargs=kwargs)
        pooling = Pooling(encoder.get_embedding_dimension(), pooling_mode=spec["pooling"])
        return cls(spec, SentenceTransformer(modules=[encoder, pooling], device=choose(device)))

    def task(self, pairs: Pairs) -> _Task:
        return _Task(self, pairs)

    @torch.inference_mode()
    def score(self, pairs: Pairs) -> np.ndarray:
        """Cosines on [-1, 1], shape (len(pairs),), every distinct sentence encoded once."""
        self.module.eval()
        sentences, where = pairs.distinct_sentences()
        vectors = self.module.encode(
            sentences, batch_size=PREDICTION_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.einsum("nd,nd->n", vectors[where[:, 0]], vectors[where[:, 1]])

    def save(self, folder: Path) -> None:
        self.module.save(str(folder), create_model_card=False)


class _Task:
    """A bi-encoder and the labelled pairs it is to learn, as the engine wants them."""

    def __init__(self, model: Model, pairs: Pairs):
        sentences, self._where = pairs.distinct_sentences()
        self._model = model
        self._tokens = Tokens(model.module.tokenizer, sentences, max_length=model.spec["max_length"])
        self._targets = torch.tensor(pairs.targets, dtype=torch.float32)
        self.lengths = self._tokens.lengths[self._where].max(axis=1)

    @property
    def module(self):
        return self._model.module

    @module.setter
    def module(self, module) -> None:
        self._model.module = module

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], Tensor]:
        # Both columns in one batch: one pass of the encoder instead of two.
        both = self._where[indices].T.reshape(-1)
        return self._tokens.batch(both), self._targets[indices]

    def forward(self, inputs: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        return self.module(inputs)["sentence_embedding"].chunk(2)
