"""Claims: paired differences on the same examples and seeds, and the verdicts that their intervals give."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import false_discovery_control, norm

from claimed import Evidence, N, claim, compare, judge, judged_claim, judgement, retained, scored
from semblance.config import tables
from semblance.errors import UserError
from semblance.evaluation import claims as judging
from semblance.evaluation.claims import _reach, decided_at_fdr, examples_needed, seeds_needed
from semblance.evaluation.comparisons import Comparison
from semblance.findings import JudgedClaims, Outcome
from semblance.reporting.claims import effect, how_to_read, markdown, marks, reason, verdicts_by_seed
from semblance.reporting.notes import ONE_SEED_NOTE
from semblance.specs.cells import ClaimSpec
from semblance.vocabulary import Verdict
from texts import squeezed


def notes(claims) -> str:
    return " ".join(how_to_read(claims))


def test_the_effect_is_the_difference_and_decides_with_its_interval():
    found = judge(claim(["90"], ["80"]), Evidence())
    assert found.effect == pytest.approx(0.1) and found.verdict == "supported" and found.low > 0
    assert judge(claim(["80"], ["90"]), Evidence()).verdict == "refuted"
    assert judge(claim(["80"], ["80"]), Evidence()).verdict == "inconclusive: both sides give the same scores"


@pytest.mark.parametrize("untrained", ["070", "075"])
def test_a_side_at_chance_leaves_a_claim_open_whatever_the_interval(untrained):
    found = judge(claim(["90"], [untrained]), Evidence())
    assert found.low > 0 and found.verdict == "inconclusive: not trained enough"
    assert found.by_itself == found.verdict and found.not_trained == (untrained,)
    assert reason(found) == f" (did not learn: {untrained})"
    compared = {than: compare(claim(["90"], [than]), Evidence()) for than in ("80", untrained)}
    both = {one.claim: one for one in judging.judge("p", compared)}
    assert both["80"].verdict == "supported"  # claims that are not judged do not count in the false discovery rate


def test_with_a_side_at_chance_no_seed_alone_decides_either():
    evidence = Evidence()
    evidence.learned = lambda run: [judgement("no", over_majority=(-0.1, 0.2))]
    found = judge(claim(["two-seeds"], ["60"]), evidence)
    assert {one.verdict for one in found.each_seed} == {"inconclusive: not trained enough"}


def test_a_run_that_fails_with_one_seed_leaves_the_others_judged_alone():
    evidence = Evidence()
    failed, learned = judgement("no", over_majority=(-0.1, 0.2)), judgement("yes", over_majority=(0.1, 0.2))
    evidence.learned = lambda run: [failed, learned] if run == "two-seeds" else [learned]
    found = judge(claim(["two-seeds"], ["60"]), evidence)
    assert found.verdict == "inconclusive: not trained enough" and found.not_trained == ("two-seeds",)
    assert [one.verdict for one in found.each_seed] == ["inconclusive: not trained enough", "supported"]
    evidence.learned, evidence.learned_before = lambda run: [learned], lambda run: {"first": [learned, failed]}
    found = judge(claim(["two-seeds"], ["60"]), evidence)
    assert [one.verdict for one in found.each_seed] == ["supported", "inconclusive: not trained enough"]


def test_a_side_that_is_better_than_the_majority_is_judged_and_what_is_subtracted_counts():
    assert judge(claim(["90"], ["076"]), Evidence()).verdict == "supported"
    minus = claim(["90"], ["80"])
    minus["better"] = [{"run": "90", "minus": {"run": "075"}}]
    minus["than"] = [{"run": "80", "minus": {"run": "60"}}]
    assert judge(minus, Evidence()).not_trained == ("075",)


def test_a_side_that_started_from_a_run_at_chance_leaves_a_claim_open():
    """A start that is worse than its own start, but better than the majority, is no reason."""
    found = judge(claim(["88"], ["80"]), Evidence())
    assert found.verdict == "inconclusive: not trained enough" and found.not_trained == ("at-chance",)
    assert judge(claim(["89"], ["80"]), Evidence()).verdict == "supported"


@pytest.mark.parametrize(("learnt", "judged"), [("90", True), ("85", False), ("51", False)])
def test_what_was_not_learnt_cannot_be_lost(learnt, judged):
    """The run 85 is no better than before, 51 not than the majority."""
    found = judge(retained(["80", "60"], ["90", learnt]), Evidence())
    assert found.effect == pytest.approx(0.8 - 0.9 - (0.6 - float(learnt) / 100))
    wanted = "supported" if judged else "inconclusive: nothing learned that could be lost"
    assert found.verdict == found.by_itself == wanted


def test_what_is_at_chance_cannot_be_lost_by_any_metric():
    by_auc = {**retained(["80", "60"], ["90", "51"]), "cell": {"on": "set/test", "metric": "roc-auc"}}
    assert judge(by_auc, Evidence()).verdict == "inconclusive: nothing learned that could be lost"


@pytest.mark.parametrize(("before", "verdict"), [("90", "supported"), ("51", "nothing learned that could be lost")])
def test_what_was_at_chance_before_a_loss_was_nothing_to_lose(before, verdict):
    """Nothing is subtracted: `better` is what there was before, of a run that need not have learnt it last."""
    found = judge(claim([before], ["40"], retention=True), Evidence())
    assert found.low > 0 and found.verdict.endswith(verdict)


def test_what_a_stage_on_the_way_learnt_is_compared_with_chance_alone():
    """The run 85 was no better before its training, but that says nothing of a stage before the last."""
    kept = retained(["80", "60"], ["90", "85"])
    for side in ("better", "than"):
        kept[side][0]["minus"]["epoch"] = 1
    assert judge(kept, Evidence()).verdict == "supported"


@pytest.mark.parametrize(("run", "judged"), [("90", True), ("85", False)])
def test_what_the_first_stage_learnt_is_compared_with_the_run_before_it(run, judged):
    """The run 90 starts from 60, 85 from one that is as good."""
    kept = retained(["80", "60"], [run, run])
    for side in ("better", "than"):
        kept[side][0]["minus"]["after_stages"] = 1
    assert (judge(kept, Evidence()).verdict == "supported") == judged


def test_what_a_later_stage_learnt_is_compared_with_the_stage_before_it():
    class Stages(Evidence):
        def predictions(self, run, on, during=None):
            return [scored({None: 0.8, 1: 0.9, 2: 0.85}[during])]

    kept = retained(["80", "80"], ["90", "90"])
    for side in ("better", "than"):
        kept[side][0]["minus"]["after_stages"] = 2
    assert judge(kept, Stages()).verdict == "inconclusive: nothing learned that could be lost"


def test_a_claim_of_retention_over_several_scores_needs_each_to_be_learnt():
    over = {**retained(["80", "60"], ["90", "85"]), "mean_over": [{"on": "set/test"}, {"on": "set/dev"}]}
    assert judge(over, Evidence()).verdict == "inconclusive: nothing learned that could be lost"


def test_a_claim_over_several_scores_is_about_their_mean():
    over = claim(["90"], ["80"], mean_over=[{"on": "set/test"}, {"on": "set/dev", "metric": "accuracy", "scale": 0.5}])
    found, single = judge(over, Evidence()), judge(claim(["90"], ["80"]), Evidence())
    assert found.effect == pytest.approx((0.1 + 0.5 * 0.1) / 2) and found.verdict == "supported"
    assert found.examples == 2 * N and found.unit == "overall"
    assert effect(found).startswith("+0.075 [") and effect(found).endswith("] mean of the scores")
    # Two splits are resampled independently, so the mean of both is more certain than one.
    width, alone = ((one.high - one.low) for one in (found, single))
    assert 0.75 * alone * 0.6 < width < 0.75 * alone * 0.9


def test_pairing_tells_apart_what_separate_intervals_cannot():
    """82% and 80% of 400: each interval is 8 points wide, but one run is correct wherever the other is."""
    found = judge(claim(["82"], ["80"]), Evidence())
    assert found.effect == pytest.approx(0.02) and found.low > 0 and found.high < 0.04


def test_to_be_best_is_to_beat_the_best_of_the_rest():
    assert judge(claim(["85"], ["70", "90"]), Evidence()).effect == pytest.approx(0.05)
    found = judge(claim(["85"], ["70", "90"], than_the="best"), Evidence())
    assert found.effect == pytest.approx(-0.05) and found.verdict == "refuted"


def test_a_metric_of_errors_is_better_when_lower():
    cell = {"on": "set/test", "metric": "mean-absolute-error"}
    found = judge({**claim(["90"], ["80"]), "cell": cell}, Evidence())
    assert found.effect == pytest.approx(0.1) and found.verdict == "supported"


def test_seeds_are_paired_and_a_run_with_one_seed_serves_all():
    found = judge(claim(["two-seeds"], ["80"]), Evidence())
    assert found.seeds == 2 and found.effect == pytest.approx(0.05)


def test_a_claim_on_rows_that_selected_a_run_is_marked():
    found = judge(claim(["two-seeds"], ["70"], contradicted="Table 2"), Evidence())
    assert found.selected_on_scored_rows and marks(found) == " § ‡ Table 2"
    assert "§ The compared rows also selected an epoch" in notes([found])
    other = judge(claim(["90"], ["70"]), Evidence())
    assert not other.selected_on_scored_rows and marks(other) == "" and "§" not in notes([other])


def test_a_claim_on_rows_that_tuned_a_threshold_is_marked():
    leaky = {"tune_on": "set/test", "maximise": "accuracy", "leaks": True}
    cell = {"on": "set/test", "metric": "accuracy", "threshold": leaky}
    found = judge({**claim(["90"], ["70"]), "cell": cell}, Evidence())
    assert found.threshold_tuned_on_scored_rows and marks(found) == " †"
    assert "† The compared rows also tuned a threshold" in notes([found])


def test_a_score_that_its_own_threshold_makes_too_high_is_resampled_around_itself():
    """Of useless scores, the best threshold on a resample gives more than the one that all rows tuned."""
    useless = replace(scored(0.5), score=np.random.default_rng(3).random(400))

    class Useless(Evidence):
        def predictions(self, run, on, epoch=None):
            return [useless]

    leaky = {"tune_on": "set/test", "maximise": "accuracy", "leaks": True}
    cell = {"on": "set/test", "metric": "accuracy", "threshold": leaky}
    found = compare({**claim(["a"], []), "than": [], "than_value": 0.5, "cell": cell}, Useless())
    assert found.effects[0, 0] > 0 and found.drawn.mean() == pytest.approx(found.effects[0, 0])


def test_a_claim_about_a_part_without_rows_is_open_and_stops_no_other():
    of_none = {**claim(["90"], ["80"]), "cell": {**claim([], [])["cell"], "subset": {"label": 0.3}}}
    found = judge(of_none, Evidence())
    assert found.verdict == "inconclusive" and found.effect is None and found.examples == 0
    whole = {key: value for key, value in of_none.items() if key != "cell"}
    parts = [of_none["cell"], claim([], [])["cell"]]
    assert judge({**whole, "mean_over": parts}, Evidence()).effect is None


def test_one_seed_is_said_to_be_one():
    alone, untrained = judge(claim(["90"], ["80"]), Evidence()), judge(claim(["two-seeds"], ["two-seeds"]), Evidence())
    assert ONE_SEED_NOTE in notes([untrained, alone]) and ONE_SEED_NOTE not in notes([untrained])


def test_an_undefined_difference_decides_nothing_and_is_said_to_be_undefined():
    cell = {"on": "set/test", "metric": "precision", "threshold": 2.0}  # nothing is predicted positive
    found = judge({**claim(["90"], ["80"]), "cell": cell}, Evidence())
    assert found.verdict == "inconclusive" and found.effect is found.low is None
    assert effect(found) == "undefined precision"


def test_what_hangs_on_seeds_is_not_said_to_want_examples():
    # 400 · (0.04² - 0.012²) / (0.02² - 0.012²), rounded up.
    assert examples_needed(0.02, 0.04, 400, of_seeds=0.012) == 2300
    assert examples_needed(0.01, 0.04, 400, of_seeds=0.012) is None
    found = judge(claim(["two-seeds"], ["85"]), Evidence())
    assert found.verdict == "inconclusive" and found.limited_by_seeds
    assert reason(found) == " (seeds: +0.050, -0.050)"
    assert found.seeds_needed is None  # the effect is 0
    assert not judge(claim(["80"], ["80"]), Evidence()).limited_by_seeds


def test_two_seeds_that_agree_on_the_sign_alone_are_not_enough():
    """With +0.3 and +0.2, Student's t is 5, which has p = 1/8 with one degree of freedom."""
    found = judge(claim(["two-seeds"], ["60"]), Evidence())
    assert [one.effect for one in found.each_seed] == pytest.approx([0.3, 0.2])
    assert found.verdict == "inconclusive"
    assert found.limited_by_seeds and found.seeds_needed == 3


