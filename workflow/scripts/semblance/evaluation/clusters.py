"""Clusters of examples with correlated errors, because they share a sentence or a kind of sentence."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

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
    columns = [[text.strip().casefold() for text in column] for column in pairs.columns]
    if kinds:
        columns.append([text if kind is None else f"\n{kind}" for text, kind in zip(columns[0], kinds, strict=True)])
    things, where = each_once(columns)
    first, others = np.repeat(where[:, 0], where.shape[1]), where.ravel()
    graph = coo_array((np.ones(len(others)), (first, others)), shape=(len(things), len(things)))
    _, component = connected_components(graph, directed=False)
    return pd.factorize(component[where[:, 0]])[0]
