"""Clusters of rows: by shared sentences, and by kinds of sentences."""

from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation import clusters
from semblance.evaluation.evidence import Evidence
from semblance.specs.places import Places


def test_rows_that_share_a_sentence_are_one_cluster(make_pairs):
    """On either side, through other rows, and without regard to case and outer spaces."""
    pairs = make_pairs(("a", "b", 1), ("c", "d", 0), ("e", "A ", 1), ("f", "g", 0), ("f", "d", 1), ("h", "h", 1))
    assert clusters.of_pairs(pairs).tolist() == [0, 1, 0, 1, 1, 2]


def test_rows_that_share_nothing_are_clusters_of_their_own(make_pairs):
    """The empty second sentences of single-sentence rows do not connect them."""
    pairs = make_pairs(*((f"a{n}", f"b{n}", 0) for n in range(40)))
    single = Pairs(pairs.id, pairs.sentence1, [""] * 40, pairs.label, pairs.group, "polarity")
    assert clusters.of_pairs(pairs).tolist() == clusters.of_pairs(single).tolist() == list(range(40))


def test_clusters_are_scipys_connected_components(make_pairs):
    sides = np.random.default_rng(9).integers(0, 700, (300, 2))
    found = clusters.of_pairs(make_pairs(*((str(a), str(b), 0) for a, b in sides)))
    graph = coo_array((np.ones(300), sides.T), shape=(700, 700))
    theirs = connected_components(graph, directed=False)[1][sides[:, 0]]
    assert 50 < found.max() < 250  # clusters of several rows, and single rows
    assert ((found[:, None] == found) == (theirs[:, None] == theirs)).all()


def test_rows_that_share_a_sentence_are_drawn_together_in_every_part_of_a_split(make_pairs, tmp_path):
    pairs = make_pairs(("a", "b", 1), ("c", "d", 0), ("e", "f", 1), ("d", "g", 0), ("h", "a", 1))
    rows.write(tmp_path / "test.parquet", pairs)
    found = Evidence(Places("demo", {}, splits={"set/test": str(tmp_path / "test.parquet")}))
    assert found.clusters("set/test", np.array(pairs.id)).tolist() == [0, 1, 2, 1, 0]
    assert found.clusters("set/test", np.array(pairs.id)[[2, 3, 4]]).tolist() == [2, 1, 0]


def test_rows_of_one_kind_of_sentence_are_drawn_together_where_there_are_several(make_pairs, tmp_path):
    """They also include rows with a shared sentence. If all rows are of one kind, only shared sentences count."""
    pairs = make_pairs(*((f"a{n}", f"b{n}", n % 2) for n in range(6)), ("a5", "c", 0))
    groups = ["negation/can", "negation/can", "negation/is", "modal/must", "modal/must", "modal/may", None]
    rows.write(tmp_path / "test.parquet", replace(pairs, group=groups))
    found = Evidence(Places("demo", {}, splits={"set/test": str(tmp_path / "test.parquet")}))
    ids = np.array(pairs.id)
    assert found.clusters("set/test", ids).tolist() == [0, 0, 1, 2, 2, 3, 3]
    assert found.clusters("set/test", ids[:3]).tolist() == [0, 0, 1]
    assert found.clusters("set/test", ids[:2]).tolist() == [0, 1]
