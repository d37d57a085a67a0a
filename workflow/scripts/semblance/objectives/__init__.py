"""Training objectives: one loss a module, found by its name in the YAML.

Every module defines ``loss(output, labels)``: `output` is what the model's `forward` gives for a
batch of n examples, `labels` their targets, a float tensor of shape (n,) on [0, 1] unless the
module says otherwise; the result is a scalar tensor. One that does not learn from pairs also has
``examples(pairs, seed)``, which makes of them what it learns from; one that sets the examples of a batch
against one another says ``ACROSS_THE_BATCH = True``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from semblance.data.rows import Pairs


def named(name: str) -> Callable:
    """The loss called `name` in a run's stage, e.g. ``binary-cross-entropy``."""
    return _module(name).loss


def examples(name: str, pairs: Pairs, seed: int):
    """What the loss called `name` learns from: the pairs themselves, or what its module makes of them."""
    make = getattr(_module(name), "examples", None)
    return make(pairs, seed) if make else pairs


def divisible(name: str) -> bool:
    """Whether the loss called `name` is a mean over examples, so that parts of a batch add up to the whole."""
    return not getattr(_module(name), "ACROSS_THE_BATCH", False)


def _module(name: str):
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
