"""Baselines that see only the surface of a pair: word overlap, length, or nothing (the majority baseline).

A test of understanding that they pass measures something else.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from semblance.data.cues import length_ratio, overlap
from semblance.data.rows import Pairs
from semblance.files import read_json, write_json
from semblance.specs.run import ModelSpec

FILE = "surface.json"


class Model:
    """Scores pairs by the `cue` of a spec.

    - ``overlap``: Jaccard similarity of the word sets.
    - ``length``: number of words of the shorter sentence, divided by that of the longer one.
    - ``majority``: the mean label of the training examples for all pairs, on the scale from 0 to 1. With `classes`, the
      share of each class.
    """

    parameters = 0

    def __init__(self, spec: ModelSpec, majority: float | list[float]):
        self.spec, self._majority = spec, majority

    @classmethod
    def fit(cls, spec: ModelSpec, corpora: list[Pairs], seed: int, threads: int) -> Model:
        """Compute the mean label, or the share of each class."""
        labels = np.concatenate([pairs.targets for pairs in corpora])
        if spec.classes:
            return cls(spec, (np.bincount(labels.astype(int), minlength=spec.classes) / len(labels)).tolist())
        return cls(spec, float(labels.mean()))

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> Model:
        return cls(spec, read_json(folder / FILE)["majority"])

    def score(self, pairs: Pairs) -> np.ndarray:
        """Return scores in [0, 1], shape (len(pairs),), or the share of each class, shape (len(pairs), classes)."""
        if self.spec.cue == "majority":
            return np.array([self._majority]).repeat(len(pairs), axis=0)
        of_pair = overlap if self.spec.cue == "overlap" else length_ratio
        return np.array([of_pair(a, b) for a, b in zip(pairs.sentence1, pairs.sentence2, strict=True)])

    def save(self, folder: Path) -> None:
        write_json(folder / FILE, {"majority": self._majority})
