"""How alike networks find the tokens of two sentences (sn3d, figure 7)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import torch

from semblance.data.rows import Pairs
from semblance.models.siamese_3d import Model
from semblance.models.siamese_3d.frozen import Encoder, PairTokens


def most_like(pairs: Pairs, text: str) -> int:
    """The pair whose words overlap most with those of `text` (Jaccard); the first of several."""
    wanted = _words(text)
    sides = zip(pairs.sentence1, pairs.sentence2, strict=True)
    found = [_words(f"{first} {second}") for first, second in sides]
    return int(np.argmax([len(words & wanted) / len(words | wanted) for words in found]))


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


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))
