"""Similarity matrices between the tokens of two sentences (sn3d, figure 7)."""

from collections.abc import Sequence

import numpy as np
import torch

from semblance.data.cues import overlap
from semblance.data.rows import Pairs
from semblance.models.siamese_3d import Model
from semblance.models.siamese_3d.frozen import Encoder
from semblance.tokens import ColumnTokens


def most_like(pairs: Pairs, text: str) -> int:
    """Return the index of the pair with the highest word overlap with `text` (Jaccard); the first one if tied."""
    sides = zip(pairs.sentence1, pairs.sentence2, strict=True)
    return int(np.argmax([overlap(f"{first} {second}", text) for first, second in sides]))


@torch.no_grad()
def compared(models: Sequence[Model], encoder: Encoder, pairs: Pairs, index: int, max_length: int) -> dict:
    """Compare the similarity matrices of several networks for one pair.

    Args:
        models: networks whose first attention defines similarities.
        encoder: their shared encoder.
        pairs: pairs that contain the one to compare.
        index: index of the pair.
        max_length: maximum number of tokens per sentence.

    Returns:
        The `id` of the pair, the `tokens` of both sentences, and one matrix per network in `matrices`, of shape (tokens
        of the first sentence, tokens of the second). Special tokens are excluded.
    """
    tokens = ColumnTokens(encoder.tokenizer, pairs.take([index]).columns, max_length=max_length)
    words = [encoder.tokenizer.convert_ids_to_tokens(ids.tolist()) for ids in tokens.of(0)]
    states = encoder.states(tokens.batch(np.array([0])))
    rows, columns = ([w not in encoder.tokenizer.all_special_tokens for w in side] for side in words)
    matrices = []
    for model in models:
        alike = model.network.similarity(*states)[0].cpu().numpy()
        matrices.append(alike[: len(rows), : len(columns)][np.ix_(rows, columns)].round(6).tolist())
    sides = [[word for word, shown in zip(side, mask) if shown] for side, mask in zip(words, (rows, columns))]
    return {"id": pairs.id[index], "tokens": sides, "matrices": matrices}
