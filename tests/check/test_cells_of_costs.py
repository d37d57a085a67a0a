"""Cells of times, memory and parts of a loss: means over seeds, ratios, and the machine they were measured on."""

import math

import pytest

from recorded import Evidence, lookup, measure
from semblance.config import tables as keys
from semblance.evaluation import measurements


def test_costs_are_means_over_seeds_without_an_interval():
    minutes = measure({"run": "a", "metric": "training-minutes"}, lookup)
    assert (minutes.value, minutes.low) == (1.5, None)
    assert measure({"run": "a", "metric": "peak-memory-gib"}, lookup).value == 1.5
    assert measure({"run": "a", "metric": "seconds-per-step"}, lookup).value == 2  # 60 s of training for 30 steps
    assert measure({"run": "a", "on": "set/test", "metric": "pairs-per-second"}, lookup).value == 37.5


def test_the_time_in_which_dev_selects_an_epoch_is_no_time_of_a_step():
    class Selecting(Evidence):
        def facts(self, run):
            selecting = {"steps": 0, "means": {}, "selecting_seconds": 15}
            return [{**one, "stages": [*one["stages"], selecting]} for one in super().facts(run)]

    assert measure({"run": "a", "metric": "seconds-per-step"}, Selecting()).value == 1.5  # 45 s for 30 steps


def test_parts_of_the_loss_are_means_over_the_steps_of_all_stages():
    found = {
        metric: measure({"run": "a", "metric": metric}, lookup).value
        for metric in ("task-loss", "smoothness-term", "proximity-term", "selected-epoch")
    }
    expected = {"task-loss": (20 * 1.5 + 10 * 1) / 30, "smoothness-term": 2e-9, "proximity-term": 0.2}
    assert found == pytest.approx(expected | {"selected-epoch": 3})


def test_a_part_that_a_loss_does_not_have_is_undefined_and_all_of_it_is_the_tasks():
    terms = [measure({"run": "plain", "metric": f"{part}-term"}, lookup).value for part in ("smoothness", "proximity")]
    assert all(map(math.isnan, terms))
    assert measure({"run": "plain", "metric": "task-loss"}, lookup).value == 1


def test_a_cost_per_another_is_the_mean_ratio_of_their_seeds():
    cell = {"run": "slow", "metric": "seconds-per-step", "per": {"run": "a"}}
    assert measure(cell, lookup).per_seed == [2, 4]  # (150 - 30) / 60 and (270 - 30) / 60
    of_itself = {"run": "a", "on": "set/test", "metric": "milliseconds-per-pair", "per": {"run": "a"}}
    assert measure(of_itself, lookup).per_seed == [1, 1]  # 20 / 20 and 40 / 40


def test_a_ratio_of_times_of_different_machines_is_not_measured():
    cell = {"run": "slow", "metric": "seconds-per-step", "per": {"run": "on-gpu"}}
    assert measure(cell, lookup).value is None
    assert measure({**cell, "metric": "parameters"}, lookup).value == 1


def test_seeds_on_two_machines_are_of_both():
    class Mixed(Evidence):
        def facts(self, run):
            return [{"device": "cpu", "processor": None}, {"device": "a GPU", "processor": "a CPU"}]

    both = [keys.cell({"run": run, "metric": "seconds-per-step"}) for run in ("a", "b")]
    assert measurements.machines(both, Mixed()) == ["a GPU", "cpu"]


def test_times_of_scoring_are_of_the_machine_that_scored():
    class Elsewhere(Evidence):
        def speed(self, run, on):
            return [{"device": "cpu", "processor": "another CPU"}]

    scoring = keys.cell({"run": "on-gpu", "on": "set/test", "metric": "milliseconds-per-pair"})
    training = keys.cell({"run": "on-gpu", "metric": "seconds-per-step"})
    assert measurements.machines([scoring], Elsewhere()) == ["another CPU"]
    assert measurements.machines([training], Elsewhere()) == ["a GPU"]


def test_milliseconds_a_pair_are_the_means_over_seeds():
    assert measure({"run": "a", "on": "set/test", "metric": "milliseconds-per-pair"}, Evidence()).value == 30.0
