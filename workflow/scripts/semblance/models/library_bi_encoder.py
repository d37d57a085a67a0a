"""Any bi-encoder of sentence-transformers, unchanged, scored by the cosine of its embeddings."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from semblance.data.rows import Pairs
from semblance.device import choose
from semblance.files import link_or_copy
from semblance.specs.run import ModelSpec
from semblance.tokens import PREDICTION_BATCH


class Model:
    """A bi-encoder of sentence-transformers; `spec` may override its `max_length`."""

    def __init__(self, module, folder: Path):
        self.module, self._folder = module, folder

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> Model:
        """Open the model in `folder`, with safetensors weights only and without running its own code."""
        from sentence_transformers import SentenceTransformer

        module = SentenceTransformer(
            str(folder), device=choose(device), trust_remote_code=False, model_kwargs={"use_safetensors": True}
        )
        module.max_seq_length = spec.max_length or module.max_seq_length
        return cls(module, folder)

    def score(self, pairs: Pairs) -> np.ndarray:
        """Return cosines in [-1, 1], shape (len(pairs),). Each distinct sentence is encoded once."""
        sentences, where = pairs.distinct_sentences()
        vectors = self.module.encode(
            sentences, batch_size=PREDICTION_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.einsum("nd,nd->n", vectors[where[:, 0]], vectors[where[:, 1]])

    def save(self, folder: Path) -> None:
        shutil.copytree(self._folder, folder, copy_function=link_or_copy, dirs_exist_ok=True)