def test_each_seed_alone_says_what_a_run_of_it_would_have():
    class OneOfThem(Evidence):
        def predictions(self, run, on, epoch=None):
            return super().predictions(run, on, epoch)[:1]

    both, alone_there = claim(["two-seeds"], ["85"]), judge(claim(["two-seeds"], ["85"]), OneOfThem())
    found = judge(both, Evidence())
    assert [one.verdict for one in found.each_seed] == ["supported", "refuted"]
    assert found.each_seed[0] == Outcome(alone_there.effect, alone_there.low, alone_there.high, alone_there.verdict)
    assert alone_there.each_seed == () and verdicts_by_seed(found) == "supported 1, refuted 1"


def test_a_column_of_seeds_is_there_where_there_are_seeds():
    one = judge(claim(["90"], ["80"]), Evidence())
    two = replace(judge(claim(["two-seeds"], ["85"]), Evidence()), claim="d", part_of="c")
    assert "each seed alone" not in markdown(JudgedClaims("p", "Small.", (one,)))
    text = squeezed(markdown(JudgedClaims("p", "Small.", (one, two))))
    assert "| effect | single seeds |" in text and "| supported 1, refuted 1 |\n" in text
    assert "Verdicts that change between single seeds: 1 of 1 with 2 seeds." in text


