"""The bootstrap against theory: what it covers, and what resampling seeds adds."""

import numpy as np
import pytest
from scipy.stats import binomtest

from semblance.evaluation import intervals
from semblance.evaluation.intervals import bootstrap, exact


def test_a_95_percent_interval_covers_the_truth_near_95_percent_of_the_time():
    rng = np.random.default_rng(1)
    covered = 0
    for trial in range(200):
        right = rng.random(300) < 0.7
        low, high = bootstrap(lambda _, counts, right=right: counts @ right / 300, 1, 300, resamples=300, random=trial)
        covered += low <= 0.7 <= high
    assert 0.90 <= covered / 200 <= 0.99


def test_its_width_is_that_of_the_normal_approximation():
    right = np.arange(1000) < 800
    low, high = bootstrap(lambda _, counts: counts @ right / 1000, 1, 1000, resamples=2000)
    assert (high - low) / 2 == pytest.approx(1.96 * np.sqrt(0.8 * 0.2 / 1000), rel=0.1)


def test_seeds_that_differ_widen_the_interval():
    right = np.zeros((3, 200))
    right[0, :120], right[1, :140], right[2, :160] = 1, 1, 1

    def metric(seed, counts):
        return counts @ right[seed] / 200

    one = bootstrap(lambda _, counts: metric(1, counts), 1, 200)
    three = bootstrap(metric, 3, 200)
    assert three[1] - three[0] > one[1] - one[0]


def test_an_undefined_metric_has_no_interval():
    assert np.isnan(bootstrap(lambda _, counts: np.full(len(counts), np.nan), 1, 10, resamples=5)).all()


def test_the_same_call_gives_the_same_interval():
    values = np.random.default_rng(2).random(50)
    assert bootstrap(lambda _, c: c @ values, 1, 50) == bootstrap(lambda _, c: c @ values, 1, 50)


def test_resamples_are_the_same_however_many_are_in_memory_at_once(monkeypatch):
    values = np.random.default_rng(2).random((2, 50))

    def drawn(at_once):
        monkeypatch.setattr(intervals, "AT_ONCE", at_once)
        return intervals.resampled(lambda seed, counts: counts @ values[seed], 2, 50, resamples=100)

    assert drawn(10) == pytest.approx(drawn(50 * 7)) and drawn(10) == pytest.approx(drawn(10**6))


@pytest.mark.parametrize(("count", "total"), [(0, 20), (1, 20), (13, 20), (20, 20), (700, 1000)])
def test_an_exact_interval_is_scipys(count, total):
    theirs = binomtest(count, total).proportion_ci(0.95, method="exact")
    assert exact(count, total) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_an_exact_interval_covers_where_a_bootstrap_of_20_does_not():
    """Of 20 pairs with a chance of 0.95 each, a third of all samples are perfect, and their bootstrap has no width."""
    rng = np.random.default_rng(1)
    right = rng.binomial(20, 0.95, 2000)
    covered = np.mean([low <= 0.95 <= high for low, high in (exact(int(k), 20) for k in right)])
    assert covered >= 0.95
    perfect = np.ones(20)
    assert bootstrap(lambda _, counts: counts @ perfect / 20, 1, 20) == (1.0, 1.0) and exact(20, 20)[0] < 0.84
