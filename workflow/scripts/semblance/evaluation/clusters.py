"""Which examples are right or wrong together, for they share a sentence, or are of one kind of sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semblance.data.rows import Pairs, each_once


def of_pairs(pairs: Pairs, kinds: Sequence[str | None] | None = None) -> np.ndarray:
    """The cluster of each pair: one number for those that share a sentence, directly or through others; (n,).

    With `kinds`, one for those of a kind as well. Numbers go from 0 in order of appearance; sentences are the same but
    for case and outer spaces.
    """
    # Union-find: to import scipy's connected_components takes as long as all else a table's job starts with.
    columns = [[text.strip().casefold() for text in column] for column in pairs.columns]
    if kinds:
        columns.append([text if kind is None else f"\n{kind}" for text, kind in zip(columns[0], kinds, strict=True)])
    things, where = each_once(columns)
    parent = list(range(len(things)))

    def root(thing: int) -> int:
        while parent[thing] != thing:
            parent[thing] = thing = parent[parent[thing]]
        return thing

    rows = where.tolist()
    for first, *others in rows:
        for other in others:
            parent[root(other)] = root(first)
    numbers: dict[int, int] = {}
    return np.array([numbers.setdefault(root(first), len(numbers)) for first, *_ in rows])