def test_as_many_seeds_are_said_to_settle_a_claim_as_would():
    by_seed, alone = [0.0, 0.1], 12.7062 * 0.05  # Student's t with one degree of freedom, times 0.0707 / sqrt(2)
    assert 2.262 * 0.0707 / 10**0.5 > 0.05 > 2.228 * 0.0707 / 11**0.5  # t with nine and with ten degrees of freedom
    assert seeds_needed(by_seed, 0.05, alone) == 11
    wide = np.hypot(alone, 0.06)  # the examples alone contribute 0.06 on either side
    assert seeds_needed(by_seed, 0.05, wide) is None
    each = tuple(Outcome(effect, None, None, Verdict.INCONCLUSIVE) for effect in by_seed)
    found = judged_claim(effect=0.05, each_seed=each, limited_by_seeds=True, seeds_needed=11)
    assert reason(found) == " (seeds: +0.000, +0.100; about 11 seeds needed)"


def test_runs_on_different_examples_are_not_compared():
    with pytest.raises(UserError, match="compares runs on different examples"):
        judge(claim(["90"], ["x80"]), Evidence())


def test_over_multiplies_both_sides():
    spec = claim(["a-{e}-{p}"], ["b-{e}-{p}"], over={"e": ["x", "y"], "p": ["1", "2"]})
    found = tables.claim(spec)
    better, than = found.better, found.than
    assert [cell.run for cell in better] == ["a-x-1", "a-x-2", "a-y-1", "a-y-2"] and len(than) == 4
    assert better[0].metric == "accuracy"
    of_types = {"better": [{"run": "a", "subset": {"group": "{type}"}}], "over": {"type": ["x", "y"]}}
    assert [cell.subset.group for cell in tables.claim(spec | of_types).better] == ["x", "y"]


