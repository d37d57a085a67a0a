"""Comparisons: of several models, of equivalence, with few clusters, and of parts of a split."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from claimed import TARGETS, Evidence, N, claim, compare, judge, scored
from semblance.config.claims import _check_claim
from semblance.config.tables import claim as specified
from semblance.errors import UserError
from semblance.evaluation.claims import of_paper
from semblance.evaluation.comparisons import Comparison
from semblance.evaluation.intervals import draws, percentiles
from semblance.evaluation.pairing import spread
from semblance.evaluation.predictions import Predictions
from semblance.reporting.claims import chosen, effect, how_to_read
from semblance.specs.cells import ClaimSpec

SPEC = ClaimSpec("s", "1", better=())
ERROR = {"on": "set/test", "metric": "mean-absolute-error"}


def test_each_of_several_must_beat_the_best_of_the_others():
    found = judge(claim(["90", "75"], ["80", "60"], better_the="worst", than_the="best"), Evidence())
    assert found.effect == pytest.approx(-0.05) and found.verdict == "refuted"


def test_the_best_of_the_others_is_the_best_on_average_over_seeds():
    class TwoSeeds(Evidence):
        def predictions(self, run, on, epoch=None):
            return [scored(right) for right in {"one": (0.9, 0.9), "up": (0.87, 0.91), "down": (0.91, 0.87)}[run]]

    found = judge(claim(["one"], ["up", "down"], than_the="best"), TwoSeeds())
    assert found.effect == pytest.approx(0.01)  # +0.03 and -0.01 against either, never -0.01 on average


def test_each_side_is_the_cell_that_is_best_on_another_split_over_seeds():
    """`fast` is best on dev over both seeds, but neither with the first one nor on test."""
    right = {
        ("slow", "set/dev"): (0.9, 0.7), ("fast", "set/dev"): (0.85, 0.8), ("other", "set/dev"): (0.6, 0.6),
        ("slow", "set/test"): (0.9, 0.9), ("fast", "set/test"): (0.81, 0.81), ("other", "set/test"): (0.74, 0.74),
    }  # fmt: skip

    class TwoSplits(Evidence):
        def predictions(self, run, on, epoch=None):
            return [scored(share) for share in right[run, on]]

    found = judge(claim(["slow", "fast"], ["other"], choose_on="set/dev"), TwoSplits())
    assert found.better == ("fast",) and found.than == ("other",)
    assert found.effect == pytest.approx(0.07) and found.verdict == "supported"
    single = claim(["fast"], ["other"])
    assert found.low == judge(single, TwoSplits()).low and found.definition != specified(single).definition
    assert found.chosen_on == "set/dev" and "(fast against other, after a choice on set/dev)" in chosen(found)
    assert "Intervals do not account for this choice." in " ".join(how_to_read([found]))
    reverse = judge(claim(["other"], ["slow", "fast"], choose_on="set/dev"), TwoSplits())
    assert reverse.than == ("fast",) and reverse.effect == pytest.approx(-0.07)


def test_of_an_error_the_lowest_is_chosen():
    by_error = {**claim(["70", "90"], ["80"], choose_on="set/dev"), "cell": ERROR}
    assert judge(by_error, Evidence()).better == ("90",)


@pytest.mark.parametrize(
    "other",
    [
        {"pairs": "all"},
        {"than_the": "best"},
        {"retention": True},
        {"mean_over": [{"metric": "f1"}, {"scale": 2}]},
    ],
)
def test_a_choice_does_not_go_with_other_ways_to_compare_several(other):
    with pytest.raises(UserError, match=f"choose_on chooses one cell of each side; it does not go with {[*other][0]}"):
        _check_claim(specified(claim(["70", "90"], ["80", "85"], choose_on="set/dev", **other)), "claims.c")


def test_a_threshold_may_be_tuned_on_the_split_that_chooses():
    tuned = {"tune_on": "set/dev", "maximise": "accuracy"}
    cell = {"on": "set/test", "metric": "accuracy", "threshold": tuned}
    found = judge(claim(["70", "90"], ["80"], choose_on="set/dev") | {"cell": cell}, Evidence())
    assert found.better == ("90",) and not found.threshold_tuned_on_scored_rows
    [_, candidate, _] = specified(claim(["70", "90"], ["80"], choose_on="set/dev") | {"cell": cell}).candidates
    assert candidate.on == "set/dev" and candidate.rule.leaks


def test_untrained_stand_ins_decide_nothing():
    claims = {"c": specified(claim(["90"], ["80"]))}
    [judged], [given] = of_paper("p", claims, Evidence()), of_paper("p", claims, Evidence(), of_stand_ins=["c"])
    assert judged.verdict == "supported" and given.effect == judged.effect
    assert given.verdict == "inconclusive: another encoder stands in for an untrained one"


def test_a_claim_about_an_epoch_that_is_not_reached_is_not_exact():
    late = {**claim(["90"], ["80"]), "cell": {"on": "set/test", "metric": "accuracy", "threshold": 0.5, "epoch": 3}}
    assert not judge(late, Evidence()).exact


def test_pairs_are_compared_one_by_one():
    every = judge(claim(["90", "80"], ["80", "77"], pairs="all"), Evidence())
    assert every.effect == pytest.approx(0.03) and every.low > 0
    most = judge(claim(["90", "85", "70"], ["80", "79", "75"], pairs="most"), Evidence())
    assert most.effect == pytest.approx(2 / 3 - 1 / 2) and most.verdict == "supported"
    even = judge(claim(["90", "70"], ["80", "75"], pairs="most"), Evidence())
    assert even.effect == 0 and even.verdict == "inconclusive"
    equal = judge(claim(["90", "80", "80"], ["80", "85", "80"], pairs="most"), Evidence())
    assert equal.effect == 0  # one is better, one worse; equal is half of each


def test_less_spread_is_better():
    found = judge(claim(["80", "80", "90", "90"], ["90", "60", "80", "70"], spread=2), Evidence())
    assert found.effect == pytest.approx((0.15 + 0.05) / 2, abs=0.002) and found.verdict == "supported"


def test_what_chance_adds_to_a_spread_is_subtracted():
    """Two cells of 0.8 and 0.6: a variance of 0.01, and resamples of 0.0104 and 0.0116, so that 0.001 is chance."""
    observed, drawn = np.array([0.8, 0.6])[:, None, None], np.zeros((2, 1, 2))
    drawn[0, 0] = 2 * np.sqrt([0.0104, 0.0116])
    found, on_resamples = spread(observed, drawn, 2)
    np.testing.assert_allclose(found[0, 0], np.sqrt([0.01 - 0.001]))
    np.testing.assert_allclose(on_resamples[0, 0], np.sqrt([0.0104 - 0.002, 0.0116 - 0.002]))
    equal, _ = spread(np.zeros((2, 1, 1)), drawn, 2)
    assert equal[0, 0, 0] == 0


def accuracies(rng, cells: int, alike: float) -> np.ndarray:
    """Return which of N examples each cell has right, all with probability 0.7 and correlated errors, (cells, N)."""
    shared = np.sqrt(alike) * rng.normal(size=N) + np.sqrt(1 - alike) * rng.normal(size=(cells, N))
    return (shared < 0.5244).astype(float)


@pytest.mark.slow
def test_chance_alone_seldom_decides_a_claim_about_spread():
    """Eight models of one quality, four of which err on more of the same examples: the others' scores vary more."""
    rng, decided = np.random.default_rng(3), 0
    for _ in range(200):
        right = np.concatenate([accuracies(rng, 4, 0.95), accuracies(rng, 4, 0.5)])
        observed = right.mean(1)[:, None, None]
        counts = np.concatenate([counts for _, counts in draws(np.arange(N), 400)])
        drawn = (right @ counts.T / N)[:, None]
        (_, drawn_left), (_, drawn_right) = (spread(observed[s], drawn[s], 4) for s in (slice(4), slice(4, None)))
        low, high = percentiles((drawn_right - drawn_left)[0, 0], N)
        decided += low > 0 or high < 0
    assert decided <= 0.06 * 200


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
        refuted += judge(claim(better, than, **several), evidence).verdict == "refuted"
    assert refuted <= 10


