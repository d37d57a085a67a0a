"""Which examples are right or wrong together, for they share a sentence."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from semblance.data.rows import Pairs, each_once


def of_pairs(pairs: Pairs) -> np.ndarray:
    """The cluster of each pair: one number for those that share a sentence, directly or through others; (n,).

    Numbers go from 0 in order of appearance; sentences are the same but for case and outer spaces.
    """
    sentences, where = each_once([[text.strip().casefold() for text in column] for column in pairs.columns])
    edges = (np.ones(len(pairs), dtype=bool), (where[:, 0], where[:, -1]))
    graph = coo_array(edges, shape=(len(sentences), len(sentences)))
    return connected_components(graph, directed=False)[1][where[:, 0]]
