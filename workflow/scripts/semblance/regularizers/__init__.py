"""Regularisers: what may be added to the loss of any stage, one a module, found by its name in the YAML.

Every module defines ``regularizer(spec, task, objective, per_epoch, seed)``, which gives what the engine wants:
``before()`` ahead of a step's forward pass, ``penalty(inputs, output)`` to add to its loss, ``after()`` once the
weights have moved, ``terms()``, its parts as plain numbers for the curve, and ``close()``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable


def named(kind: str) -> Callable:
    """The maker of the regulariser called `kind` in a stage, e.g. ``smart``."""
    return importlib.import_module(f"{__name__}.{kind}").regularizer
