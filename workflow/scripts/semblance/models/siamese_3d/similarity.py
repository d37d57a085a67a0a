"""How alike networks find the tokens of two sentences (sn3d, figure 7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from semblance.data.overlap import overlap
from semblance.data.rows import Pairs
from semblance.models.siamese_3d import Model
from semblance.models.siamese_3d.frozen import Encoder, PairTokens


def most_like(pairs: Pairs, text: str) -> int:
    """The pair whose words overlap most with those of `text` (Jaccard); the first of several."""
    sides = zip(pairs.sentence1, pairs.sentence2, strict=True)
    return int(np.argmax([overlap(f"{first} {second}", text) for first, second in sides]))


@torch.no_grad()
def compared(models: Sequence[Model], encoder: Encoder, pairs: Pairs, index: int, max_length: int) -> dict:
    """One pair's tokens, and each network's similarity matrix of them, (tokens of one, tokens of the other).

    The marks that a tokenizer sets before and after a sentence are left out.
    """
    tokens = PairTokens(encoder.tokenizer, pairs.take([index]), max_length)
    words = [encoder.tokenizer.convert_ids_to_tokens(ids.tolist()) for ids in tokens.of_pair(0)]
    states = encoder.states(tokens.batch(np.array([0])))
    rows, columns = ([w not in encoder.tokenizer.all_special_tokens for w in side] for side in words)
    matrices = []
    for model in models:
        alike = model.network.similarity(*states)[0].cpu().numpy()
        matrices.append(alike[: len(rows), : len(columns)][np.ix_(rows, columns)].round(6).tolist())
    kept = [[word for word, keep in zip(side, keeps) if keep] for side, keeps in zip(words, (rows, columns))]
    return {"id": pairs.id[index], "tokens": kept, "matrices": matrices}
