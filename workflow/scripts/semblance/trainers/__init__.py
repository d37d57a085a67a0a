"""How a job trains and scores runs: one module per way of training, selected by a run's kind of model.

Every module defines ``train(work)``, which trains a group of runs, saves their models and returns their facts by run,
and ``predict(work)``, which scores the splits on which they are evaluated and returns the facts of each split by run.
The properties of each kind of model are in `semblance.registry`.
"""

import importlib


def named(trainer: str):
    """Return the module of a trainer: ``engine``, ``frozen_encoder`` or ``fit``."""
    return importlib.import_module(f"{__name__}.{trainer}")
