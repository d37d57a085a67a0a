"""Pre-training small encoders in the pipeline, for when no real ones may be downloaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from torch import Tensor, nn

from semblance import objectives
from semblance.data.generator.corpora import Pair
from semblance.encoders import architectures
from semblance.training.batches import Tokens
from semblance.training.curve import Curve
from semblance.training.engine import train
from semblance.training.recipe import Recipe

MASKED = 0.15  # share of tokens to predict; of these 80% masked, 10% random, 10% kept (BERT, section 3.1)
VOCABULARY_HEADS = {"bert": "cls", "roberta": "lm_head", "albert": "predictions"}


class PretrainingModel(nn.Module):
    """A masked language model with BERT's second head: do these two sentences belong together?"""

    def __init__(self, masked_lm):
        super().__init__()
        self.masked_lm = masked_lm
        self.together = nn.Linear(masked_lm.config.hidden_size, 1)

    def forward(self, inputs: dict[str, Tensor], masked: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of the m masked tokens (m, vocabulary) and of the n pairs (n,).

        `masked`, of shape (n, length), says where: the vocabulary is large, the masked are few.
        """
        hidden = self.masked_lm.base_model(**inputs).last_hidden_state
        vocabulary_head = self.masked_lm.get_submodule(VOCABULARY_HEADS[self.masked_lm.config.model_type])
        return vocabulary_head(hidden[masked]), self.together(hidden[:, 0]).squeeze(-1)


class MaskedPairs:
    """Pairs of sentences with some tokens masked, as the engine wants them."""

    def __init__(self, module: PretrainingModel, tokenizer, pairs: Sequence[Pair], max_length: int, seed: int):
        self.module, self._tokenizer = module, tokenizer
        first, second = [p.sentence1 for p in pairs], [p.sentence2 for p in pairs]
        self._tokens = Tokens(tokenizer, first, second, max_length=max_length)
        self._together = torch.tensor([p.label for p in pairs])
        self._special = torch.tensor(tokenizer.all_special_ids)
        self._random = torch.Generator().manual_seed(seed)
        self.lengths = self._tokens.lengths

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], tuple[Tensor, Tensor]]:
        inputs = self._tokens.batch(indices)
        ids = inputs["input_ids"]
        # Half of the pairs stay whole: a masked word may be the very one that sets two sentences apart.
        whole = self._draw((len(indices), 1)) < 0.5
        chosen = (self._draw(ids.shape) < MASKED) & ~whole & ~torch.isin(ids, self._special)
        targets = ids[chosen]
        fate = self._draw(ids.shape)
        others = torch.randint(len(self._tokenizer), ids.shape, generator=self._random)
        ids = torch.where(chosen & (fate < 0.8), self._tokenizer.mask_token_id, ids)
        inputs["input_ids"] = torch.where(chosen & (fate >= 0.9), others, ids)
        inputs["masked"] = chosen
        return inputs, (targets, self._together[indices])

    def _draw(self, shape: torch.Size) -> Tensor:
        return torch.rand(shape, generator=self._random)

    def forward(self, inputs: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        masked = inputs.pop("masked")
        return self.module(inputs, masked)


def masked_encoder(
    spec: Mapping, pairs: Sequence[Pair], folder: Path, accelerator: Accelerator, curve: Curve, seed: int
) -> dict:
    """Train a tokenizer and an encoder on sentence pairs as BERT was; save both to `folder`.

    `spec` has `architecture`, `vocabulary`, `max_length`, `shape` and the engine's `recipe`. Returns
    the facts of the training.
    """
    texts = [text for pair in pairs for text in (pair.sentence1, pair.sentence2)]
    tokenizer = architectures.tokenizer(spec["architecture"], texts, spec["vocabulary"])
    tokenizer.model_max_length = spec["max_length"]
    masked_lm = architectures.masked_language_model(spec["architecture"], tokenizer, spec["shape"])
    task = MaskedPairs(PretrainingModel(masked_lm), tokenizer, pairs, spec["max_length"], seed)
    facts = _train(spec, task, "pretraining", accelerator, curve, seed)
    masked_lm.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return facts


def sentence_encoder(
    spec: Mapping, start: Path, pairs: Sequence[Pair], folder: Path, accelerator: Accelerator, curve: Curve, seed: int
) -> dict:
    """Train the encoder in `start` to put restatements close, as sentence-transformers' were; save it.

    `spec` has `pooling`, `max_length` and the engine's `recipe`; every pair is a restatement.
    """
    from semblance.data.rows import Pairs
    from semblance.models.bi_encoder import Model

    model = Model.open({k: spec[k] for k in ("pooling", "max_length")}, start, accelerator.device.type)
    ids, groups = [str(i) for i in range(len(pairs))], [p.group for p in pairs]
    columns = [p.sentence1 for p in pairs], [p.sentence2 for p in pairs]
    task = model.task(Pairs(ids, *columns, np.ones(len(pairs)), groups, "binary"))
    facts = _train(spec, task, "in-batch-ranking", accelerator, curve, seed)
    model.save(folder)
    return facts


def _train(spec: Mapping, task, objective: str, accelerator: Accelerator, curve: Curve, seed: int) -> dict:
    loss, recipe = objectives.named(objective), Recipe(**spec["recipe"])
    return train(task, loss, recipe, seed=seed, stage="pre-training", accelerator=accelerator, curve=curve)
