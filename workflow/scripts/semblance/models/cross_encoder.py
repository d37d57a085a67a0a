"""A cross-encoder: both sentences through one encoder together, one score out (stl, equation 3)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from semblance.data.rows import Pairs
from semblance.progress import bar
from semblance.training.batches import Tokens, by_length
from semblance.training.device import attention, choose

PREDICTION_BATCH = 64


class Model:
    """An encoder with a head on its first token: one logit, whose sigmoid is the score, or one a class."""

    def __init__(self, spec: dict, module: PreTrainedModel, tokenizer: PreTrainedTokenizerBase):
        self.spec, self.module, self.tokenizer = spec, module, tokenizer

    @classmethod
    def open(cls, spec: dict, folder: Path, device: str, *, new_head: bool = False) -> Model:
        """The encoder or finished run in `folder`; `new_head` replaces the head it came with."""
        module = AutoModelForSequenceClassification.from_pretrained(
            folder, num_labels=spec.get("classes", 1), dtype=torch.float32, attn_implementation=attention()
        )
        if new_head:
            module.classifier = AutoModelForSequenceClassification.from_config(module.config).classifier
        if "classes" not in spec:
            # CrossEncoder(folder) reads this, and then gives the scores recorded here.
            module.config.sentence_transformers = {"activation_fn": "torch.nn.modules.activation.Sigmoid"}
        tokenizer = AutoTokenizer.from_pretrained(folder)
        tokenizer.model_max_length = spec["max_length"]
        return cls(spec, module.to(choose(device)), tokenizer)

    def task(self, pairs: Pairs) -> _Task:
        return _Task(self, pairs)

    def tokens(self, pairs: Pairs) -> Tokens:
        return Tokens(self.tokenizer, pairs.sentence1, pairs.sentence2, max_length=self.spec["max_length"])

    @torch.inference_mode()
    def score(self, pairs: Pairs) -> np.ndarray:
        """Scores on [0, 1], shape (len(pairs),), or of classes, (len(pairs), classes), in 32-bit floats."""
        self.module.eval()
        shape = (len(pairs), self.spec["classes"]) if "classes" in self.spec else (len(pairs),)
        tokens, scores = self.tokens(pairs), np.empty(shape, dtype=np.float32)
        for indices in bar(by_length(tokens.lengths, PREDICTION_BATCH), what="scoring", unit="batch"):
            inputs = {k: v.to(self.module.device) for k, v in tokens.batch(indices).items()}
            logits = self.module(**inputs).logits
            found = logits.softmax(-1) if "classes" in self.spec else logits.squeeze(-1).sigmoid()
            scores[indices] = found.cpu().numpy()
        return scores

    def save(self, folder: Path) -> None:
        self.module.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


class _Task:
    """A cross-encoder and the labelled pairs it is to learn, as the engine wants them."""

    def __init__(self, model: Model, pairs: Pairs):
        self._model, self._tokens = model, model.tokens(pairs)
        self._targets = torch.tensor(pairs.targets, dtype=torch.float32)
        self.lengths = self._tokens.lengths

    @property
    def module(self):
        return self._model.module

    @module.setter
    def module(self, module) -> None:
        self._model.module = module

    @property
    def encoder(self):
        return self.module.base_model

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], Tensor]:
        return self._tokens.batch(indices), self._targets[indices]

    def forward(self, inputs: dict[str, Tensor]) -> Tensor:
        logits = self.module(**inputs).logits
        return logits if "classes" in self._model.spec else logits.squeeze(-1)
