"""A frozen encoder and the batches made for it, which every network over it shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModel, AutoTokenizer, PreTrainedModel

from semblance.data.rows import Pairs, each_once
from semblance.training.batches import Tokens, by_length
from semblance.training.device import attention

PREDICTION_BATCH = 32
States = tuple[Tensor, Tensor, Tensor, Tensor]  # of both sentences (n, H, L, D), and their masks (n, L)


class Encoder:
    """An encoder that is not trained, and gives the states of all its blocks."""

    def __init__(self, folder: Path, device: str):
        module: PreTrainedModel = AutoModel.from_pretrained(
            folder, dtype=torch.float32, attn_implementation=attention()
        )
        self.module = module.to(device).eval().requires_grad_(False)
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.shape = (module.config.num_hidden_layers, module.config.hidden_size)

    @torch.no_grad()
    def states(self, inputs: Mapping[str, Tensor], dtype: torch.dtype = torch.float32) -> States:
        """Of n pairs, from their 2n sequences: first one side's, then the other's. 0 where there is no token."""
        inputs = {name: tensor.to(self.module.device) for name, tensor in inputs.items()}
        _, *blocks = self.module(**inputs, output_hidden_states=True).hidden_states
        mask = inputs["attention_mask"].bool()
        # Block after block in memory, which is how every network's extraction goes through them.
        states = torch.stack([(block * mask[..., None]).to(dtype) for block in blocks]).transpose(0, 1)
        return *states.chunk(2), *mask.chunk(2)

    def passes(self, tokens: PairTokens) -> Iterator[tuple[np.ndarray, States]]:
        """The states of all pairs, a batch at a time, with the places of its pairs."""
        for indices in by_length(tokens.lengths, PREDICTION_BATCH):
            yield indices, self.states(tokens.batch(indices))


class PairTokens:
    """Tokenised pairs, each distinct sentence once."""

    def __init__(self, tokenizer, pairs: Pairs, max_length: int):
        sentences, self._where = each_once(pairs.columns)
        self._tokens = Tokens(tokenizer, sentences, max_length=max_length)
        self.lengths = self._tokens.lengths[self._where].max(axis=1)

    def batch(self, indices: np.ndarray) -> dict[str, Tensor]:
        """Both sentences of n pairs in one stack of 2n sequences."""
        return self._tokens.batch(self._where[indices].T.reshape(-1))

    def of_pair(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of the tokens of one pair's two sentences."""
        first, second = self._where[index]
        return self._tokens.of(first), self._tokens.of(second)
