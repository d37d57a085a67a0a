"""Models that score sentence pairs: one kind per module, selected by its name in the YAML.

Every module defines a class `Model` with

- ``open(spec, folder, device)``, which opens an encoder or a finished run. `spec` is the run's `ModelSpec`, `folder`
  has the saved files, and `device` is ``auto``, ``cpu`` or ``cuda``.
- ``score(pairs)``, which returns an array of scores, shape (n,), or of class probabilities, shape (n, classes).
- ``save(folder)``.

Models that are fitted in one call also have ``fit(spec, corpora, seed, threads)``, with a list of labelled pairs, one
for each split in `fit_on`, and ``parameters``, their number. Models trained by the engine have ``module``, the network,
and ``task(pairs)``, which returns the engine's `Trainable`.
``SentenceTransformer(folder)`` opens a saved bi-encoder, and ``CrossEncoder(folder)`` a saved cross-encoder. Networks
over a frozen encoder (``siamese-3d``) share one pass of it; see `trainers.frozen_encoder`.
"""

import importlib
from functools import cache

import numpy as np

from semblance.data.rows import Pairs

AT_ONCE = 2**15  # pairs per chunk; the embeddings of a chunk's distinct sentences are in memory together


@cache
def kind(name: str):
    """Return the class `Model` of a kind, by the name used in a run, e.g. ``cross-encoder``."""
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}").Model


def scores(model, pairs: Pairs) -> np.ndarray:
    """Return a model's scores of all pairs, shape (len(pairs),) or (len(pairs), classes).

    Pairs are scored in chunks of `AT_ONCE`, so that memory for embeddings does not grow with their number.
    """
    chunks = (range(start, min(start + AT_ONCE, len(pairs))) for start in range(0, len(pairs), AT_ONCE))
    return np.concatenate([model.score(pairs.take(rows)) for rows in chunks])
