"""Comparisons: of several models, of equivalence, of times, epochs and parts of a split."""

from dataclasses import replace

import numpy as np
import pytest

from claimed import TARGETS, Evidence, N, claim, judge, scored
from semblance.evaluation.predictions import Predictions
from semblance.reporting.claims import effect


def test_each_of_several_must_beat_the_best_of_the_others():
    found = judge(claim(["90", "78"], ["80", "60"], better_the="worst", than_the="best"), Evidence())
    assert found["effect"] == pytest.approx(-0.02) and found["verdict"] == "refuted"


def test_the_best_of_the_others_is_the_best_on_average_over_seeds():
    class TwoSeeds(Evidence):
        def predictions(self, run, on, epoch=None):
            return [scored(right) for right in {"one": (0.9, 0.9), "up": (0.87, 0.91), "down": (0.91, 0.87)}[run]]

    found = judge(claim(["one"], ["up", "down"], than_the="best"), TwoSeeds())
    assert found["effect"] == pytest.approx(0.01)  # +0.03 and -0.01 against either, never -0.01 on average


def test_pairs_are_compared_one_by_one():
    every = judge(claim(["90", "80"], ["80", "79"], pairs="all"), Evidence())
    assert every["effect"] == pytest.approx(0.01) and every["low"] >= 0
    most = judge(claim(["90", "85", "70"], ["80", "79", "75"], pairs="most"), Evidence())
    assert most["effect"] == pytest.approx(2 / 3 - 1 / 2) and most["verdict"] == "supported"
    even = judge(claim(["90", "70"], ["80", "75"], pairs="most"), Evidence())
    assert even["effect"] == 0 and even["verdict"] == "inconclusive"
    equal = judge(claim(["90", "80", "80"], ["80", "80", "80"], pairs="most"), Evidence())
    assert equal["effect"] == pytest.approx(1 / 3 - 1 / 2)  # equal is not better


def test_less_spread_is_better():
    found = judge(claim(["80", "80", "90", "90"], ["90", "60", "80", "70"], spread=2), Evidence())
    assert found["effect"] == pytest.approx((0.15 + 0.05) / 2) and found["verdict"] == "supported"


@pytest.mark.slow
@pytest.mark.parametrize("several", [{"than_the": "best"}, {"pairs": "all"}, {"better_the": "worst"}])
def test_chance_alone_seldom_refutes_a_claim_about_several(several):
    """Six models of the same quality: the smallest of their differences lies below 0, but no single one does."""
    rng, refuted, evidence = np.random.default_rng(5), 0, Evidence()
    for _ in range(100):
        drawn = [rng.random(N) for _ in range(6)]
        evidence.predictions = lambda run, on, epoch=None, drawn=drawn: [
            Predictions(np.arange(N).astype(str), TARGETS.astype(float), drawn[int(run)], np.full(N, None))
        ]
        sides = (list("012"), list("345")) if "pairs" in several else (list("0"), list("12345"))
        better, than = reversed(sides) if "better_the" in several else sides
        refuted += judge(claim(better, than, **several), evidence)["verdict"] == "refuted"
    assert refuted <= 10


def test_equivalence_is_an_interval_within_the_margin_not_a_failure_to_differ():
    near = judge(claim(["81"], ["80"], within=0.05), Evidence())
    assert near["verdict"] == "supported" and "margin ±0.05" in effect(near)
    assert judge(claim(["90"], ["80"], within=0.05), Evidence())["verdict"] == "refuted"
    assert judge(claim(["81"], ["80"], within=0.015), Evidence())["verdict"] == "inconclusive"


def test_examples_that_make_no_difference_allow_for_others_that_do():
    """Both sides are right on all 400: at most 0.92% of all examples, 1 - 0.025^(1/400), tell them apart."""
    evidence = Evidence()
    evidence.predictions = lambda run, on, epoch=None: [
        replace(scored(1.0), score=scored(1.0).score * (0.9 if run == "near" else 1.0))
    ]
    found = judge(claim(["near"], ["100"], within=0.01), evidence)
    assert (found["effect"], found["verdict"]) == (0, "supported") and found["high"] == pytest.approx(0.00918, abs=1e-5)
    assert judge(claim(["near"], ["100"], within=0.007), evidence)["verdict"] == "inconclusive"


def test_a_score_can_be_compared_with_a_number():
    spec = claim(["90"], [], than_value=0.8)
    del spec["than"]
    found = judge(spec, Evidence())
    assert found["effect"] == pytest.approx(0.1) and found["verdict"] == "supported"


def test_subsets_of_a_split_are_compared_on_resamples_of_the_split():
    first, second = ({"run": "60", "subset": {"half": half}} for half in ("first", "second"))
    found = judge(claim([first], [second]), Evidence())
    assert (
        found["examples"] == N and found["verdict"] == "inconclusive" and found["low"] < found["effect"] < found["high"]
    )


def test_times_are_compared_by_their_ratio_over_repeats():
    cell = {"on": "set/test", "metric": "milliseconds-per-pair"}
    found = judge({**claim(["quick"], ["slow"]), "cell": cell}, Evidence())
    assert found["verdict"] == "supported" and found["seeds"] == 3 and found["examples"] == 0
    assert found["effect"] == pytest.approx(np.mean([1 - 1 / 2, 1 - 1 / 2.2, 1 - 1 / 1.8]))
    assert effect(found).startswith("+50% [+37%, +62%]") and found["unit"] == "relative"


def test_a_time_measured_once_decides_nothing_and_a_count_decides_at_once():
    class Once(Evidence):
        def facts(self, run):
            return super().facts(run)[:1]

    minutes = {**claim(["quick"], ["slow"]), "cell": {"metric": "training-minutes"}}
    found = judge(minutes, Once())
    assert found["verdict"] == "inconclusive" and effect(found) == "+50% training-minutes, no interval: measured once"
    assert judge(minutes, Evidence())["verdict"] == "supported"  # by 50% and 55%, with Student's t
    count = judge({**claim(["quick"], ["slow"]), "cell": {"metric": "parameters"}}, Once())
    assert (count["effect"], count["low"], count["high"]) == (0, 0, 0)


def test_the_epoch_of_a_run_that_did_not_learn_says_nothing():
    epochs = {**claim(["90"], ["slow"]), "cell": {"metric": "selected-epoch"}}
    assert judge(epochs, Evidence())["effect"] == pytest.approx(3)
    found = judge({**epochs, "better": [{"run": "070"}]}, Evidence())
    assert found["verdict"] == "inconclusive: not trained enough" and found["not_trained"] == ["070"]


def test_an_epoch_that_training_did_not_reach_leaves_a_claim_open():
    found = judge(claim([{"run": "90", "epoch": 3}], [{"run": "90", "epoch": 1}]), Evidence())
    assert found["verdict"] == "inconclusive: not evaluated near the epoch" and found["seeds"] == 0