def test_an_undecided_claim_says_how_many_examples_would_settle_it():
    assert examples_needed(0.02, 0.04, 400) == 1600  # half the width needs four times as many
    assert examples_needed(0.03, 0.04, 1000) == 1800  # 1,778
    assert examples_needed(0.0335, 0.034, 1000) == 1100  # 1,030, which must not round to the 1,000 at hand
    assert examples_needed(0.0, 0.1, 400) is None and examples_needed(1e-6, 0.1, 400) is None
    assert _reach(0.034, -0.001, 0.066) == pytest.approx(0.035)  # the end on the side of 0
    assert _reach(0.05, 0.0, 0.15) == pytest.approx(0.075)  # the interval of 20 pairs can end exactly at 0
    undecided = judged_claim(examples_needed=12000)
    assert reason(undecided) == " (about 12,000 examples needed, 500 available)"
    in_clusters = " (about 12,000 examples in 96 clusters needed, 500 in 4 available)"
    assert reason(replace(undecided, clusters=4)) == in_clusters
    assert reason(judge(claim(["90"], ["90"]), Evidence())) == ""
    assert reason(judge(claim(["90"], ["80"]), Evidence())) == ""


def test_a_claim_of_equivalence_needs_an_interval_within_its_margin():
    close = judge(claim(["80"], ["79"], within=0.02), Evidence())
    assert close.verdict == Verdict.INCONCLUSIVE and close.effect < 0.02 < close.high
    reach = max(close.effect - close.low, close.high - close.effect)
    assert close.examples_needed == examples_needed(0.02 - close.effect, reach, N) > N
    apart = judge(claim(["80"], ["77"], within=0.02), Evidence())  # more examples would refute it
    assert apart.verdict == Verdict.INCONCLUSIVE and apart.effect > 0.02
    assert apart.examples_needed == examples_needed(apart.effect - 0.02, _reach(apart.effect, apart.low, apart.high), N)


