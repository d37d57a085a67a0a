"""Run the layers of an encoder on the tokens of a batch without padding.

Batches contain pairs of similar length, yet about a fifth of their tokens is padding, because the two sentences of a
pair differ in length. All operations except attention work on single tokens, so the layers receive one sequence with
the tokens of all sentences (packed). Attention needs the sentence boundaries. It spreads the tokens over a grid of n
sentences by the length of the longest, and packs its result again.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AttentionInterface

from semblance.cpu import is_plain

ATTENTION = "packed"  # name under which it is registered in transformers
ARCHITECTURES = {"albert", "bert", "roberta"}  # have `embeddings`, an `encoder` and exchangeable attention


class Grid:
    """The positions of the tokens of n sentences, given their attention mask of shape (n, longest)."""

    def __init__(self, mask: Tensor, dtype: torch.dtype):
        self.shape, self._places, self.bias = mask.shape, None, None
        if not mask.all():
            self._places = mask.flatten().nonzero().squeeze(1)
            self.bias = (1 - mask[:, None, None].to(dtype)) * torch.finfo(dtype).min

    def packed(self, spread: Tensor) -> Tensor:
        """Remove padding: (n, longest, …) to (tokens, …)."""
        rows = spread.flatten(0, 1)
        return rows if self._places is None else rows.index_select(0, self._places)

    def spread(self, packed: Tensor) -> Tensor:
        """Add padding of zeros: (tokens, …) to (n, longest, …)."""
        if self._places is not None:
            rows = packed.new_zeros(self.shape.numel(), *packed.shape[1:])
            packed = rows.index_copy_(0, self._places, packed)
        return packed.unflatten(0, self.shape)


def can_pack(transformer: nn.Module) -> bool:
    """Return whether a transformers model is of one of `ARCHITECTURES`, whose layers accept packed tokens."""
    return transformer.config.model_type in ARCHITECTURES and not is_plain()


def is_packed(transformer: nn.Module) -> bool:
    """Return whether a model uses packed attention and must therefore be called by `hidden_states`."""
    return transformer.config._attn_implementation == ATTENTION


def hidden_states(transformer: nn.Module, inputs: dict[str, Tensor]) -> Tensor:
    """Return the last layer's states of n tokenised sentences, shape (n, longest, d); padding is 0."""
    tokens = {name: tensor for name, tensor in inputs.items() if name != "attention_mask"}
    embedded = transformer.embeddings(**tokens)  # not packed, because positions count from the start of a sentence
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
    """Compute transformers' eager attention on packed tokens.

    A model with this attention must be called by `hidden_states`, which passes `grid`; any other call raises
    TypeError.

    Args:
        module: attention layer, for its training mode.
        query: shape (1, heads, tokens, d).
        key: shape (1, heads, tokens, d).
        value: shape (1, heads, tokens, d).
        attention_mask: not used.
        grid: positions of the tokens.
        scaling: factor of the scores.
        dropout: probability of dropout on the weights.

    Returns:
        The attended values, shape (1, tokens, heads, d), and the attention weights, (n, heads, longest, longest).
    """
    query, key, value = (grid.spread(part.transpose(1, 2)[0]).transpose(1, 2) for part in (query, key, value))
    scores = query @ key.transpose(2, 3) * scaling
    if grid.bias is not None:
        scores = scores + grid.bias
    weights = F.dropout(F.softmax(scores, dim=-1), p=dropout, training=module.training)
    return grid.packed((weights @ value).transpose(1, 2))[None], weights


AttentionInterface.register(ATTENTION, attention)  # transformers makes no mask, as none is registered for this name
