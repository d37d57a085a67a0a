"""The static baseline: cosine of two mean word vectors (stl, equation 2)."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from semblance.data.rows import Pairs
from semblance.files import link_or_copy
from semblance.specs.run import ModelSpec

FILES = ("words.txt", "vectors.safetensors")  # row i of the matrix is the vector of the word in line i
TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


def words(text: str) -> list[str]:
    """Return the words of a text in their original case: letters and digits, with inner apostrophes.

    Google's vectors are case-sensitive and contain no punctuation. `Model` falls back to lower case.
    """
    return TOKEN.findall(text)


class Model:
    """Word vectors, averaged over the known words of a sentence."""

    def __init__(self, spec: ModelSpec, folder: Path):
        self.spec, self._folder = spec, folder
        # Not splitlines: words may contain other ends of lines, such as U+0085.
        vocabulary = (folder / FILES[0]).read_bytes().decode("utf-8").split("\n")
        self.index = {word: row for row, word in enumerate(vocabulary)}
        self.vectors = load_file(folder / FILES[1])["vectors"]

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> Model:
        return cls(spec, folder)

    def embed(self, text: str) -> np.ndarray:
        """Return the mean vector of a text, shape (d,); zeros if it has no known word."""
        rows = [self.index.get(w, self.index.get(w.lower())) for w in words(text)]
        known = [row for row in rows if row is not None]
        return self.vectors[known].mean(axis=0) if known else np.zeros(self.vectors.shape[1], np.float32)

    @property
    def parameters(self) -> int:
        return self.vectors.size

    def score(self, pairs: Pairs) -> np.ndarray:
        """Return cosines in [-1, 1], shape (len(pairs),); 0 if a sentence has no known word."""
        sentences, where = pairs.distinct_sentences()
        vectors = np.stack([self.embed(s) for s in sentences])
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return np.einsum("nd,nd->n", vectors[where[:, 0]], vectors[where[:, 1]])

    def save(self, folder: Path) -> None:
        for name in FILES:
            link_or_copy(self._folder / name, folder / name)