def test_one_of_several_refutes_a_claim_only_at_the_level_for_their_number():
    """Of two effects, at 2.1 standard errors below 0: beyond 1.96, but not beyond 2.24, the quantile of 97.5%."""
    effects = np.array([[-2.1], [1.0]])
    drawn = effects[:, :, None] + norm.ppf((np.arange(4000) + 0.5) / 4000)
    found = Comparison(SPEC, "f1", effects, drawn, N, N).outcome()
    assert found.verdict == "inconclusive" and found.high == pytest.approx(-2.1 + 2.2414, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 6])
def test_the_smallest_of_several_effects_is_in_its_interval(count):
    """All effects are 0, so the smallest is too. The interval of the smallest estimate alone seldom contains it."""
    rng, within = np.random.default_rng(11), 0
    for _ in range(300):
        effects = rng.normal(0, 0.01, (count, 1))
        drawn = effects[:, :, None] + rng.normal(0, 0.01, (count, 1, 1000))
        found = Comparison(SPEC, "f1", effects, drawn, N, N).outcome()
        within += found.low <= 0 <= found.high
    assert within >= 0.93 * 300


@pytest.mark.slow
@pytest.mark.parametrize(("seeds", "noise"), [(3, 0.02), (5, 0.05)])
def test_a_claim_about_several_is_as_uncertain_as_the_least_certain(seeds, noise):
    """One comparison is clear, the other has no effect and varies with the seed: 2.5% may be supported."""
    rng, supported = np.random.default_rng(13), 0
    for _ in range(400):
        effects = np.stack([0.02 + rng.normal(0, 0.0005, seeds), rng.normal(0, noise, seeds)])
        drawn = effects[:, :, None] + rng.normal(0, 0.002, (2, 1, 1000))
        supported += Comparison(SPEC, "f1", effects, drawn, N, N).outcome().verdict == "supported"
    assert supported <= 0.045 * 400


