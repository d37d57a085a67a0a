"""Thresholds that are tuned: within limits, by cross-validation, by each seed, and on the rows that they score."""

import numpy as np
import pytest

from recorded import TUNED, Evidence, lookup, measure, predicted
from semblance.config import tables as keys
from semblance.evaluation import metrics
from semblance.evaluation.intervals import draws
from semblance.evaluation.scored import Scored
from semblance.evaluation.thresholds import tuning

LEAKY = {"tune_on": "set/test", "maximise": "f1", "leaks": True}


class Splits(Evidence):
    """Runs that all have the same predictions, one a seed, of set/dev and set/test."""

    def __init__(self, **splits):
        self._splits = splits

    def predictions(self, run, on, epoch=None):
        return self._splits[on.removeprefix("set/")]


def noisy(count, rng):
    targets = rng.integers(0, 2, count)
    return predicted(targets, targets + rng.normal(0, 1.5, count))


NOISY = Splits(test=[noisy(80, np.random.default_rng(5))])


def test_a_threshold_stays_within_its_limits():
    """Without them, those of the two seeds are 0.8 and 0.3."""
    rule = {**TUNED["threshold"], "between": [0.35, 0.75]}
    assert measure({**TUNED, "threshold": rule}, lookup).thresholds == [0.75, 0.35]


def test_a_score_at_an_end_of_the_limits_is_accepted_there():
    """At 0.3, the pair that is accepted and the one that is rejected are both wrong; above it, the first is right."""
    targets, scores = np.array([1.0, 0.0]), np.array([0.1, 0.3])
    [found] = metrics.best_thresholds("accuracy", targets, scores, np.ones((1, 2)), (0.3, 0.8))
    assert metrics.compute("accuracy", targets, scores, 0.3) == 0
    assert metrics.compute("accuracy", targets, scores, found) == 0.5 and 0.3 < found <= 0.8


def test_the_error_of_tuning_a_threshold_on_few_rows_is_part_of_the_interval():
    rng = np.random.default_rng(3)
    few = Splits(dev=[noisy(12, rng)], test=[noisy(600, rng)])
    wide = measure(TUNED, few)
    fixed = measure({**TUNED, "threshold": wide.thresholds[0]}, few)
    assert wide.value == fixed.value
    assert wide.low <= fixed.low and wide.high >= fixed.high
    assert wide.high - wide.low > 1.5 * (fixed.high - fixed.low)


def test_a_threshold_that_is_tuned_on_the_scored_rows_adds_its_optimism_once():
    """Tuned again on resamples, it would add its optimism twice: they are shifted, so that their mean is the score."""
    leaky = Scored(keys.cell({**TUNED, "metric": "f1", "threshold": LEAKY}), NOISY)
    tuned_again = np.concatenate([leaky.of_resamples(0, counts, which) for which, counts in draws(leaky.clusters)])
    assert tuned_again.mean() > leaky.metric(0) + 0.01
    assert leaky.resampled().mean() == pytest.approx(leaky.metric(0))
    assert leaky.resampled().std() == pytest.approx(tuned_again.std())


def test_a_threshold_is_a_number_like_any_other():
    number = measure({**TUNED, "metric": "threshold"}, lookup)
    assert number.value == pytest.approx(0.55) and number.low <= number.value <= number.high
    fixed = measure({**TUNED, "metric": "threshold", "threshold": 0.5}, lookup)
    assert fixed.value == 0.5 and fixed.low is None


def test_a_cross_validated_threshold_is_the_mean_of_those_without_one_fold_each():
    rows = predicted([1, 0, 1, 0, 1, 0], [0.9, 0.1, 0.5, 0.45, 0.6, 0.4])
    rule = {"tune_on": "set/test", "maximise": "accuracy", "folds": 3}
    # Without rows 0 and 3 it lies between 0.4 and 0.5, without 1 and 4 between 0.45 and 0.5, without 2 and 5 higher.
    parts = [1, 2, 4, 5], [0, 2, 3, 5], [0, 1, 3, 4]
    alone = [metrics.best_threshold("accuracy", rows.target[part], rows.score[part]) for part in parts]
    assert alone == pytest.approx([0.45, 0.475, 0.525])
    [found] = measure({**TUNED, "threshold": rule}, Splits(test=[rows])).thresholds
    assert found == pytest.approx((0.45 + 0.475 + 0.525) / 3)


def test_each_seed_has_its_own_threshold_on_resamples_and_in_the_exact_interval():
    """The second seed's scores lie below the first one's threshold."""
    high, low = ([right, wrong] for right, wrong in ((0.9, 0.7), (0.4, 0.2)))
    seeds = [predicted([1, 0] * 10, scores * 10) for scores in (high, low)]
    scored = Scored(keys.cell({**TUNED, "threshold": {**LEAKY, "maximise": "accuracy"}}), Splits(test=seeds))
    counts = np.ones((1, 20))
    assert [scored.of_resamples(seed, counts, slice(0, 1)).tolist() for seed in (0, 1)] == [[1.0], [1.0]]
    found = measure(TUNED, Splits(dev=seeds, test=seeds))
    assert found.value == 1 and found.low == pytest.approx(0.832, abs=1e-3)  # 0.025^(1/20)


def test_rows_that_share_sentences_are_resampled_together_to_tune_a_threshold():
    class Shared(Splits):
        def clusters(self, on, ids):
            return np.arange(len(ids)) // 2

    rows = predicted([1, 0] * 4, np.linspace(0, 1, 8))
    assert tuning(keys.cell(TUNED), Shared(dev=[rows], test=[rows])).clusters.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_a_threshold_that_one_half_tunes_does_not_make_the_other_halfs_score_too_high():
    rule = {"tune_on": "set/test", "maximise": "f1", "subset": {"half": "first"}}
    cell = {**TUNED, "metric": "f1", "subset": {"half": "second"}, "threshold": rule}
    scored = Scored(keys.cell(cell), NOISY)
    drawn = [scored.of_resamples(0, counts, which) for which, counts in draws(scored.clusters)]
    assert scored.count == 40 and np.array_equal(scored.resampled(), np.concatenate(drawn))  # nothing is shifted


def test_the_optimism_of_a_score_that_is_subtracted_counts_once_too():
    scored = Scored(keys.cell({**TUNED, "metric": "f1", "threshold": 0.5, "minus": {"threshold": LEAKY}}), NOISY)
    assert scored.resampled().mean() == pytest.approx(scored.metric(0))
