"""Triplets drawn from labelled pairs."""

import pytest

from semblance.data import triplets
from semblance.errors import UserError


def test_triplets_are_two_a_positive_pair_with_the_corpuss_own_negative_where_there_is_one(make_pairs):
    pairs = make_pairs(("a", "b", 1), ("a", "x", 0), ("c", "d", 1), ("y", "z", 0), ("y", "c", 1), ("x", "d", 1))
    for seed in range(20):
        anchors, positives, negatives = triplets.draw(pairs, seed).columns
        drawn = list(zip(anchors, positives))
        assert drawn == [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("y", "c"), ("c", "y"), ("x", "d"), ("d", "x")]
        assert negatives[0] == "x" and negatives[4] == "z"
        for anchor, positive, negative in zip(anchors, positives, negatives):
            assert negative in {"a", "x", "y", "z"} - {anchor, positive}
        assert negatives[2] not in ("y", "x")  # duplicates of c and of d
    assert triplets.draw(pairs, 1) == triplets.draw(pairs, 1) != triplets.draw(pairs, 2)


def test_a_hard_negative_is_the_nearest_sentence_that_is_no_duplicate(make_pairs):
    near, far, duplicate = "the red car stopped", "a dog barks", "the red car is red"
    anchor, partner = "the red car", "a car in red"
    pairs = make_pairs((anchor, partner, 1), (anchor, duplicate, 1), (near, far, 0), (duplicate, "x y", 0))
    anchors, positives, negatives = triplets.draw_hard(pairs, seed=1).columns
    chosen = dict(zip(zip(anchors, positives), negatives))
    assert chosen[anchor, partner] == near  # nearer would be the duplicate, which is in a negative pair as well
    assert chosen[duplicate, anchor] == "x y"  # its own


def test_triplets_without_negatives_are_refused(make_pairs):
    with pytest.raises(UserError, match="needs pairs labelled 0 as well"):
        triplets.draw(make_pairs(("a", "b", 1), ("c", "d", 1)), 1)


@pytest.mark.parametrize(("label", "missing"), [(0, "labelled 1"), (1, "labelled 0")])
def test_triplets_need_pairs_of_both_labels(make_pairs, label, missing):
    with pytest.raises(UserError, match=missing):
        triplets.draw(make_pairs(("a", "b", label)), seed=1)
