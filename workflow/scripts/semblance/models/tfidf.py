"""The lexical baseline: cosine of two TF-IDF vectors (stl, equation 1)."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from semblance.data.rows import Pairs, distinct_sentences
from semblance.specs.run import ModelSpec

FILE = "tfidf.csv"  # one row per term: the term and its inverse document frequency


class Model:
    """scikit-learn's TfidfVectorizer with default settings: lower-cased words of two or more characters."""

    def __init__(self, spec: ModelSpec, vectorizer: TfidfVectorizer):
        self.spec, self.vectorizer = spec, vectorizer

    @classmethod
    def fit(cls, spec: ModelSpec, corpora: list[Pairs], seed: int, threads: int) -> Model:
        """Learn the vocabulary and the document frequencies, with every distinct sentence as a document."""
        return cls(spec, TfidfVectorizer().fit(distinct_sentences(corpora)))

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> Model:
        with (folder / FILE).open(newline="", encoding="utf-8") as file:
            terms, weights = zip(*csv.reader(file), strict=True)
        vectorizer = TfidfVectorizer(vocabulary=terms)
        vectorizer.idf_ = np.array(weights, dtype=float)
        return cls(spec, vectorizer)

    @property
    def parameters(self) -> int:
        """Number of parameters: one weight per term."""
        return len(self.vectorizer.idf_)

    def score(self, pairs: Pairs) -> np.ndarray:
        """Return cosines in [0, 1], shape (len(pairs),); 0 if a sentence has no known word."""
        u, v = (self.vectorizer.transform(column) for column in (pairs.sentence1, pairs.sentence2))
        return np.asarray(u.multiply(v).sum(axis=1)).ravel()

    def save(self, folder: Path) -> None:
        terms = self.vectorizer.get_feature_names_out()
        with (folder / FILE).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(zip(terms, self.vectorizer.idf_.tolist(), strict=True))
