"""The classical baseline: a random forest on the TF-IDF vectors of both sentences (minilm, section 4.4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import skops.io
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer

from semblance.data.rows import Pairs, distinct_sentences
from semblance.models.features import of_pair

FILE = "forest.skops"  # vectorizer and forest, without pickle


class Model:
    """scikit-learn's TfidfVectorizer and RandomForestClassifier, both with their defaults.

    `spec` says how many `trees`, and which `features` of a pair's vectors u and v they see, side by side.
    """

    def __init__(self, spec: dict, vectorizer: TfidfVectorizer, forest: RandomForestClassifier):
        self.spec, self.vectorizer, self.forest = spec, vectorizer, forest

    @classmethod
    def fit(cls, spec: dict, corpora: list[Pairs], seed: int, threads: int) -> Model:
        """Learn the words' weights, then the trees, from the same labelled pairs."""
        forest = RandomForestClassifier(spec["trees"], random_state=seed, n_jobs=threads)
        model = cls(spec, TfidfVectorizer().fit(distinct_sentences(corpora)), forest)
        examples = sparse.vstack([model.features(pairs) for pairs in corpora], format="csr")
        forest.fit(examples, np.concatenate([pairs.targets > 0.5 for pairs in corpora]))
        return model

    @classmethod
    def open(cls, spec: dict, folder: Path, device: str) -> Model:
        # skops asks for consent to trees: their node indices are not checked. These are the pipeline's own.
        parts = skops.io.load(folder / FILE, trusted=["sklearn.tree._tree.Tree"])
        return cls(spec, parts["vectorizer"], parts["forest"])

    def features(self, pairs: Pairs) -> sparse.csr_array:
        """Shape (len(pairs), terms × features)."""
        u, v = (sparse.csr_array(self.vectorizer.transform(c)) for c in (pairs.sentence1, pairs.sentence2))
        return sparse.hstack(of_pair(self.spec["features"], u, v), format="csr")

    @property
    def parameters(self) -> int:
        """A weight a term, and the trees' nodes."""
        return len(self.vectorizer.idf_) + sum(tree.tree_.node_count for tree in self.forest.estimators_)

    def score(self, pairs: Pairs) -> np.ndarray:
        """The share of trees that say duplicate, leaves counted by their purity: on [0, 1], shape (len(pairs),)."""
        return self.forest.predict_proba(self.features(pairs))[:, 1]

    def save(self, folder: Path) -> None:
        skops.io.dump({"vectorizer": self.vectorizer, "forest": self.forest}, folder / FILE)
