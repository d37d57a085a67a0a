"""Confidence intervals of means over seeds.

The variance between examples enters by an exact interval or by a cluster bootstrap. Examples that share a sentence have
correlated errors. They form a cluster, and whole clusters are resampled (Miller 2024, "Adding Error Bars to Evals").

The variance between seeds enters by a Student-t interval, because a few seeds cannot be bootstrapped: where they
dominate, a bootstrap of two seeds covers the true value half of the time, and one of five seeds five times in six. Both
intervals are combined by adding the squares of their distances from the mean, on each side (Zou and Donner 2008,
"Construction of confidence limits about effect measures").
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

RESAMPLES = 1000
FEWEST = 10  # resamples beyond an end of an interval; with fewer, the quantile is too close to the outermost resample
LEVEL = 0.95
UNLIMITED = (-math.inf, math.inf)
AT_ONCE = 2**18  # largest array of counts: resamples per chunk times examples


def exact(right: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Return the Clopper-Pearson interval of a share, which also holds for few examples, e.g. 20 stress-test pairs.

    With clusters of several examples it is the interval of Korn and Graubard, which uses the effective sample size.

    Args:
        right: whether each example is correct, or in what share of the seeds, shape (n,).
        clusters: index of each example's cluster, shape (n,).

    Returns:
        Lower and upper end of the 95% interval.
    """
    from scipy.special import betaincinv

    total, share = effective_size(right, clusters), right.mean()
    count, tail = share * total, (1 - LEVEL) / 2
    low = betaincinv(count, total - count + 1, tail) if share > 0 else 0.0
    high = betaincinv(count + 1, total - count, 1 - tail) if share < 1 else 1.0
    return float(low), float(high)


def unseen(count: int, level: float = LEVEL) -> float:
    """Return the largest share of all examples that can differ although none of so many does, as in `exact`."""
    return 1 - ((1 - level) / 2) ** (1 / count)


def effective_size(right: np.ndarray, clusters: np.ndarray) -> float:
    """Return the number of independent examples that give as precise an estimate of a share, at most n.

    This is n divided by the design effect, with a correction for few clusters (Korn and Graubard 1998, "Confidence
    intervals for proportions with small expected number of positive counts estimated from survey data"). The design
    effect is undefined if all examples are correct or none is. Then it is the number of clusters.

    Args:
        right: which examples are correct, shape (n,).
        clusters: index of each example's cluster, shape (n,).
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


def draws(clusters: np.ndarray, resamples: int = RESAMPLES, random: int = 0) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield bootstrap resamples in chunks: their numbers, and how often each contains each example, (b, n).

    Args:
        clusters: index of each example's cluster, from 0, shape (n,). Whole clusters are drawn.
        resamples: number of resamples.
        random: seed of the resampling.
    """
    drawn = _drawn(int(clusters.max()) + 1, resamples, random)
    at_once = max(1, AT_ONCE // len(clusters))
    for start in range(0, resamples, at_once):
        some = drawn[start : start + at_once]
        yield slice(start, start + len(some)), some[:, clusters].astype(float)


@lru_cache(maxsize=8)  # the cells of a table and the claims of a paper are resampled alike, if they score the same rows
def _drawn(many: int, resamples: int, random: int) -> np.ndarray:
    """Return how often each resample contains each of `many` clusters, shape (resamples, many)."""
    # A byte holds it: a cluster is drawn once on average, and more than 255 times with a probability below 1e-300.
    rng, found = np.random.default_rng(random), np.empty((resamples, many), dtype=np.uint8)
    for resample in found:
        resample[:] = np.bincount(rng.integers(many, size=many), minlength=many)
    return found


def percentiles(values: np.ndarray, clusters: int, level: float = LEVEL) -> tuple[float, float]:
    """Return the bootstrap interval of a metric, corrected for few clusters.

    Plain percentiles are too narrow for few clusters. These percentiles lie further out, by as much as Student's t and
    an unbiased variance would widen a normal interval (Hesterberg 2015, "What teachers should know about the
    bootstrap").

    Resamples never reach beyond the outermost cluster. All m clusters lie on one side of the true value with
    probability 2^(1 - m), e.g. 1/16 for five. If this exceeds 1 - `level`, or if fewer than `FEWEST` resamples would
    lie beyond an end, the interval is a Student-t interval with the standard deviation of the resamples.

    Args:
        values: the metric on each resample; nan where it is undefined.
        clusters: number of clusters of examples.
        level: confidence level.

    Returns:
        Lower and upper end; `UNLIMITED` for a single cluster, (nan, nan) if more values are undefined than may lie
        beyond an end of a 95% interval.
    """
    from scipy.special import ndtr, stdtrit

    undefined = np.isnan(values)
    if undefined.mean() > (1 - LEVEL) / 2:
        return float("nan"), float("nan")
    values = values[~undefined]
    if clusters == 1:
        return UNLIMITED
    out = math.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, (1 + level) / 2)
    if is_too_few(clusters, level) or ndtr(-out) * len(values) < FEWEST:
        middle, half = values.mean(), out * values.std()
        return float(middle - half), float(middle + half)
    low, high = np.quantile(values, [ndtr(-out), ndtr(out)])
    return float(low), float(high)


def is_too_few(clusters: int, level: float = LEVEL) -> bool:
    """Return whether so few clusters all lie on one side of the true value more often than an interval may miss it."""
    return 2.0 ** (1 - clusters) > 1 - level


def is_fixed(values: np.ndarray) -> bool:
    """Return whether a metric has the same value on all resamples on which it is defined."""
    known = values[~np.isnan(values)]
    return not len(known) or not np.ptp(known)


def with_seeds(
    over_examples: tuple[float, float],
    by_seed: Sequence[float],
    limits: Sequence[float] = UNLIMITED,
    level: float = LEVEL,
    step: float = 0.0,
) -> tuple[float, float]:
    """Combine an interval over examples with the variance between seeds.

    Args:
        over_examples: interval of the mean over seeds that covers the choice of examples.
        by_seed: value of each seed.
        limits: lowest and highest possible value, to which the interval is clipped.
        level: confidence level.
        step: as for `half_width_over_seeds`.
    """
    value, (low, high) = float(np.mean(by_seed)), over_examples
    half = half_width_over_seeds(by_seed, level=level, step=step)
    if half:
        low, high = value - math.hypot(max(value - low, 0), half), value + math.hypot(max(high - value, 0), half)
    return max(low, limits[0]), min(high, limits[1])


def half_width_over_seeds(
    by_seed: Sequence[float], seeds: int | None = None, level: float = LEVEL, step: float = 0.0
) -> float:
    """Return half the width of the Student-t interval of a mean over seeds; 0 for one seed.

    Args:
        by_seed: value of each seed.
        seeds: hypothetical number of seeds with the same standard deviation; by default the number of values.
        level: confidence level.
        step: what the values are whole multiples of, e.g. 1 for epochs. Equal values then do not show that seeds make
            no difference: the standard deviation is at least that of rounding to a step.
    """
    if len(by_seed) < 2:
        return 0.0
    from scipy.special import stdtrit

    seeds, deviation = seeds or len(by_seed), max(float(np.std(by_seed, ddof=1)), step / math.sqrt(12))
    return float(stdtrit(seeds - 1, (1 + level) / 2) * deviation / math.sqrt(seeds))
