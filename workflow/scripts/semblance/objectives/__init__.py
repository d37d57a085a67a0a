"""Training objectives: one loss per module, selected by its name in the YAML.

Every module defines ``loss(output, labels)``. `output` is the result of the model's `forward` for a batch of n
examples. `labels` are their targets, a float tensor of shape (n,) in [0, 1] unless the module states otherwise. The
result is a scalar tensor. A module whose loss does not use the pairs themselves also defines ``examples(pairs, seed)``,
which builds its training examples from pairs. The properties of each objective are in `semblance.registry`.
"""

import importlib
from collections.abc import Callable

from semblance.data.rows import Pairs
from semblance.registry import OBJECTIVES


def named(name: str) -> Callable:
    """Return the loss with the name used in a run's stage, e.g. ``binary-cross-entropy``."""
    return _module(name).loss


def examples(name: str, pairs: Pairs, seed: int):
    """Return the training examples of a loss: the pairs themselves, or what its module builds from them.

    Args:
        name: name of the loss.
        pairs: labelled pairs of the stage's dataset.
        seed: seed of random choices, such as of negatives.
    """
    make = getattr(_module(name), "examples", None)
    return make(pairs, seed) if make else pairs


def divisible(name: str) -> bool:
    """Return whether a loss is a mean over examples, so that a batch can be processed in parts."""
    return not OBJECTIVES[name].across_batch


def _module(name: str):
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
