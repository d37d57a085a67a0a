"""Coverage of confidence intervals and the variance between seeds, compared with theory."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm, t, ttest_1samp

from semblance.evaluation import intervals
from semblance.evaluation.intervals import UNLIMITED, draws, effective_size, exact, percentiles, with_seeds

alone = np.arange  # n clusters of one example each


def resampled(metric, seeds, clusters, *, resamples=intervals.RESAMPLES, random=0):
    """Return a metric on bootstrap resamples, shape (seeds, resamples)."""
    drawn = draws(clusters, resamples, random)
    return np.concatenate([[metric(seed, counts) for seed in range(seeds)] for _, counts in drawn], axis=1)


def bootstrap(metric, seeds, clusters, *, resamples=intervals.RESAMPLES, random=0, limits=UNLIMITED):
    """Return the interval of a metric's mean over seeds, put together as cells and claims do."""
    drawn = resampled(metric, seeds, clusters, resamples=resamples, random=random)
    by_seed = [metric(seed, np.ones((1, len(clusters))))[0] for seed in range(seeds)]
    return with_seeds(percentiles(drawn.mean(0), clusters.max() + 1), by_seed, limits)


def test_a_95_percent_interval_covers_the_truth_near_95_percent_of_the_time():
    rng = np.random.default_rng(1)
    covered = 0
    for trial in range(200):
        right = rng.random(300) < 0.7
        low, high = bootstrap(
            lambda _, counts, right=right: counts @ right / 300, 1, alone(300), resamples=500, random=trial
        )
        covered += low <= 0.7 <= high
    assert 0.90 <= covered / 200 <= 0.99


def test_its_width_is_that_of_the_normal_approximation():
    right = np.arange(1000) < 800
    low, high = bootstrap(lambda _, counts: counts @ right / 1000, 1, alone(1000), resamples=2000)
    assert (high - low) / 2 == pytest.approx(1.96 * np.sqrt(0.8 * 0.2 / 1000), rel=0.1)


def test_seeds_that_differ_widen_the_interval():
    right = np.zeros((3, 200))
    right[0, :120], right[1, :140], right[2, :160] = 1, 1, 1

    def metric(seed, counts):
        return counts @ right[seed] / 200

    one = bootstrap(lambda _, counts: metric(1, counts), 1, alone(200))
    three = bootstrap(metric, 3, alone(200))
    assert three[1] - three[0] > one[1] - one[0]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [2, 3, 5])
@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0])  # between seeds; standard error over examples: 0.1
def test_a_95_percent_interval_over_seeds_covers_as_often_however_few_they_are(seeds, spread):
    rng = np.random.default_rng(seeds)
    covered = 0
    for _ in range(200):
        values = rng.normal(0, 1, 100) + rng.normal(0, spread, (seeds, 1))
        low, high = bootstrap(
            lambda s, counts, values=values: counts @ values[s] / 100, seeds, alone(100), resamples=500
        )
        covered += low <= 0 <= high
    assert covered / 200 >= 0.91
    assert covered / 200 <= 0.99 or spread == 0.1  # conservative if few seeds and examples matter alike


@pytest.mark.slow
@pytest.mark.parametrize(("seeds", "covers"), [(2, 0.5), (5, 0.83)])
def test_seeds_resampled_as_if_they_were_examples_would_cover_far_less(seeds, covers):
    """A bootstrap of two seeds covers the truth half of the time, because the truth must lie between them."""
    rng = np.random.default_rng(seeds)
    by_seed = rng.normal(0, 1, (400, seeds))
    drawn = [resampled(lambda _, c, v=values: c @ v / seeds, 1, alone(seeds), resamples=500) for values in by_seed]
    ends = [np.quantile(one, [0.025, 0.975]) for one in drawn]
    assert np.mean([low <= 0 <= high for low, high in ends]) == pytest.approx(covers, abs=0.06)


def test_seeds_alone_have_students_interval():
    by_seed = [0.81, 0.84, 0.80, 0.85]
    theirs = ttest_1samp(by_seed, 0).confidence_interval(0.95)
    assert with_seeds((0.825, 0.825), by_seed) == pytest.approx((theirs.low, theirs.high))


