"""What the models that embed each sentence alone have in common: the encoder with its pooling, and their batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from torch import Tensor, nn

from semblance.data.rows import each_once
from semblance.training.batches import Tokens
from semblance.training.device import attention, choose


def open_encoder(spec: dict, folder: Path, device: str) -> SentenceTransformer:
    """The encoder in `folder`, pooled as `spec` says: over the tokens that are not padding."""
    kwargs = {"attn_implementation": attention(), "dtype": torch.float32}
    encoder = Transformer(str(folder), max_seq_length=spec["max_length"], model_kwargs=kwargs)
    pooling = Pooling(encoder.get_embedding_dimension(), pooling_mode=spec["pooling"])
    return SentenceTransformer(modules=[encoder, pooling], device=choose(device))


class Columns:
    """A model of sentences and the columns of them it is to learn from, as the engine wants them.

    `examples` have `columns`, sentences to embed together, and their `targets`.
    """

    def __init__(self, model, examples):
        sentences, self._where = each_once(examples.columns)
        self._model = model
        self._tokens = Tokens(model.module.sentences.tokenizer, sentences, max_length=model.spec["max_length"])
        self._targets = torch.tensor(examples.targets, dtype=torch.float32)
        self.lengths = self._tokens.lengths[self._where].max(axis=1)

    @property
    def module(self):
        return self._model.module

    @module.setter
    def module(self, module) -> None:
        self._model.module = module

    @property
    def encoder(self) -> nn.Module:
        return self.module.sentences

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], Tensor]:
        # All columns in one batch: one pass of the encoder instead of one each.
        together = self._where[indices].T.reshape(-1)
        return self._tokens.batch(together), self._targets[indices]

    def embeddings(self, inputs: dict[str, Tensor]) -> tuple[Tensor, ...]:
        """The k columns' embeddings, (n, d) each."""
        return self.module.sentences(inputs)["sentence_embedding"].chunk(self._where.shape[1])
