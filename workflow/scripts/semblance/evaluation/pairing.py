"""The single comparisons that a claim makes between the cells of its sides."""

import numpy as np

from semblance.specs.cells import ClaimSpec
from semblance.vocabulary import HALF


def single_comparisons(spec: ClaimSpec, observed: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the effects of the k single comparisons and those on b resamples, (k, seeds, 1) and (k, seeds, b).

    Args:
        spec: the claim.
        observed: values of the cells, better ones first, (cells, seeds, 1).
        drawn: the same on resamples, (cells, seeds, b).
    """
    count = len(spec.better)
    if spec.spread:
        left, right = (spread(observed[side], drawn[side], spec.spread) for side in (slice(count), slice(count, None)))
        return right[0] - left[0], right[1] - left[1]
    effects, on_resamples = (_differences(spec, values[:count], values[count:]) for values in (observed, drawn))
    return effects, on_resamples


def _differences(spec: ClaimSpec, better: np.ndarray, other: np.ndarray) -> np.ndarray:
    if spec.pairs == "most":
        return np.sign(better - other).mean(0, keepdims=True) * HALF  # a tie counts as a half
    if spec.pairs == "all":
        return better - other
    left = better if spec.better_the == "worst" else better.mean(0, keepdims=True)
    right = other if spec.than_the == "best" else other.mean(0, keepdims=True)
    return (left[:, None] - right[None]).reshape(-1, *better.shape[1:])


def spread(observed: np.ndarray, drawn: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean standard deviation between the true values in groups of `size` consecutive cells.

    Values on a sample of examples also differ by chance. The bootstrap shows by how much that adds to the variance
    between them: as much as resampling adds once more. It is subtracted, once from the sample's variance and twice from
    a resample's.

    Args:
        observed: values of the cells, (cells, seeds, 1).
        drawn: the same on resamples, (cells, seeds, b).
        size: number of cells in a group.
    """
    found, of_resamples = (values.reshape(-1, size, *values.shape[1:]).var(1) for values in (observed, drawn))
    added = np.nanmean(of_resamples, -1, keepdims=True) - found
    clean, cleaned = found - added, of_resamples - 2 * added
    return tuple(np.sqrt(np.maximum(variance, 0)).mean(0, keepdims=True) for variance in (clean, cleaned))