def test_squares_are_added_on_either_side():
    half = 12.7062 * 0.02 / 2  # two seeds, 0.02 apart
    low, high = with_seeds((0.4, 0.9), [0.49, 0.51])
    assert low == pytest.approx(0.5 - np.hypot(0.1, half)) and high == pytest.approx(0.5 + np.hypot(0.4, half))
    assert with_seeds((0.4, 0.9), [0.49, 0.51], (0.39, 0.9)) == (0.39, 0.9)


def test_seeds_that_agree_add_nothing():
    assert with_seeds((0.4, 0.9), [0.5, 0.5, 0.5]) == with_seeds((0.4, 0.9), [0.5]) == (0.4, 0.9)


def test_an_undefined_metric_has_no_interval():
    assert np.isnan(bootstrap(lambda _, counts: np.full(len(counts), np.nan), 1, alone(10), resamples=5)).all()


def test_the_same_call_gives_the_same_interval():
    values = np.random.default_rng(2).random(50)
    assert bootstrap(lambda _, c: c @ values, 1, alone(50)) == bootstrap(lambda _, c: c @ values, 1, alone(50))


def test_resamples_are_the_same_however_many_are_in_memory_at_once(monkeypatch):
    values = np.random.default_rng(2).random((2, 50))

    def drawn(at_once):
        monkeypatch.setattr(intervals, "AT_ONCE", at_once)
        return resampled(lambda seed, counts: counts @ values[seed], 2, alone(50), resamples=100)

    assert drawn(10) == pytest.approx(drawn(50 * 7)) and drawn(10) == pytest.approx(drawn(10**6))


@pytest.mark.parametrize(("count", "total"), [(0, 20), (1, 20), (13, 20), (20, 20), (700, 1000)])
def test_an_exact_interval_is_scipys(count, total):
    theirs = binomtest(count, total).proportion_ci(0.95, method="exact")
    assert exact(np.arange(total) < count, alone(total)) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_an_exact_interval_covers_where_a_bootstrap_of_20_does_not():
    """With 20 pairs and an accuracy of 0.95, a third of all samples are perfect; their bootstrap has no width."""
    rng = np.random.default_rng(1)
    ends = [exact(row, alone(20)) for row in rng.random((2000, 20)) < 0.95]
    assert np.mean([low <= 0.95 <= high for low, high in ends]) >= 0.95
    perfect = np.ones(20, dtype=bool)
    assert bootstrap(lambda _, counts: counts @ perfect / 20, 1, alone(20)) == (1.0, 1.0)
    assert exact(perfect, alone(20))[0] < 0.84


def premises(rng, many, each, alike):
    """Draw which of `each` hypotheses of `many` premises are correct, with probability 0.8.

    With probability `alike`, all hypotheses of a premise have the same outcome.
    """
    whole, own = rng.random((many, 1)) < 0.8, rng.random((many, each)) < 0.8
    return np.where(rng.random((many, 1)) < alike, whole, own).ravel()


@pytest.mark.slow
@pytest.mark.parametrize("interval", ["exact", "bootstrap"])
def test_examples_that_share_a_sentence_are_covered_as_often(interval):
    """Three hypotheses per premise, as clusters and as if they were independent."""

    def ends(right, clusters):
        if interval == "exact":
            return exact(right, clusters)
        return bootstrap(lambda _, counts: counts @ right / counts.sum(1), 1, clusters, resamples=500)

    rng = np.random.default_rng(3)
    covered = []
    for right in (premises(rng, 100, 3, 0.6) for _ in range(300)):
        found = [ends(right, clusters) for clusters in (np.repeat(np.arange(100), 3), alone(300))]
        covered.append([low <= 0.8 <= high for low, high in found])
    together, apart = np.mean(covered, axis=0)
    assert 0.91 <= together <= 0.99 and apart < 0.87