def test_opposite_differences_are_no_equivalence():
    """Five points better and five points worse: equal on average, and nowhere alike."""
    spec = claim(["85.5", "75"], ["80", "80"], within=0.03)
    assert judge(spec, Evidence()).verdict == "supported"
    found = judge({**spec, "pairs": "all"}, Evidence())
    assert found.verdict == "refuted" and found.effect == pytest.approx(0.055)
    assert found.low < -0.05 and found.high > 0.055
    assert judge({**spec, "pairs": "all", "within": 0.06}, Evidence()).verdict == "inconclusive"
    near = judge(claim(["81", "80"], ["80", "81"], within=0.03, pairs="all"), Evidence())
    assert near.verdict == "supported"


def test_equivalence_is_an_interval_within_the_margin_not_a_failure_to_differ():
    near = judge(claim(["81"], ["80"], within=0.05), Evidence())
    assert near.verdict == "supported" and "margin ±0.05" in effect(near)
    assert judge(claim(["90"], ["80"], within=0.05), Evidence()).verdict == "refuted"
    assert judge(claim(["81"], ["80"], within=0.015), Evidence()).verdict == "inconclusive"


def test_examples_that_make_no_difference_allow_for_others_that_do():
    """Both sides are right on all 400: at most 0.92% of all examples, 1 - 0.025^(1/400), tell them apart."""
    evidence = Evidence()
    evidence.predictions = lambda run, on, epoch=None: [
        replace(scored(1.0), score=scored(1.0).score * (0.9 if run == "near" else 1.0))
    ]
    found = judge(claim(["near"], ["100"], within=0.01), evidence)
    assert (found.effect, found.verdict) == (0, "supported") and found.high == pytest.approx(0.00918, abs=1e-5)
    assert judge(claim(["near"], ["100"], within=0.007), evidence).verdict == "inconclusive"


def test_one_example_that_differs_is_no_better_evidence_of_equivalence_than_none():
    """Of 400 examples, one differs. The bootstrap's interval is [0, 0.0075]; 0.92% that differ were possible anyway."""
    found = judge(claim(["80.25"], ["80"], within=0.01), Evidence())
    assert found.effect == pytest.approx(1 / N) and found.verdict == "inconclusive"
    assert found.low == pytest.approx(1 / N - np.hypot(1 / N, 0.00918), abs=1e-5)
    assert found.high == pytest.approx(1 / N + np.hypot(2 / N, 0.00918), abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.0125, 0.02, 0.1])
def test_rare_differences_are_covered(rate):
    """One side is right on a few more of 400 examples: a bootstrap alone misses 7% of the rates from below."""
    rng, missed = np.random.default_rng(19), 0
    for _ in range(400):
        drawn = rng.binomial(N, (counted := rng.binomial(N, rate)) / N, (1, 1, 1000)) / N
        missed += Comparison(SPEC, "accuracy", np.full((1, 1), counted / N), drawn, N, N).outcome().high < rate
    assert missed <= 0.045 * 400


class SixClusters(Evidence):
    def clusters(self, on, ids):
        return np.arange(len(ids)) % 6


@pytest.mark.parametrize(("run", "than", "within"), [("100", 1.0, 0.05), ("99.75", 1.0, 0.05), ("100", 0.9, None)])
def test_a_few_clusters_say_little_about_others(run, than, within):
    """Perfect on six clusters, or with one error: 46% of all clusters, 1 - 0.025^(1/6), could be wrong."""
    found = judge(alone(run, than) | {"within": within}, SixClusters())
    assert found.high - found.effect > 0.459 - 1e-3 and found.verdict == "inconclusive"


def test_pairs_won_on_a_few_clusters_say_nothing_about_others():
    """All four clusters agree by chance in an eighth of the cases."""

    class FourClusters(Evidence):
        def clusters(self, on, ids):
            return np.arange(len(ids)) % 4

    found = judge(claim(["90", "85"], ["80", "79"], pairs="most"), FourClusters())
    assert found.low is None and found.verdict == "inconclusive"


