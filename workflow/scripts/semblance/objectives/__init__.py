"""Training objectives: one loss a module, found by its name in the YAML.

Every module defines ``loss(output, labels)``: `output` is what the model's `forward` gives for a
batch of n examples, `labels` their targets, a float tensor of shape (n,) on [0, 1] unless the
module says otherwise; the result is a scalar tensor.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable


def named(name: str) -> Callable:
    """The loss called `name` in a run's stage, e.g. ``binary-cross-entropy``."""
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}").loss
