"""An encoder's layers over the tokens of a batch alone, its padding left out.

Batches of pairs are made of like lengths, and yet a fifth of one is padding: its sentences are two to a pair. All but
attention goes token by token, so the layers see one row of tokens. Attention, which must know whose they are, spreads
them over the grid of n sentences by the longest one's tokens, and packs what it finds.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AttentionInterface

ATTENTION = "packed"  # transformers' name of it
ARCHITECTURES = {"albert", "bert", "roberta"}  # with `embeddings`, an `encoder`, and attention that can be chosen


class Grid:
    """Where the tokens of n sentences stand, by their attention mask of shape (n, longest)."""

    def __init__(self, mask: Tensor, dtype: torch.dtype):
        self.shape, self._places, self.bias = mask.shape, None, None
        if not mask.all():
            self._places = mask.flatten().nonzero().squeeze(1)
            self.bias = (1 - mask[:, None, None].to(dtype)) * torch.finfo(dtype).min

    def packed(self, spread: Tensor) -> Tensor:
        """(n, longest, …) as (tokens, …)."""
        rows = spread.flatten(0, 1)
        return rows if self._places is None else rows.index_select(0, self._places)

    def spread(self, packed: Tensor) -> Tensor:
        """(tokens, …) as (n, longest, …), 0 where there is no token."""
        if self._places is not None:
            rows = packed.new_zeros(self.shape.numel(), *packed.shape[1:])
            packed = rows.index_copy_(0, self._places, packed)
        return packed.unflatten(0, self.shape)


def can_pack(transformer: nn.Module) -> bool:
    """Whether the layers of a model of transformers can be gone through so: BERT's, and those made like it."""
    return transformer.config.model_type in ARCHITECTURES


def is_packed(transformer: nn.Module) -> bool:
    """Whether its attention was set to `ATTENTION`, so that `hidden_states` is the way to call it."""
    return transformer.config._attn_implementation == ATTENTION


def hidden_states(transformer: nn.Module, inputs: dict[str, Tensor]) -> Tensor:
    """The last layer's states of n tokenised sentences, (n, longest, d); 0 where there is no token."""
    tokens = {name: tensor for name, tensor in inputs.items() if name != "attention_mask"}
    embedded = transformer.embeddings(**tokens)  # not packed: a model's positions count from a sentence's beginning
    grid = Grid(inputs["attention_mask"], embedded.dtype)
    states = transformer.encoder(grid.packed(embedded)[None], attention_mask=None, grid=grid).last_hidden_state
    return grid.spread(states[0])


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: None,
    *,
    grid: Grid,
    scaling: float,
    dropout: float = 0.0,
    **_,
) -> tuple[Tensor, Tensor]:
    """transformers' eager attention, of (1, heads, tokens, d) that stand on a `grid`: (1, tokens, heads, d).

    A model called in any other way than by `hidden_states` has no grid and raises TypeError.
    """
    query, key, value = (grid.spread(part.transpose(1, 2)[0]).transpose(1, 2) for part in (query, key, value))
    scores = query @ key.transpose(2, 3) * scaling
    if grid.bias is not None:
        scores = scores + grid.bias
    weights = F.dropout(F.softmax(scores, dim=-1), p=dropout, training=module.training)
    return grid.packed((weights @ value).transpose(1, 2))[None], weights


AttentionInterface.register(ATTENTION, attention)  # to which transformers gives no mask: none is registered for it