def normal(effect: float, seeds: int = 1) -> Comparison:
    """Return a comparison whose resamples are normally distributed around an effect, with a standard error of 1."""
    drawn = effect + norm.ppf((np.arange(4000) + 0.5) / 4000)
    spec = ClaimSpec("s", "1", better=())
    effects = np.full((1, seeds), effect)
    return Comparison(spec, "f1", effects, np.stack([drawn] * seeds)[None], 400, 400, single_seed=seeds == 1)


@pytest.mark.parametrize("most", [2.2, 2.6, 3.4])
def test_what_stands_among_all_is_benjamini_and_hochbergs(most):
    effects = np.linspace(-most, 1.8, 9).tolist() + [2.0, 2.3]
    p = 2 * norm.sf(np.abs(effects))
    stands = decided_at_fdr([normal(effect) for effect in effects])
    assert stands == (false_discovery_control(p) <= 0.05).tolist()
    assert sum(stands) < sum(p < 0.05)


def test_claims_about_times_do_not_count_among_those_about_scores():
    """At 2.1 standard errors, a claim is decided alone, but would not be among five."""
    timed = Comparison(ClaimSpec("s", "1", better=()), "training-minutes", np.array([[0.5, -0.5, 0.1]]), None)
    judged, *_ = judging.judge("p", {"scores": normal(2.1), **{f"time {n}": timed for n in range(4)}})
    assert judged.verdict == "supported"


def test_a_claim_that_is_open_at_95_percent_lifts_no_other():
    """Percentiles at 95% reach the 3% of resamples below 0; Student's t, of a higher level, ends above 0."""
    drawn = np.concatenate([np.full(30, -0.1), np.random.default_rng(1).normal(5, 1, 970)])
    odd = Comparison(ClaimSpec("s", "1", better=()), "f1", np.array([[5.0]]), drawn[None, None], 400, 400)
    assert odd.outcome().verdict == Verdict.INCONCLUSIVE and odd.outcome(0.99).verdict == "supported"
    assert decided_at_fdr([odd, normal(0), normal(0), normal(0), normal(0)]) == [False] * 5


