"""Models that score pairs of sentences: one kind a module, found by its name in the YAML.

Every module defines a class `Model` with ``open(spec, folder, device)``, ``score(pairs)`` and
``save(folder)``; those fitted in one go have ``fit(spec, corpora, seed, threads)``, those trained by
the engine ``task(pairs)``. A saved bi-encoder opens with ``SentenceTransformer(folder)``, a saved
cross-encoder with ``CrossEncoder(folder)``. Networks over a frozen encoder, ``siamese-3d``, are trained
and scored side by side, and have scripts of their own.
"""

from __future__ import annotations

import importlib
from functools import cache

import numpy as np

from semblance import imports
from semblance.data.rows import Pairs

AT_ONCE = 2**15  # pairs: each distinct sentence of them is encoded once, and its embedding kept


@cache
def kind(name: str):
    """The class `Model` of the kind called `name` in a run, e.g. ``cross-encoder``.

    Where it opens a model of transformers, its module imports `PreTrainedModel` or what does: left to the first
    opening, that would count as the job's work.
    """
    with imports.late():
        return importlib.import_module(f"{__name__}.{name.replace('-', '_')}").Model


def scores(model, pairs: Pairs) -> np.ndarray:
    """What `model` scores all of `pairs`, shape (len(pairs),) or (len(pairs), classes), in memory that does not grow
    with them."""
    return np.concatenate([model.score(some) for some in pairs.at_most(AT_ONCE)])
