"""Baselines that see only the surface of a pair: word overlap, length, or nothing (the majority baseline).

A test of understanding that they pass measures something else.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from semblance.data.cues import length_ratio, overlap
from semblance.data.rows import Pairs
from semblance.files import read_json, write_json
from semblance.specs.run import ModelSpec

FILE = "surface.json"
CUES = {"overlap": overlap, "length": length_ratio}


class Model:
    """Scores pairs by the `cue` of a spec.

    - ``overlap``: Jaccard similarity of the word sets.
    - ``length``: number of words of the shorter sentence, divided by that of the longer one.
    - ``majority``: the mean label of the training examples for all pairs, on the scale from 0 to 1. With `classes`, the
      share of each class.

    With `classes`, a logistic regression predicts them from the overlap or the length.
    """

    parameters = 0

    def __init__(self, spec: ModelSpec, fitted: dict):
        self.spec, self._fitted = spec, fitted

    @classmethod
    def fit(cls, spec: ModelSpec, corpora: list[Pairs], seed: int, threads: int) -> Model:
        """Compute the mean label or the share of each class, or fit the regression."""
        labels = np.concatenate([pairs.targets for pairs in corpora])
        if spec.cue == "majority":
            shares = np.bincount(labels.astype(int), minlength=spec.classes) / len(labels) if spec.classes else None
            return cls(spec, {"majority": float(labels.mean()) if shares is None else shares.tolist()})
        if not spec.classes:
            return cls(spec, {})
        for pairs, split in zip(corpora, spec.fit_on, strict=True):
            pairs.require_every_class(split)
        cues = np.concatenate([_cues(spec, pairs) for pairs in corpora])
        regression = LogisticRegression().fit(cues[:, None], labels.astype(int))
        columns = {"slopes": regression.coef_[:, 0], "intercepts": regression.intercept_}
        return cls(spec, {name: column.tolist() for name, column in columns.items()})

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> Model:
        return cls(spec, read_json(folder / FILE))

    def score(self, pairs: Pairs) -> np.ndarray:
        """Return scores in [0, 1], shape (len(pairs),), or class probabilities, shape (len(pairs), classes)."""
        if self.spec.cue == "majority":
            return np.array([self._fitted["majority"]]).repeat(len(pairs), axis=0)
        cues = _cues(self.spec, pairs)
        if not self.spec.classes:
            return cues
        return softmax(np.outer(cues, self._fitted["slopes"]) + self._fitted["intercepts"], axis=1)

    def save(self, folder: Path) -> None:
        write_json(folder / FILE, self._fitted)


def _cues(spec: ModelSpec, pairs: Pairs) -> np.ndarray:
    """Return the overlap or the length of each pair, shape (len(pairs),)."""
    of_pair = CUES[str(spec.cue)]
    return np.array([of_pair(a, b) for a, b in zip(pairs.sentence1, pairs.sentence2, strict=True)])