def test_three_times_the_same_example_counts_as_one():
    once = np.random.default_rng(4).random(50) < 0.7
    thrice, clusters = np.repeat(once, 3), np.repeat(alone(50), 3)
    assert effective_size(thrice, clusters) == pytest.approx(
        50, rel=0.05
    )  # a little less because of 49 degrees of freedom
    assert resampled(lambda _, c: c @ thrice / c.sum(1), 1, clusters) == pytest.approx(
        resampled(lambda _, c: c @ once / 50, 1, alone(50))
    )


def test_an_effective_size_by_hand():
    """Two clusters of two, with 2 and 1 correct examples: 0.5 more and 0.5 less than a share of 0.75 gives."""
    right, clusters = np.array([True, True, True, False]), np.array([0, 0, 1, 1])
    few = (t.ppf(0.975, 3) / t.ppf(0.975, 1)) ** 2
    clustered = 2 * (0.5**2 + 0.5**2) / 16
    assert effective_size(right, clusters) == pytest.approx(4 * few * (0.1875 / 3) / clustered)


@pytest.mark.parametrize(
    ("right", "clusters", "worth"),
    [
        ([True] * 4, [0, 0, 1, 2], 3),  # all correct: every cluster counts as one example
        ([True, False, True, False], [0, 0, 1, 1], 4),  # equal clusters: not more than n
        ([True, False], [0, 0], 1),
    ],
)
def test_an_effective_size_where_clusters_do_not_tell(right, clusters, worth):
    assert effective_size(np.array(right), np.array(clusters)) == worth


@pytest.mark.slow
@pytest.mark.parametrize(("many", "each"), [(3, 5), (6, 5), (10, 3), (20, 1)])
def test_few_clusters_are_covered_as_often_and_would_not_be_by_plain_percentiles(many, each):
    rng, clusters = np.random.default_rng(8), np.repeat(np.arange(many), each)
    covered = []
    for _ in range(500):
        values = (rng.normal(0, 1, (many, 1)) + rng.normal(0, 1, (many, each))).ravel()
        drawn = resampled(lambda _, c, v=values: c @ v / c.sum(1), 1, clusters)[0]
        ends = [percentiles(drawn, many), np.quantile(drawn, [0.025, 0.975])]
        covered.append([low <= 0 <= high for low, high in ends])
    further_out, plain = np.mean(covered, axis=0)
    assert 0.925 <= further_out <= 0.975 and plain < further_out - 0.01


def test_a_level_that_no_resample_reaches_is_students_t():
    """Six clusters, 1 to 6: 3.5 ± t · 1.8708 / √6, where t is 2.5706 at 95% and 4.0321 at 99%."""
    clusters = np.arange(6)
    drawn = resampled(lambda _, c: c @ np.arange(1.0, 7.0) / c.sum(1), 1, clusters, resamples=20_000)[0]
    assert percentiles(drawn, 6, 0.99) == pytest.approx((3.5 - 3.0796, 3.5 + 3.0796), abs=0.05)
    assert percentiles(drawn, 6, 0.95) == pytest.approx((3.5 - 1.9633, 3.5 + 1.9633), abs=0.15)


def test_an_end_beyond_nearly_all_resamples_is_students_t_too():
    """One of 76 claims asks for a level of 1 - 0.05 / 76. Of 1,000 resamples, 0.33 would lie beyond either end."""
    drawn = np.random.default_rng(9).normal(0, 1, 1000)
    middle, half = drawn.mean(), norm.isf(0.025 / 76) * drawn.std()
    assert percentiles(drawn, 10**6, 1 - 0.05 / 76) == pytest.approx((middle - half, middle + half), abs=1e-3)
    assert percentiles(drawn, 10**6) == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=1e-3)


def test_one_cluster_says_nothing_of_others():
    assert bootstrap(lambda _, counts: counts[:, 0], 1, np.zeros(30, dtype=int)) == (-np.inf, np.inf)
    assert bootstrap(lambda _, counts: counts[:, 0], 1, np.zeros(30, dtype=int), limits=(0, 1)) == (0, 1)