@pytest.mark.slow
def test_of_claims_of_nothing_few_are_decided_among_all():
    rng = np.random.default_rng(7)
    alone, among = [], []
    for _ in range(100):
        asked = [normal(effect) for effect in rng.normal(0, 1, 12)]
        alone.append(any(one.outcome().verdict != Verdict.INCONCLUSIVE for one in asked))
        among.append(any(decided_at_fdr(asked)))
    assert np.mean(alone) > 0.35 and np.mean(among) <= 0.09


def test_a_claim_says_when_it_would_not_stand_among_all():
    asked = {name: normal(effect) for name, effect in {"a": 2.1, "b": 4, "c": 0, "d": 0.5, "e": -1}.items()}
    judged = {one.claim: one for one in judging.judge("p", asked)}
    assert [one.verdict for one in judged.values()] == ["inconclusive", "supported", *["inconclusive"] * 3]
    assert [one.by_itself for one in judged.values()] == ["supported"] * 2 + ["inconclusive"] * 3
    assert reason(judged["a"]) == " (supported by itself, but not at a false discovery rate of 5%)"
    assert reason(judged["b"]) == ""
    assert "Among 5 claims, chance decides some" in notes(list(judged.values()))
    assert "Decided by their intervals alone: 2; at this rate: 1." in notes(list(judged.values()))
    assert "Decided by their intervals alone: 1; at this rate: 1." in notes([judged["b"], judged["c"]])
    assert "chance decides" not in notes([judged["c"], judged["d"]]) + notes([judged["b"]])


def test_exact_counts_are_no_test_among_many():
    """Of three claims, 2.2 standard errors do not pass; two exact counts beside it, if they counted, would let it."""
    exact = Comparison(ClaimSpec("s", "1", better=()), "parameters", np.full((1, 1), 0.5), None)
    asked = {"a": normal(2.2), "b": normal(0), "c": normal(0.1), "d": exact, "e": exact}
    judged = judging.judge("p", asked)
    assert [one.verdict for one in judged] == [*["inconclusive"] * 3, "supported", "supported"]
    assert judged[0].by_itself == "supported"
    note = notes(judged)
    assert "Among 3 claims" in note and "Decided by their intervals alone: 1; at this rate: 0." in note


def test_what_is_needed_is_what_the_least_certain_comparison_needs():
    """One of two comparisons is clear; the other, at half of its margin, needs four times the examples."""
    drawn = np.random.default_rng(29).normal(0, 1, 4000)
    effects = np.array([[5.0], [1.0]])
    both = Comparison(ClaimSpec("s", "1", better=()), "f1", effects, effects[:, :, None] + drawn, 400, 400)
    [found] = judging.judge("p", {"c": both})
    assert found.verdict == Verdict.INCONCLUSIVE and found.examples_needed == pytest.approx(400 * 1.96**2, rel=0.1)


def test_a_claim_on_examples_that_all_share_sentences_is_not_decided():
    class OneCluster(Evidence):
        def clusters(self, on, ids):
            return np.zeros(len(ids), dtype=int)

    found = judge(claim(["90"], ["80"]), OneCluster())
    assert (found.verdict, found.low, found.clusters) == (Verdict.INCONCLUSIVE, None, 1)
    assert effect(found) == "+0.100 accuracy, no interval: all examples form one cluster" and reason(found) == ""


def test_the_definition_of_a_claim_is_what_it_compares_whatever_its_words():
    one = tables.claim(claim(["90"], ["80"]))
    assert judge(claim(["90"], ["80"]), Evidence()).definition == one.definition
    for keys in (claim(["90"], ["80"]), claim(["90"], ["80"], mean_over=[{"on": "set/test"}, {"on": "set/dev"}])):
        reworded = {**keys, "statement": "Other words.", "source": "2", "contradicted": "Table 3"}
        assert tables.claim(keys).definition == tables.claim(reworded).definition
    others = claim(["90"], ["70"]), claim(["90"], ["80"], within=0.1), claim(["90"], ["80"], than_the="best")
    assert len({one.definition, *(tables.claim(other).definition for other in others)}) == 4
