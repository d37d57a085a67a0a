"""Intervals of a mean over seeds: over examples exact or by the bootstrap, made wider by how far the seeds differ.

A handful of seeds cannot be resampled as examples are: where seeds are what matters, an interval by two would hold the
truth half of the time, by five five times in six. What they add is Student's t interval, put together with
that over examples as Zou and Donner 2008 do, "Construction of confidence limits about effect measures", by adding
squares on either side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

ONE_SEED_NOTE = (
    "Trained with one seed: the intervals are over examples, and what another seed would have changed is not in them."
)
SEVERAL_SEEDS_NOTE = "Means over {} seeds: the intervals are over examples and seeds."
RESAMPLES = 1000
LEVEL = 0.95
UNLIMITED = (-math.inf, math.inf)
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
    limits: Sequence[float] = UNLIMITED,
) -> tuple[float, float]:
    """The interval of the mean over seeds of a metric: percentiles of what is `resampled`, then `with_seeds`.

    Resamples in which the metric is undefined are left out; (nan, nan) when it always is.
    """
    over_examples = percentiles(resampled(metric, seeds, examples, resamples=resamples, random=random).mean(0))
    by_seed = [metric(seed, np.ones((1, examples)))[0] for seed in range(seeds)]
    return with_seeds(over_examples, by_seed, limits)


def resampled(
    metric: Callable[[int, np.ndarray], np.ndarray],
    seeds: int,
    examples: int,
    *,
    resamples: int = RESAMPLES,
    random: int = 0,
) -> np.ndarray:
    """A metric by seed on every resample of the examples, (seeds, resamples); nan where it is undefined.

    ``metric(seed, counts)`` is given how often each example was drawn in each of b resamples, (b, examples) in
    floats, and gives b numbers.
    """
    rng, values = np.random.default_rng(random), []
    at_once = max(1, AT_ONCE // examples)
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        counts = np.empty((size, examples))
        for row in counts:
            row[:] = np.bincount(rng.integers(examples, size=examples), minlength=examples)
        values.append([metric(seed, counts) for seed in range(seeds)])
    return np.concatenate(values, axis=1)


def percentiles(values: np.ndarray) -> tuple[float, float]:
    """The interval that holds `LEVEL` of what is defined among `values`."""
    values = values[~np.isnan(values)]
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def with_seeds(
    over_examples: tuple[float, float],
    by_seed: Sequence[float],
    limits: Sequence[float] = UNLIMITED,
) -> tuple[float, float]:
    """The interval of the mean of `by_seed`, given that over examples; cut off at `limits`, of what can be at all."""
    value, (low, high), half = float(np.mean(by_seed)), over_examples, half_width_over_seeds(by_seed)
    if not half:
        return over_examples
    low, high = value - math.hypot(max(value - low, 0), half), value + math.hypot(max(high - value, 0), half)
    return max(low, limits[0]), min(high, limits[1])


def half_width_over_seeds(by_seed: Sequence[float], seeds: int | None = None) -> float:
    """Half the width of the mean's interval over seeds, by Student's t; were there `seeds` that differ as these do."""
    if len(by_seed) < 2:
        return 0.0
    from scipy.special import stdtrit

    seeds = seeds or len(by_seed)
    return float(stdtrit(seeds - 1, (1 + LEVEL) / 2) * np.std(by_seed, ddof=1) / math.sqrt(seeds))
