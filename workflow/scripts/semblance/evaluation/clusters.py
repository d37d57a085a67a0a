"""Clusters of examples with correlated errors, because they share a sentence or a kind of sentence."""

from collections.abc import Sequence

import numpy as np

from semblance.data.rows import Pairs, each_once


def of_pairs(pairs: Pairs, kinds: Sequence[str | None] | None = None) -> np.ndarray:
    """Return the index of each pair's cluster, shape (n,).

    Pairs are in one cluster if they share a sentence, directly or through other pairs. Sentences are compared without
    case and outer whitespace.

    Args:
        pairs: n pairs.
        kinds: kind of sentence of each pair, or None for a pair without one. Pairs of one kind are in one cluster too.

    Returns:
        Indices from 0 in order of appearance.
    """
    # Union-find, because importing scipy's connected_components takes as long as the rest of a table job's start.
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
