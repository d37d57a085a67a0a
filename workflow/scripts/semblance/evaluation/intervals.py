"""Intervals: exact ones of shares, else the bootstrap over examples, and over seeds where there are several.

After Sellam et al. 2022, "The MultiBERTs" (the multi-bootstrap): seeds and examples are resampled
independently, and a statistic is the mean over the resampled seeds of the metric on the resampled
examples.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

ONE_SEED_NOTE = (
    "Trained with one seed: the intervals are over examples, and what another seed would have changed is not in them."
)
RESAMPLES = 1000
LEVEL = 0.95
AT_ONCE = 2**18  # numbers in memory: resamples together, times examples


def exact(count: int, total: int) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share, `count` of `total`: right also for the 20 pairs of a stress test."""
    from scipy.special import betaincinv

    tail = (1 - LEVEL) / 2
    low = betaincinv(count, total - count + 1, tail) if count else 0.0
    high = betaincinv(count + 1, total - count, 1 - tail) if count < total else 1.0
    return float(low), float(high)


def bootstrap(
    metric: Callable[[int, np.ndarray], np.ndarray],
    seeds: int,
    examples: int,
    *,
    resamples: int = RESAMPLES,
    random: int = 0,
) -> tuple[float, float]:
    """The percentile interval of the mean over seeds of a metric; see `resampled`.

    Resamples in which the metric is undefined are left out; (nan, nan) when it always is.
    """
    return percentiles(resampled(metric, seeds, examples, resamples=resamples, random=random))


def resampled(
    metric: Callable[[int, np.ndarray], np.ndarray],
    seeds: int,
    examples: int,
    *,
    resamples: int = RESAMPLES,
    random: int = 0,
) -> np.ndarray:
    """The statistic on every resample, shape (resamples,); nan where the metric is undefined.

    ``metric(seed, counts)`` is given how often each example was drawn in each of b resamples, (b, examples) in
    floats, and gives b numbers.
    """
    rng, values = np.random.default_rng(random), []
    at_once = max(1, AT_ONCE // examples)
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        drawn, counts = np.empty((size, seeds), dtype=int), np.empty((size, examples))
        for row in range(size):
            drawn[row] = rng.integers(seeds, size=seeds)
            counts[row] = np.bincount(rng.integers(examples, size=examples), minlength=examples)
        by_seed = np.stack([metric(seed, counts) for seed in range(seeds)])
        values.append(np.take_along_axis(by_seed, drawn.T, axis=0).mean(axis=0))
    return np.concatenate(values)


def percentiles(values: np.ndarray) -> tuple[float, float]:
    """The interval that holds `LEVEL` of what is defined among `values`."""
    values = values[~np.isnan(values)]
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
