"""Pre-training small encoders in the pipeline, for when no real ones may be downloaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from semblance import objectives
from semblance.data.generator.corpora import Pair
from semblance.encoders import architectures
from semblance.training.batches import Tokens
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

    def __init__(self, module: PretrainingModel, tokenizer, pairs: Sequence[Pair], max_length: int):
        self.module, self._tokenizer = module, tokenizer
        first, second = [p.sentence1 for p in pairs], [p.sentence2 for p in pairs]
        self._tokens = Tokens(tokenizer, first, second, max_length=max_length)
        self._together = torch.tensor([p.label for p in pairs])
        self._special = torch.tensor(tokenizer.all_special_ids)
        self.lengths = self._tokens.lengths

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], tuple[Tensor, Tensor]]:
        inputs = self._tokens.batch(indices)
        ids = inputs["input_ids"]
        # Half of the pairs stay whole: a masked word may be the very one that sets two sentences apart.
        whole = torch.rand(len(indices), 1) < 0.5
        chosen = (torch.rand(ids.shape) < MASKED) & ~whole & ~torch.isin(ids, self._special)
        targets = ids[chosen]
        fate = torch.rand(ids.shape)
        others = torch.randint(len(self._tokenizer), ids.shape)
        ids = torch.where(chosen & (fate < 0.8), self._tokenizer.mask_token_id, ids)
        inputs["input_ids"] = torch.where(chosen & (fate >= 0.9), others, ids)
        inputs["masked"] = chosen
        return inputs, (targets, self._together[indices])

    def forward(self, inputs: dict[str, Tensor]) -> tuple[Tensor, Tensor]:
        masked = inputs.pop("masked")
        return self.module(inputs, masked)


def masked_encoder(spec: Mapping, pairs: Sequence[Pair], folder: Path, train: Callable) -> dict:
    """Train a tokenizer and an encoder on sentence pairs as BERT was; save both to `folder`.

    `spec` has `architecture`, `vocabulary`, `max_length`, `shape` and the engine's `recipe`; `train` is the
    engine's, told all but task, objective and recipe. Returns the facts of the training.
    """
    texts = [text for pair in pairs for text in (pair.sentence1, pair.sentence2)]
    tokenizer = architectures.tokenizer(spec["architecture"], texts, spec["vocabulary"])
    tokenizer.model_max_length = spec["max_length"]
    masked_lm = architectures.masked_language_model(spec["architecture"], tokenizer, spec["shape"])
    task = MaskedPairs(PretrainingModel(masked_lm), tokenizer, pairs, spec["max_length"])
    facts = train(task, objectives.named("pretraining"), Recipe(**spec["recipe"]))
    masked_lm.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return facts


def sentence_encoder(
    spec: Mapping, start: Path, pairs: Sequence[Pair], folder: Path, where: str, train: Callable
) -> dict:
    """Train the encoder in `start` to put restatements close, as sentence-transformers' were; save it.

    `spec` has `pooling`, `max_length` and the engine's `recipe`; every pair is a restatement. `where` is the
    device, `train` as for `masked_encoder`.
    """
    from semblance.data.rows import Pairs
    from semblance.models.bi_encoder import Model

    model = Model.open({k: spec[k] for k in ("pooling", "max_length")}, start, where)
    ids, groups = [str(i) for i in range(len(pairs))], [p.group for p in pairs]
    columns = [p.sentence1 for p in pairs], [p.sentence2 for p in pairs]
    task = model.task(Pairs(ids, *columns, np.ones(len(pairs)), groups, "binary"))
    facts = train(task, objectives.named("in-batch-ranking"), Recipe(**spec["recipe"]))
    model.save(folder)
    return facts
