"""Each half of the rows scored by what the other half selects, against values worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from recorded import predicted
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.predictions import first_half
from semblance.evaluation.selecting import by_other_half, overall
from semblance.evaluation.watched import Evaluation
from semblance.specs.cells import OTHER_HALF, CellSpec
from semblance.specs.places import Places, RunPlaces
from semblance.specs.run import SelectionSpec

COUNT = 40
TARGETS = np.arange(COUNT) % 2
FIRST = first_half(COUNT)
BY_ACCURACY = SelectionSpec("set/dev", "accuracy", threshold=0.5)


def epoch(number, first, second):
    """Return an evaluation in which such shares of the first and of the second half of the rows are right."""
    right = np.zeros(COUNT, dtype=bool)
    for half, share in ((FIRST, first), (~FIRST, second)):
        right[np.flatnonzero(half)[: round(share * half.sum())]] = True
    return Evaluation(10 * number, float(number), predicted(TARGETS, np.where(right, TARGETS, 1 - TARGETS)))


def accuracy_of(rows):
    return float(((rows.score >= 0.5) == rows.target).mean())


def test_each_half_is_scored_after_the_epoch_that_the_other_half_selects():
    """The first half selects epoch 1, after which the second has 0.5; the second epoch 2, after which it has 0.6."""
    epochs = [epoch(0, 1.0, 1.0), epoch(1, 0.9, 0.5), epoch(2, 0.6, 0.8), epoch(3, 0.9, 0.7)]
    found = by_other_half([BY_ACCURACY], {"set/dev": epochs}, "set/dev")
    assert accuracy_of(found.only(FIRST)) == 0.6 and accuracy_of(found.only(~FIRST)) == 0.5
    assert list(found.id) == list(epochs[0].predictions.id) and list(found.target) == list(TARGETS)
    # All rows would select epoch 3, of which they have 0.8: more than a score that selects nothing.
    assert accuracy_of(epochs[3].predictions) == 0.8


def test_with_one_epoch_there_is_nothing_to_select():
    [only] = epochs = [epoch(1, 0.9, 0.5)]
    assert list(by_other_half([BY_ACCURACY], {"set/dev": epochs}, "set/dev").score) == list(only.predictions.score)


def test_class_probabilities_go_with_their_half():
    def classes(evaluation):
        score = evaluation.predictions.score
        return replace(evaluation, predictions=replace(evaluation.predictions, probabilities=np.c_[1 - score, score]))

    rule = SelectionSpec("set/dev", "class-accuracy")
    epochs = [classes(epoch(1, 0.9, 0.5)), classes(epoch(2, 0.6, 0.8))]
    found = by_other_half([rule], {"set/dev": epochs}, "set/dev")
    assert accuracy_of(found.only(FIRST)) == 0.6 and list(found.probabilities[:, 1]) == list(found.score)


def test_a_stage_is_selected_by_the_mean_over_halves_of_all_splits():
    other = SelectionSpec("other/dev", "accuracy", threshold=0.5)
    found = {
        "set/dev": [epoch(1, 0.9, 0.5), epoch(2, 0.6, 0.5)],  # alone, its first half selects the first stage
        "other/dev": [epoch(1, 0.1, 0.5), epoch(2, 0.9, 0.5)],
    }
    chosen = by_other_half([BY_ACCURACY, other], found, "set/dev")
    # The first halves select the second stage; the second ones, equal after both, the first.
    assert list(chosen.only(~FIRST).score) == list(found["set/dev"][1].predictions.only(~FIRST).score)
    assert list(chosen.only(FIRST).score) == list(found["set/dev"][0].predictions.only(FIRST).score)
    assert overall([replace(BY_ACCURACY, on_unit_scale=True), other], [0.5, 0.25]) == pytest.approx((0.75 + 0.25) / 2)


class Recorded(Evidence):
    def evaluations(self, run, on, kind="watched"):
        assert (run, on, kind) == ("a", "set/dev", "selecting")
        return [[epoch(0, 1.0, 1.0), epoch(1, 0.9, 0.5), epoch(2, 0.6, 0.8)]]

    def _scored(self, file, run, on):
        return "of the finished run"


def test_rows_that_select_nothing_are_scored_after_training_and_marked_as_their_start_is():
    run = RunPlaces(
        "recipe",
        predictions=("folder",),
        chosen_by=("set/dev", "old/dev"),
        chosen_before=("old/dev",),
        selection=(BY_ACCURACY,),
        selecting="selecting",
    )
    evidence = Recorded(Places("tiny", {"a": run}))
    [found] = evidence.predictions("a", "set/dev", OTHER_HALF)
    assert accuracy_of(found.only(FIRST)) == 0.6
    assert evidence.predictions("a", "old/dev", OTHER_HALF) == ["of the finished run"]
    assert evidence.reached("a", "set/dev", OTHER_HALF)
    cell = CellSpec("accuracy", "a", "set/dev", threshold=0.5)
    assert evidence.is_selected_on(cell) and not evidence.is_selected_on(replace(cell, selected_by="other-half"))
    assert evidence.is_selected_on(replace(cell, on="old/dev", selected_by="other-half"))
    assert replace(cell, selected_by="other-half").before(None) == replace(cell, at_start=True)
