"""Models that score pairs of sentences: one kind a module, found by its name in the YAML.

Every module defines a class `Model` with ``open(spec, folder, device)``, ``score(pairs)`` and
``save(folder)``; those fitted in one go have ``fit(spec, corpora, seed, threads)``, those trained by
the engine ``task(pairs)``. A saved bi-encoder opens with ``SentenceTransformer(folder)``, a saved
cross-encoder with ``CrossEncoder(folder)``. Networks over a frozen encoder, ``siamese-3d``, are trained
and scored side by side, and have scripts of their own.
"""

from __future__ import annotations

import importlib


def kind(name: str):
    """The class `Model` of the kind called `name` in a run, e.g. ``cross-encoder``."""
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}").Model
