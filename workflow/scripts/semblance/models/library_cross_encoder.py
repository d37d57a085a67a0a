"""Any cross-encoder of sentence-transformers with one score, unchanged, with its own activation."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from semblance.data.rows import Pairs
from semblance.device import choose
from semblance.errors import UserError
from semblance.files import link_or_copy
from semblance.specs.run import ModelSpec
from semblance.tokens import PREDICTION_BATCH


class Model:
    """A cross-encoder of sentence-transformers; `spec` may override its `max_length`."""

    def __init__(self, encoder, folder: Path):
        self._encoder, self._folder = encoder, folder
        self.module = encoder.model

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> Model:
        """Open the model in `folder`, with safetensors weights only and without running its own code.

        Raises:
            UserError: if the model has several classes instead of one score.
        """
        from sentence_transformers import CrossEncoder

        encoder = CrossEncoder(
            str(folder),
            device=choose(device),
            max_length=spec.max_length,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        if encoder.config.num_labels != 1:
            raise UserError(
                f"the cross-encoder in {folder} tells {encoder.config.num_labels} classes apart: only those that give "
                "one score can be compared here"
            )
        return cls(encoder, folder)

    def score(self, pairs: Pairs) -> np.ndarray:
        """Return the model's scores on its own scale, shape (len(pairs),)."""
        texts = list(zip(pairs.sentence1, pairs.sentence2, strict=True))
        return self._encoder.predict(texts, batch_size=PREDICTION_BATCH, show_progress_bar=False)

    def save(self, folder: Path) -> None:
        shutil.copytree(self._folder, folder, copy_function=link_or_copy, dirs_exist_ok=True)
