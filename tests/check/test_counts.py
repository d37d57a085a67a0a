"""Counts of verdicts and core-hours, against values worked out by hand."""

import math
import re
from collections import Counter

import pytest

from claimed import judged_claim, judgement
from measured import make_cell, make_table
from semblance.evaluation import counts, effects
from semblance.reporting.claims import answer, effect, how_to_read, reason
from semblance.vocabulary import Unit, Verdict

CLAIMS = [
    judged_claim(verdict="supported"),
    judged_claim(by_itself="refuted"),
    judged_claim(),
    judged_claim(verdict="supported", exact=True),
    judged_claim(verdict=Verdict.NOT_TRAINED),
]


def test_claims_are_counted_by_verdict_and_those_that_cannot_be_judged_together():
    wanted = {"supported": 2, "inconclusive": 2, "cannot be judged": 1, "claims": 5}
    assert counts.of_claims(CLAIMS) == wanted


def test_claims_about_times_are_counted_apart():
    timed = [judged_claim(verdict="supported", metric="seconds-per-step")]
    assert counts.of_claims(CLAIMS + timed) == counts.of_claims(CLAIMS) + Counter(timed=1)
    assert counts.by_verdict(CLAIMS + timed) == counts.by_verdict(CLAIMS)


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        (CLAIMS[:1], "Yes: of 1 main claim, 1 supported."),
        (CLAIMS[1:3], "Open: of 2 main claims, 2 inconclusive."),
        (CLAIMS[2:3], "Open: of 1 main claim, 1 inconclusive."),
        (CLAIMS[:3], "In part: of 3 main claims, 1 supported, 2 inconclusive."),
        ([judged_claim(verdict="refuted")], "No: of 1 main claim, 1 refuted."),
        (
            [judged_claim(), judged_claim(verdict="refuted")],
            "Not shown: of 2 main claims, 1 refuted, 1 inconclusive.",
        ),
    ],
)
def test_a_question_is_answered_by_its_main_claims(claims, said):
    assert answer(claims) == said


def test_exact_claims_and_those_that_cannot_be_judged_are_not_among_those_that_chance_decides():
    note = " ".join(how_to_read(CLAIMS))
    assert "Among 3 claims, chance decides some" in note
    assert "Decided by their intervals alone: 2; at this rate: 1." in note


def test_numbers_are_counted_by_verdict_and_only_measured_ones_altogether():
    verdicts = ["reproduced", "differs", None, "not comparable: other data", "not comparable: other model", "not run"]
    cells = [make_cell(verdict=verdict) for verdict in verdicts]
    cells += [make_cell(verdict="reproduced", score_of_one=100), make_cell(verdict="near", score_of_one=1)]
    wanted = {
        "reproduced": 2,
        "reproduced scores": 1,
        "near": 1,
        "differs": 1,
        "not comparable": 2,
        "not run": 1,
        "numbers": 6,
    }
    assert counts.of_numbers([make_table(a=cells[:3], b=cells[3:6], c=cells[6:])]) == wanted


def test_each_seed_of_a_run_counts_and_one_that_gives_one_class_has_collapsed():
    runs = [judgement("yes"), judgement("no", top_share=1.0), judgement("not clear", top_share=None)]
    assert counts.of_runs(runs) == {"yes": 1, "no": 1, "not clear": 1, "collapsed": 1, "runs": 3}


def test_networks_that_were_trained_together_share_their_time():
    alone = {"threads": 2, "seconds": 900.0}
    together = [{"threads": 1, "seconds": 3600.0, "trained_together": 4}] * 4
    assert counts.core_hours([alone, *together]) == 1.5


@pytest.mark.parametrize(
    ("effect", "metric", "within", "factor"),
    [
        (0.5, "training-minutes", None, 2),  # half of the time
        (-1, "training-minutes", None, 0.5),  # twice the time
        (1.2, "training-minutes", None, math.inf),  # an end of an interval
        (0.15, "training-minutes", 0.1, 0.85),
        (1, "pairs-per-second", None, 2),
        (-0.5, "pairs-per-second", 0.1, 0.5),
    ],
)
def test_effects_on_times_and_speeds_are_factors(effect, metric, within, factor):
    claim = judged_claim(unit=Unit.RELATIVE, metric=metric, within=within)
    assert effects.shown(claim, effect) == pytest.approx(factor)


def test_a_factor_without_an_end_is_said_to_be_infinite():
    claim = judged_claim(unit=Unit.RELATIVE, metric="training-minutes", effect=0.5, low=-0.5, high=1.2)
    assert re.fullmatch(r"\d\.\d\d× \[\d\.\d\d×, ∞×\] training-minutes", effect(claim))


def test_the_lower_end_of_an_interval_comes_first_and_no_more_than_all_pairs_are_won():
    slower = judged_claim(unit=Unit.RELATIVE, metric="training-minutes", within=0.5, low=-0.5, high=0.25)
    assert effects.shown_interval(slower) == (0.75, 1.5)
    assert effects.shown_interval(judged_claim(unit=Unit.OF_PAIRS, low=-0.1, high=0.7)) == pytest.approx((0.4, 1.0))
    assert effects.shown_interval(judged_claim(low=None, high=None)) is None


def test_claims_that_cannot_be_judged_count_as_inconclusive_in_the_readme():
    assert counts.by_verdict(CLAIMS) == {"supported": 2, "refuted": 0, "inconclusive": 3}


def test_the_examples_that_a_claim_needs_are_in_as_many_clusters_as_its_own():
    found = reason(judged_claim(examples=100, clusters=30, examples_needed=1001))
    assert found == " (about 1,001 examples in 301 clusters needed, 100 in 30 available)"
