"""The order of the batches of a training epoch."""

import numpy as np

POOL = 50  # batches per pool sorted by length: large enough to reduce padding, small enough to stay shuffled


def bucketed(lengths: np.ndarray, batch_size: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Return one epoch of shuffled batches of examples of similar length.

    Examples are shuffled, sorted by length within pools of `POOL` batches and split into batches. Then the batches are
    shuffled.

    Args:
        lengths: number of tokens of each example.
        batch_size: examples per batch; a pool's last batch may be smaller.
        rng: random generator.

    Returns:
        The indices of each batch. Every example occurs exactly once.
    """
    order = rng.permutation(len(lengths))
    batches = []
    for start in range(0, len(order), POOL * batch_size):
        pool = order[start : start + POOL * batch_size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[i : i + batch_size] for i in range(0, len(pool), batch_size)]
    return [batches[i] for i in rng.permutation(len(batches))]
