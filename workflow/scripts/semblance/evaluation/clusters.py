"""Which examples are right or wrong together, for they share a sentence."""

from __future__ import annotations

import numpy as np

from semblance.data.rows import Pairs, each_once


def of_pairs(pairs: Pairs) -> np.ndarray:
    """The cluster of each pair: one number for those that share a sentence, directly or through others; (n,).

    Numbers go from 0 in order of appearance; sentences are the same but for case and outer spaces.
    """
    # Union-find: to import scipy's connected_components takes as long as all else a table's job starts with.
    sentences, where = each_once([[text.strip().casefold() for text in column] for column in pairs.columns])
    parent = list(range(len(sentences)))

    def root(sentence: int) -> int:
        while parent[sentence] != sentence:
            parent[sentence] = sentence = parent[parent[sentence]]
        return sentence

    first, last = where[:, 0].tolist(), where[:, -1].tolist()
    for one, other in zip(first, last, strict=True):
        parent[root(other)] = root(one)
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(root(sentence), len(numbers)) for sentence in first])
