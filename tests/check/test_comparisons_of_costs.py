"""Comparisons of times, memory, counts and epochs, which are no scores of examples."""

import numpy as np
import pytest

from claimed import Evidence, claim, judge
from semblance.reporting.claims import effect


def test_times_are_compared_by_their_ratio_over_repeats():
    cell = {"on": "set/test", "metric": "milliseconds-per-pair"}
    found = judge({**claim(["quick"], ["slow"]), "cell": cell}, Evidence())
    assert found.verdict == "supported" and found.seeds == 3 and found.examples == 0
    assert found.effect == pytest.approx(np.mean([1 - 1 / 2, 1 - 1 / 2.2, 1 - 1 / 1.8]))
    assert effect(found).startswith("1.99× [1.59×, 2.65×]") and found.unit == "relative"


def test_a_time_is_multiplied_before_it_is_compared():
    cell = {"on": "set/test", "metric": "milliseconds-per-pair"}
    half = {**claim([{"run": "quick", "scale": 0.5}], ["slow"]), "cell": cell}
    assert judge(half, Evidence()).effect == pytest.approx(np.mean([1 - 0.5 / 2, 1 - 0.5 / 2.2, 1 - 0.5 / 1.8]))


@pytest.mark.parametrize("metric", ["milliseconds-per-pair", "seconds-per-step", "peak-memory-gib"])
def test_times_and_memory_of_different_machines_are_not_compared(metric):
    class Measured(Evidence):
        def facts(self, run):
            stage = {"steps": 1}
            return [{"seconds": 1, "stages": [stage], "peak_memory_mb": 1024, "gpu_peak_memory_mb": None}] * 3

    cell = {"on": "set/test", "metric": metric}
    found = judge({**claim(["on-gpu"], ["slow"]), "cell": cell}, Measured())
    assert found.verdict == "inconclusive: measured on different machines"
    assert effect(found) == f"{metric} not compared"
    same = judge({**claim(["quick"], ["slow"]), "cell": cell}, Measured())
    assert same.kind != "cannot be judged"


def test_counts_of_different_machines_are_compared():
    found = judge({**claim(["on-gpu"], ["slow"]), "cell": {"metric": "parameters"}}, Evidence())
    assert found.kind != "cannot be judged"


def test_the_encoders_part_of_a_time_is_repeated_too():
    class OverAnEncoder(Evidence):
        def speed(self, run, on):
            encoding = {"encoding_seconds": 1.0, "each_encoding": [0.5, 1.0, 1.5]}
            return [{"pairs": 100, "seconds": 1.0, "each": [1.0, 1.0, 1.0]} | (encoding if run == "slow" else {})]

    cell = {"on": "set/test", "metric": "milliseconds-per-pair-from-text"}
    found = judge({**claim(["quick"], ["slow"]), "cell": cell}, OverAnEncoder())
    assert found.effect == pytest.approx(np.mean([1 - 1 / 1.5, 1 - 1 / 2, 1 - 1 / 2.5]))
    assert found.low < found.effect < found.high


def test_unequal_numbers_of_measurements_are_compared_by_their_means():
    evidence = Evidence()
    evidence.facts = lambda run: [{"seconds": one} for one in ((30, 60, 60) if run == "slow" else (40,))]
    found = judge({**claim(["quick"], ["slow"]), "cell": {"metric": "training-minutes"}}, evidence)
    assert found.effect == pytest.approx(1 - 40 / 50) and found.verdict == "inconclusive"


def test_a_time_measured_once_decides_nothing_and_a_count_decides_at_once():
    class Once(Evidence):
        def facts(self, run):
            return super().facts(run)[:1]

    minutes = {**claim(["quick"], ["slow"]), "cell": {"metric": "training-minutes"}}
    found = judge(minutes, Once())
    assert found.verdict == "inconclusive" and effect(found) == "2.00× training-minutes, no interval: measured once"
    assert judge(minutes, Evidence()).verdict == "supported"  # by 50% and 55%, with Student's t
    count = judge({**claim(["quick"], ["slow"]), "cell": {"metric": "parameters"}}, Once())
    assert (count.effect, count.low, count.high) == (0, 0, 0)


def test_the_epoch_of_a_run_that_did_not_learn_says_nothing():
    epochs = {**claim(["90"], ["slow"]), "cell": {"metric": "selected-epoch"}}
    assert judge(epochs, Evidence()).effect == pytest.approx(3)
    found = judge({**epochs, "better": [{"run": "070"}]}, Evidence())
    assert found.verdict == "inconclusive: not trained enough" and found.not_trained == ("070",)


def test_equal_epochs_of_a_few_seeds_are_no_certainty():
    """Two seeds end one epoch earlier: rounding both has a standard deviation of √(2/12), so ±12.7 · 0.289."""
    evidence = Evidence()
    evidence.facts = lambda run: [{"stages": [{"selected_epoch": 2 if run == "90" else 3}]}] * 2
    found = judge({**claim(["90"], ["80"]), "cell": {"metric": "selected-epoch"}}, evidence)
    assert found.effect == 1 and found.verdict == "inconclusive"
    assert found.high - 1 == pytest.approx(12.7062 / np.sqrt(12), rel=1e-4)


def test_an_epoch_that_training_did_not_reach_leaves_a_claim_open():
    found = judge(claim([{"run": "90", "epoch": 3}], [{"run": "90", "epoch": 1}]), Evidence())
    assert found.verdict == "inconclusive: not evaluated near the epoch" and found.seeds == 0
