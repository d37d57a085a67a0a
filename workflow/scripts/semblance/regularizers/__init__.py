"""Regularisers, which add a penalty to the loss of a stage: one per module, selected by its name in the YAML.

Every module defines ``regularizer(spec, task, objective, per_epoch, seed)``. The returned object has the methods that
the engine calls: ``before()`` before the forward pass of a step, ``penalty(inputs, output)`` for the term to add to the
loss, ``after()`` after the update of the weights, ``terms()`` for the parts of the penalty as numbers, and ``close()``.
Checkpoints keep what ``state_dict()`` returns, and give it to ``load_state_dict(state)``.
"""

import importlib
from collections.abc import Callable


def named(kind: str) -> Callable:
    """Return the factory of a regulariser by the name used in a stage, e.g. ``smart``."""
    return importlib.import_module(f"{__name__}.{kind}").regularizer
