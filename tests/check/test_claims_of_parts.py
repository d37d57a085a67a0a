"""Claims with parts: means over several scores, and runs that are subtracted from those that are compared."""

from dataclasses import replace

import numpy as np
import pytest

from claimed import Evidence, N, claim, compare, judge, scored

BOTH = [{"on": "set/test"}, {"on": "set/dev"}]
LEAKY = {"tune_on": "set/test", "maximise": "accuracy", "leaks": True}


def differences(better, better_minus, than, than_minus, **more):
    """Return a claim that one difference of two runs is greater than another."""
    sides = ((better, better_minus), (than, than_minus))
    return {**claim([], []), **{k: [{"run": a, "minus": b}] for k, (a, b) in zip(("better", "than"), sides)}, **more}


def test_a_mean_over_parts_is_corrected_for_the_part_with_the_fewest_clusters():
    parts = [{"on": "set/test"}, {"on": "set/dev", "subset": {"half": "first"}}]
    assert compare(claim(["90"], ["80"], mean_over=parts), Evidence()).fewest == (N / 2, N / 2)


def test_a_mean_over_parts_is_marked_for_any_of_them():
    """The rows of set/test, not those of set/dev, selected an epoch of the run."""
    assert judge(claim(["two-seeds"], ["70"], mean_over=BOTH), Evidence()).selected_on_scored_rows


def test_a_mean_over_parts_differs_if_one_of_them_does():
    class OnTest(Evidence):
        def predictions(self, run, on, epoch=None):
            return [scored(0.9 if run == "90" or on == "set/dev" else 0.8)]

    found = judge(claim(["90"], ["80"], mean_over=BOTH), OnTest())
    assert found.effect == pytest.approx(0.05) and found.verdict == "supported"


@pytest.mark.parametrize("run", ["90", "076"])  # without and with a judgement of its own
def test_a_run_that_did_not_learn_counts_in_any_part(run):
    parts = [{"on": "set/test"}, {"on": "set/dev", "minus": {"run": "075"}}]
    assert judge(claim([run], ["80"], mean_over=parts), Evidence()).not_trained == ("075",)


def test_a_difference_of_differences_varies_twice_as_much():
    """All four runs are right on all 400 examples: at most 0.92%, 1 - 0.025^(1/400), tell two of them apart."""

    class Perfect(Evidence):
        def predictions(self, run, on, epoch=None):
            perfect = scored(1.0)
            return [replace(perfect, score=perfect.score * (0.9 if run == "80" else 1.0))]

    found = judge(differences("90", {"run": "80"}, "80", {"run": "70"}, within=0.5), Perfect())
    assert found.effect == 0 and found.high == pytest.approx(2 * 0.00918, abs=1e-5)


def test_a_claim_is_marked_for_the_runs_that_it_subtracts():
    one_seed = judge(differences("two-seeds", {"run": "60"}, "two-seeds", {"run": "two-seeds"}), Evidence())
    assert one_seed.single_seed
    selected = judge(differences("90", {"run": "two-seeds"}, "80", {"run": "60"}), Evidence())
    assert selected.selected_on_scored_rows
    tuned = judge(differences("90", {"run": "70", "threshold": LEAKY}, "80", {"run": "60"}), Evidence())
    assert tuned.threshold_tuned_on_scored_rows and not np.isnan(tuned.effect)
