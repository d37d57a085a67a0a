"""A frozen encoder and its batches, which all networks over it share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModel, AutoTokenizer, PreTrainedModel

from semblance.cpu import attention
from semblance.tokens import ColumnTokens

PREDICTION_BATCH = 32
States = tuple[Tensor, Tensor, Tensor, Tensor]  # states of both sentences, (n, H, L, D), and their masks, (n, L)


class Encoder:
    """A frozen encoder that returns the states of all its blocks.

    Its `shape` is the number of blocks and their width.
    """

    def __init__(self, folder: Path, device: str):
        module: PreTrainedModel = AutoModel.from_pretrained(
            folder, dtype=torch.float32, attn_implementation=attention(device)
        )
        self.module = module.to(device).eval().requires_grad_(False)
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.shape = (module.config.num_hidden_layers, module.config.hidden_size)

    @torch.no_grad()
    def states(self, inputs: Mapping[str, Tensor]) -> States:
        """Return the states and masks of n pairs.

        Args:
            inputs: 2n tokenised sequences: all first sentences, then all second sentences.

        Returns:
            The float32 states of both sentences, shape (n, H, L, D) each, with zeros at padding, and their masks,
            shape (n, L) each.
        """
        inputs = {name: tensor.to(self.module.device) for name, tensor in inputs.items()}
        _, *blocks = self.module(**inputs, output_hidden_states=True).hidden_states
        mask = inputs["attention_mask"].bool()
        # The memory layout is block by block, because every network's extraction reads the states in this order.
        states = torch.stack([(block * mask[..., None]).float() for block in blocks]).transpose(0, 1)
        return *states.chunk(2), *mask.chunk(2)

    def states_of(self, tokens: ColumnTokens, indices: np.ndarray) -> States:
        return self.states(tokens.batch(indices))
