"""A cross-encoder, which encodes both sentences of a pair as one sequence (stl, equation 3)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from semblance.cpu import attention
from semblance.data.rows import Pairs
from semblance.device import choose
from semblance.models.task import Task
from semblance.progress import bar
from semblance.specs.run import ModelSpec
from semblance.tokens import PREDICTION_BATCH, Tokens, by_length


class Model:
    """An encoder with a head on its first token.

    The head gives one logit, whose sigmoid is the score, or one logit per class if `spec` defines `classes`.
    """

    def __init__(self, spec: ModelSpec, module: PreTrainedModel, tokenizer: PreTrainedTokenizerBase):
        self.spec, self.module, self.tokenizer = spec, module, tokenizer

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str, *, new_head: bool = False) -> Model:
        """Open an encoder or a finished run; `new_head` replaces its head by one with random weights."""
        chosen = choose(device)
        module = AutoModelForSequenceClassification.from_pretrained(
            folder,
            num_labels=spec.classes or 1,
            dtype=torch.float32,
            attn_implementation=attention(chosen),
            ignore_mismatched_sizes=new_head,  # the head that is replaced can be of other classes
        )
        if new_head:
            module.classifier = AutoModelForSequenceClassification.from_config(module.config).classifier
        if not spec.classes:
            # With this entry, CrossEncoder(folder) returns the same scores as `score`.
            module.config.sentence_transformers = {"activation_fn": "torch.nn.modules.activation.Sigmoid"}
        tokenizer = AutoTokenizer.from_pretrained(folder)
        tokenizer.model_max_length = spec.max_length
        return cls(spec, module.to(chosen), tokenizer)

    def task(self, pairs: Pairs) -> _Task:
        return _Task(self, pairs)

    def tokens(self, pairs: Pairs) -> Tokens:
        return Tokens(self.tokenizer, pairs.sentence1, pairs.sentence2, max_length=self.spec.max_length)

    @torch.inference_mode()
    def score(self, pairs: Pairs) -> np.ndarray:
        """Return float32 scores in [0, 1], shape (len(pairs),), or class probabilities, (len(pairs), classes)."""
        self.module.eval()
        shape = (len(pairs), self.spec.classes) if self.spec.classes else (len(pairs),)
        tokens, scores = self.tokens(pairs), np.empty(shape, dtype=np.float32)
        for indices in bar(by_length(tokens.lengths, PREDICTION_BATCH), what="scoring", unit="batch"):
            inputs = {k: v.to(self.module.device) for k, v in tokens.batch(indices).items()}
            logits = self.module(**inputs).logits
            found = logits.softmax(-1) if self.spec.classes else logits.squeeze(-1).sigmoid()
            scores[indices] = found.cpu().numpy()
        return scores

    def save(self, folder: Path) -> None:
        self.module.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


class _Task(Task):
    """A cross-encoder and its training pairs."""

    def __init__(self, model: Model, pairs: Pairs):
        super().__init__(model.module, model.tokens(pairs), pairs.targets)
        self._classes = model.spec.classes

    @property
    def encoder(self) -> nn.Module:
        # Without the pooler of BERT and ALBERT, whose counterpart in RoBERTa is a part of the head.
        parts = self.module.base_model.named_children()
        return nn.ModuleDict({name: part for name, part in parts if name != "pooler"})

    def forward(self, inputs: dict[str, Tensor]) -> Tensor:
        logits = self.module(**inputs).logits
        return logits if self._classes else logits.squeeze(-1)
