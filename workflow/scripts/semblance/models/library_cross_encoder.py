"""Any cross-encoder of sentence-transformers with one score, unchanged, with its own activation."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from semblance.data.rows import Pairs
from semblance.device import choose
from semblance.errors import UserError
from semblance.models import library_bi_encoder
from semblance.specs.run import ModelSpec
from semblance.tokens import PREDICTION_BATCH


class Model(library_bi_encoder.Model):
    """A cross-encoder of sentence-transformers; `spec` may override its `max_length`."""

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> Model:
        """Open the model in `folder`, with safetensors weights only and without running its own code.

        Raises:
            UserError: if the model has several classes instead of one score.
        """
        from sentence_transformers import CrossEncoder

        module = CrossEncoder(
            str(folder),
            device=choose(device),
            max_length=spec.max_length,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        if module.config.num_labels != 1:
            raise UserError(
                f"the cross-encoder in {folder} has {module.config.num_labels} classes: only those with one "
                "score can be compared here"
            )
        return cls(module, folder)

    def score(self, pairs: Pairs) -> np.ndarray:
        """Return the model's scores on its own scale, shape (len(pairs),)."""
        texts = list(zip(pairs.sentence1, pairs.sentence2, strict=True))
        return self.module.predict(texts, batch_size=PREDICTION_BATCH, show_progress_bar=False)
