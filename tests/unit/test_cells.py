"""Cells of a table: thresholds tuned elsewhere, groups, the hard subset, several seeds."""

import numpy as np
import pytest

from semblance.errors import UserError
from semblance.evaluation import predictions
from semblance.evaluation.cells import measure
from semblance.evaluation.predictions import Predictions


def predicted(targets, scores, groups=None) -> Predictions:
    ids = np.array([str(n) for n in range(len(targets))])
    groups = np.array(groups if groups else [None] * len(targets), dtype=object)
    return Predictions(ids, np.array(targets, float), np.array(scores, float), groups)


STORE = {
    ("a", "set/dev"): [predicted([1, 0], [0.9, 0.7]), predicted([1, 0], [0.4, 0.2])],
    ("a", "set/test"): [
        predicted([1, 1, 0, 0], [0.85, 0.75, 0.78, 0.1], ["x", "x", "y", "y"]),
        predicted([1, 1, 0, 0], [0.35, 0.31, 0.1, 0.1], ["x", "x", "y", "y"]),
    ],
    ("lexical", "set/test"): [predicted([1, 1, 0, 0], [0.9, 0.1, 0.8, 0.2])],
}
TUNED = {"run": "a", "on": "set/test", "metric": "accuracy", "threshold": {"tune_on": "set/dev", "maximise": "f1"}}


def lookup(run, on):
    return STORE[run, on]


def test_every_seed_has_its_own_cut_tuned_on_other_rows():
    number = measure(TUNED, lookup)
    assert number.thresholds == [pytest.approx(0.8), pytest.approx(0.3)]
    assert number.per_seed == [0.75, 1.0] and number.value == 0.875 and number.examples == 4


def test_a_fixed_cut():
    assert measure({**TUNED, "threshold": 0.5}, lookup).per_seed == [0.75, 0.5]


def test_a_group():
    number = measure({**TUNED, "group": "x"}, lookup)
    assert number.per_seed == [0.5, 1.0] and number.examples == 2


def test_the_hard_subset_is_where_the_reference_run_is_furthest_off():
    number = measure({**TUNED, "hardest": {"share": 0.5, "for": "lexical"}}, lookup)
    assert number.examples == 2  # rows 1 (said 0.1 of a duplicate) and 2 (said 0.8 of another)
    assert number.per_seed == [0.5, 1.0]


def test_a_metric_without_a_cut_has_none():
    number = measure({"run": "a", "on": "set/test", "metric": "mean-absolute-error"}, lookup)
    assert number.thresholds is None
    assert number.per_seed[0] == pytest.approx((0.15 + 0.25 + 0.78 + 0.1) / 4)


def test_a_group_nobody_is_in_is_refused():
    with pytest.raises(UserError, match="no row of set/test is left"):
        measure({**TUNED, "group": "z"}, lookup)


def test_a_score_that_is_not_a_number_is_refused(tmp_path, make_pairs):
    with pytest.raises(UserError, match="the model scores row-1 as nan"):
        predictions.write(tmp_path / "p.parquet", make_pairs(("a", "b", 1), ("c", "d", 0)), np.array([0.1, np.nan]))
    assert not list(tmp_path.iterdir())


def test_predictions_come_back_as_written(tmp_path, make_pairs):
    pairs = make_pairs(("a", "b", 5), ("c", "d", 1), kind="score")
    predictions.write(tmp_path / "p.parquet", pairs, np.array([0.25, 0.5], dtype=np.float32))
    back = predictions.read(tmp_path / "p.parquet")
    assert back.target.tolist() == [1.0, 0.2] and back.score.tolist() == [0.25, 0.5] and list(back.id) == pairs.id