def alone(run, than, metric="accuracy"):
    """Return a claim that a run is better than a number."""
    spec = {**claim([run], [], than_value=than), "cell": {"on": "set/test", "metric": metric, "threshold": 0.5}}
    del spec["than"]
    return spec


def test_a_part_without_examples_leaves_a_claim_open():
    found = judge(claim(["90"], [{"run": "60", "subset": {"label": 7.0}}]), Evidence())
    assert (found.effect, found.low, found.verdict) == (None, None, "inconclusive")


def test_a_small_part_is_compared_with_its_few_clusters():
    half = {"run": "60", "subset": {"half": "first"}}
    assert compare(claim(["60"], [half]), Evidence()).fewest == (N / 2, N / 2)
    drawn = np.random.default_rng(17).normal(0.1, 0.04, (1, 1, 1000))
    widths = [
        found.high - found.low
        for fewest in (None, (30, 3))
        for found in [Comparison(SPEC, "f1", np.full((1, 1), 0.1), drawn, N, N, fewest).outcome()]
    ]
    few = 4.3027 * np.sqrt(3 / 2)  # Student's t with two degrees of freedom
    assert widths[1] == pytest.approx(2 * few * drawn.std(), rel=1e-3) and widths[0] == pytest.approx(4 * 0.04, rel=0.1)


def test_a_recall_that_no_resample_changes_decides_nothing():
    found = judge(alone("100", 0.9, "recall"), Evidence())
    assert found.verdict == "inconclusive" and found.low is None
    assert effect(found) == "+0.100 recall, no interval: too few examples differ"


def test_runs_of_the_same_classes_differ_by_their_probabilities():
    evidence = Evidence()
    likely = np.stack([1 - TARGETS, TARGETS + 0.5], axis=1)

    def predictions(run, on, epoch=None):
        columns = np.arange(N).astype(str), TARGETS.astype(float), np.ones(N), np.full(N, None)
        return [Predictions(*columns, probabilities=likely if run == "better" else likely[::-1])]

    evidence.predictions = predictions
    other, itself = (
        {**claim(["better"], [than]), "cell": {"on": "set/test", "metric": "class-roc-auc"}}
        for than in ("worse", "better")
    )
    assert not compare(other, evidence).same_scores and compare(itself, evidence).same_scores


def test_nor_does_one_that_few_resamples_leave_undefined():
    """Four positives of 400, all found: 2% of the resamples have none."""
    evidence = Evidence()
    few = np.arange(N) < 4
    evidence.predictions = lambda run, on, epoch=None: [
        Predictions(np.arange(N).astype(str), few.astype(float), few.astype(float), np.full(N, None))
    ]
    assert judge(alone("any", 0.5, "recall"), evidence).verdict == "inconclusive"


def test_a_score_that_many_resamples_leave_undefined_decides_nothing():
    """One undefined resample in a hundred is no reason, four are: more than may lie beyond an end of the interval."""
    drawn = np.random.default_rng(23).normal(0.1, 0.01, (1, 1, 1000))
    for undefined, verdict in ((10, "supported"), (40, "inconclusive")):
        drawn[0, 0, :undefined] = np.nan
        assert Comparison(SPEC, "f1", np.full((1, 1), 0.1), drawn, N, N).outcome().verdict == verdict


def test_a_comparison_without_an_interval_hides_no_refutation():
    drawn = np.random.default_rng(23).normal(-0.1, 0.01, (1, 1, 1000))
    two = np.concatenate([drawn, np.zeros((1, 1, 1000))])
    found = Comparison(SPEC, "f1", np.array([[-0.1], [0.0]]), two, N, N).outcome()
    assert (found.verdict, found.low) == ("refuted", None)


def test_a_score_can_be_compared_with_a_number():
    found = judge(alone("90", 0.8), Evidence())
    assert found.effect == pytest.approx(0.1) and found.verdict == "supported"
    lower = judge({**alone("90", 0.2), "cell": ERROR}, Evidence())  # its error is 0.1
    assert lower.effect == pytest.approx(0.1) and lower.verdict == "supported"


def test_no_more_than_all_pairs_are_shown_as_won():
    class Seeds(Evidence):
        def predictions(self, run, on, epoch=None):
            return [scored(right) for right in {"often": (0.9, 0.9), "once": (0.7, 0.95)}[run]]

    found = judge(claim(["often"], ["once"], pairs="most"), Seeds())
    assert effect(found) == "50% [0%, 100%] of the comparisons won, by accuracy" and found.low < -0.5


def test_subsets_of_a_split_are_compared_on_resamples_of_the_split():
    first, second = ({"run": "60", "subset": {"half": half}} for half in ("first", "second"))
    found = judge(claim([first], [second]), Evidence())
    assert found.examples == N and found.verdict == "inconclusive" and found.low < found.effect < found.high
