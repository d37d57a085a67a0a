"""Intervals of a mean over seeds: over examples exact or by the bootstrap, made wider by how far the seeds differ.

Examples that share a sentence may well be right or wrong together. They are one *cluster*, and clusters are what is
drawn (Miller 2024, "Adding Error Bars to Evals").

A handful of seeds cannot be resampled as examples are: where seeds are what matters, an interval by two would hold the
truth half of the time, by five five times in six. What they add is Student's t interval, put together with
that over examples as Zou and Donner 2008 do, "Construction of confidence limits about effect measures", by adding
squares on either side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

ONE_SEED_NOTE = "One seed: intervals cover the choice of examples, not the variance between seeds."
SEVERAL_SEEDS_NOTE = "Means over {} seeds; intervals cover the choice of examples and the variance between seeds."
RESAMPLES = 1000
LEVEL = 0.95
UNLIMITED = (-math.inf, math.inf)
AT_ONCE = 2**18  # numbers in memory: resamples together, times examples


def exact(right: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Clopper and Pearson's interval of the share that is `right`: so also for the 20 pairs of a stress test.

    Of examples that share clusters it is Korn and Graubard's: that of as many as they are worth.
    """
    from scipy.special import betaincinv

    total = effective_size(right, clusters)
    count, tail = right.mean() * total, (1 - LEVEL) / 2
    low = betaincinv(count, total - count + 1, tail) if right.any() else 0.0
    high = betaincinv(count + 1, total - count, 1 - tail) if not right.all() else 1.0
    return float(low), float(high)


def effective_size(right: np.ndarray, clusters: np.ndarray) -> float:
    """How many examples that share nothing would tell as much of the share that is `right`; at most there are.

    Their number over the design effect, less for few clusters (Korn and Graubard 1998, "Confidence intervals for
    proportions with small expected number of positive counts estimated from survey data"). Where all are right, or
    none, that is undefined, and each cluster counts as one.
    """
    from scipy.special import stdtrit

    n, share, many = len(right), right.mean(), clusters.max() + 1
    if many == n:
        return n
    if many == 1 or share in (0, 1):
        return many
    independent = share * (1 - share) / (n - 1)
    clustered = many / (many - 1) * (np.bincount(clusters, right - share) ** 2).sum() / n**2
    few = (stdtrit(n - 1, (1 + LEVEL) / 2) / stdtrit(many - 1, (1 + LEVEL) / 2)) ** 2
    return min(n, n * few * independent / clustered) if clustered else n


def bootstrap(
    metric: Callable[[int, np.ndarray], np.ndarray],
    seeds: int,
    clusters: np.ndarray,
    *,
    resamples: int = RESAMPLES,
    random: int = 0,
    limits: Sequence[float] = UNLIMITED,
) -> tuple[float, float]:
    """The interval of the mean over seeds of a metric: percentiles of what is `resampled`, then `with_seeds`.

    Resamples in which the metric is undefined are left out; (nan, nan) when it always is.
    """
    drawn = resampled(metric, seeds, clusters, resamples=resamples, random=random)
    by_seed = [metric(seed, np.ones((1, len(clusters))))[0] for seed in range(seeds)]
    return with_seeds(percentiles(drawn.mean(0), clusters.max() + 1), by_seed, limits)


def resampled(
    metric: Callable[[int, np.ndarray], np.ndarray],
    seeds: int,
    clusters: np.ndarray,
    *,
    resamples: int = RESAMPLES,
    random: int = 0,
) -> np.ndarray:
    """A metric by seed on every resample of the examples, (seeds, resamples); nan where it is undefined.

    `clusters`, (n,), numbers each example's from 0; they are drawn whole. ``metric(seed, counts)`` is given how often
    each example is in each of b resamples, (b, n) in floats, and gives b numbers.
    """
    rng, values, many = np.random.default_rng(random), [], clusters.max() + 1
    at_once = max(1, AT_ONCE // len(clusters))
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        drawn = np.stack([np.bincount(rng.integers(many, size=many), minlength=many) for _ in range(size)])
        counts = drawn[:, clusters].astype(float)
        values.append([metric(seed, counts) for seed in range(seeds)])
    return np.concatenate(values, axis=1)


def percentiles(values: np.ndarray, clusters: int, level: float = LEVEL) -> tuple[float, float]:
    """The interval from what is defined among `values`, a metric on resamples of so many clusters.

    Plain percentiles are too narrow for few. These are further out by as much as Student's t and an unbiased variance
    would be: Hesterberg 2015, "What teachers should know about the bootstrap". No resample lies beyond the outermost
    cluster: where all would lie on one side of the truth too often for the level, five once in sixteen times, it is
    Student's t by how far resamples spread. One cluster says nothing of others.
    """
    from scipy.special import ndtr, stdtrit

    values = values[~np.isnan(values)]
    if not len(values):
        return float("nan"), float("nan")
    if clusters == 1:
        return UNLIMITED
    out = math.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, (1 + level) / 2)
    if 2.0 ** (1 - clusters) > 1 - level:
        middle, half = values.mean(), out * values.std()
        return float(middle - half), float(middle + half)
    low, high = np.quantile(values, [ndtr(-out), ndtr(out)])
    return float(low), float(high)


def with_seeds(
    over_examples: tuple[float, float],
    by_seed: Sequence[float],
    limits: Sequence[float] = UNLIMITED,
    level: float = LEVEL,
) -> tuple[float, float]:
    """The interval of the mean of `by_seed`, given that over examples; cut off at `limits`, of what can be at all."""
    value, (low, high), half = float(np.mean(by_seed)), over_examples, half_width_over_seeds(by_seed, level=level)
    if half:
        low, high = value - math.hypot(max(value - low, 0), half), value + math.hypot(max(high - value, 0), half)
    return max(low, limits[0]), min(high, limits[1])


def half_width_over_seeds(by_seed: Sequence[float], seeds: int | None = None, level: float = LEVEL) -> float:
    """Half the width of the mean's interval over seeds, by Student's t; were there `seeds` that differ as these do."""
    if len(by_seed) < 2:
        return 0.0
    from scipy.special import stdtrit

    seeds = seeds or len(by_seed)
    return float(stdtrit(seeds - 1, (1 + level) / 2) * np.std(by_seed, ddof=1) / math.sqrt(seeds))
