"""Intervals: exact ones of shares, else the bootstrap over examples, and over seeds where there are several.

After Sellam et al. 2022, "The MultiBERTs" (the multi-bootstrap): seeds and examples are resampled
independently, and a statistic is the mean over the resampled seeds of the metric on the resampled
examples.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

RESAMPLES = 1000
LEVEL = 0.95


def exact(count: int, total: int) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share, `count` of `total`: right also for the 20 pairs of a stress test."""
    from scipy.special import betaincinv

    tail = (1 - LEVEL) / 2
    low = betaincinv(count, total - count + 1, tail) if count else 0.0
    high = betaincinv(count + 1, total - count, 1 - tail) if count < total else 1.0
    return float(low), float(high)


def bootstrap(
    metric: Callable[[int, np.ndarray], float],
    seeds: int,
    examples: int,
    *,
    resamples: int = RESAMPLES,
    random: int = 0,
) -> tuple[float, float]:
    """The percentile interval of the mean over seeds of ``metric(seed, example indices)``.

    Resamples in which the metric is undefined are left out; (nan, nan) when it always is.
    """
    return percentiles(resampled(metric, seeds, examples, resamples=resamples, random=random))


def resampled(
    metric: Callable[[int, np.ndarray], float],
    seeds: int,
    examples: int,
    *,
    resamples: int = RESAMPLES,
    random: int = 0,
) -> np.ndarray:
    """The statistic on every resample, shape (resamples,); nan where the metric is undefined."""
    rng = np.random.default_rng(random)
    values = []
    for _ in range(resamples):
        drawn = rng.integers(seeds, size=seeds)
        rows = rng.integers(examples, size=examples)
        values.append(np.mean([metric(seed, rows) for seed in drawn]))
    return np.array(values)


def percentiles(values: np.ndarray) -> tuple[float, float]:
    """The interval that holds `LEVEL` of what is defined among `values`."""
    values = values[~np.isnan(values)]
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
