"""Files of predictions: written, read, and refused if a score is not a number."""

import numpy as np
import pytest

from semblance.errors import UserError
from semblance.evaluation import metrics, predictions, watched
from semblance.evaluation.watched import Watcher


def test_a_score_that_is_not_a_number_is_refused(tmp_path, make_pairs):
    with pytest.raises(UserError, match="the model scores row-1 as nan"):
        predictions.write(tmp_path / "p.parquet", make_pairs(("a", "b", 1), ("c", "d", 0)), np.array([0.1, np.nan]), {})
    assert not list(tmp_path.iterdir())


def test_predictions_come_back_as_written(tmp_path, make_pairs):
    pairs = make_pairs(("a", "b", 5), ("c", "d", 1), kind="score")
    predictions.write(tmp_path / "p.parquet", pairs, np.array([0.25, 0.5], dtype=np.float32), {})
    back = predictions.read(tmp_path / "p.parquet")
    assert back.target.tolist() == [1.0, 0.2] and back.score.tolist() == [0.25, 0.5] and list(back.id) == pairs.id


def test_class_probabilities_are_kept_and_the_likeliest_class_is_the_score(tmp_path, make_pairs):
    pairs = make_pairs(("a", "b", 2), ("c", "d", 0), kind="inference")
    predictions.write(tmp_path / "p.parquet", pairs, np.array([[0.1, 0.2, 0.7], [0.2, 0.5, 0.3]]), {})
    back = predictions.read(tmp_path / "p.parquet")
    assert list(back.score) == [2, 1] and list(back.target) == [2, 0]
    assert metrics.compute("class-accuracy", back.target, back.score) == 0.5
    assert back.probabilities.tolist() == [[0.1, 0.2, 0.7], [0.2, 0.5, 0.3]]
    assert back.only(np.array([False, True])).compared("log-loss").tolist() == [[0.2, 0.5, 0.3]]
    with pytest.raises(UserError, match="row-1"):
        predictions.write(tmp_path / "p.parquet", pairs, np.array([[0.1, 0.2, 0.7], [np.nan, 0.5, 0.3]]), {})


def test_evaluations_during_training_keep_class_probabilities(tmp_path, make_pairs):
    likely = [np.array([[0.1, 0.2, 0.7], [0.2, 0.5, 0.3]]), np.array([[0.6, 0.2, 0.2], [0.2, 0.5, 0.3]])]
    watcher = Watcher(make_pairs(("a", "b", 2), ("c", "d", 0), kind="inference"), lambda _: likely.pop(), every=1)
    watcher.evaluate(1, 0.5)
    watcher.evaluate(2, 1)  # as after a stage
    watcher.write(tmp_path / "watched.parquet", {})
    first, second = watched.read(tmp_path / "watched.parquet")
    assert (first.step, second.epoch) == (1, 1.0) and first.predictions.score.tolist() == [0, 1]
    assert second.predictions.probabilities.tolist() == [[0.1, 0.2, 0.7], [0.2, 0.5, 0.3]]
