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
from semblance.specs.run import ModelSpec

FILE = "forest.skops"  # vectorizer and forest in a format without pickle


class Model:
    """scikit-learn's TfidfVectorizer and RandomForestClassifier with default settings.

    `spec` defines the number of `trees`, and the `features` of a pair's vectors u and v, which are concatenated.
    """

    def __init__(self, spec: ModelSpec, vectorizer: TfidfVectorizer, forest: RandomForestClassifier):
        self.spec, self.vectorizer, self.forest = spec, vectorizer, forest

    @classmethod
    def fit(cls, spec: ModelSpec, corpora: list[Pairs], seed: int, threads: int) -> Model:
        """Fit the vectorizer and then the forest on the same labelled pairs."""
        forest = RandomForestClassifier(spec.trees, random_state=seed, n_jobs=threads)
        model = cls(spec, TfidfVectorizer().fit(distinct_sentences(corpora)), forest)
        examples = sparse.vstack([model.features(pairs) for pairs in corpora], format="csr")
        forest.fit(examples, np.concatenate([pairs.targets > 0.5 for pairs in corpora]))
        return model

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> Model:
        # skops requires explicit trust in trees, because it does not check their node indices. These files are our own.
        parts = skops.io.load(folder / FILE, trusted=["sklearn.tree._tree.Tree"])
        return cls(spec, parts["vectorizer"], parts["forest"])

    def features(self, pairs: Pairs) -> sparse.csr_array:
        """Return the features of pairs, shape (len(pairs), terms × features)."""
        u, v = (sparse.csr_array(self.vectorizer.transform(c)) for c in (pairs.sentence1, pairs.sentence2))
        return sparse.hstack(of_pair(self.spec.features, u, v), format="csr")

    @property
    def parameters(self) -> int:
        """Number of parameters: one weight per term, and the nodes of all trees."""
        return len(self.vectorizer.idf_) + sum(tree.tree_.node_count for tree in self.forest.estimators_)

    def score(self, pairs: Pairs) -> np.ndarray:
        """Return the forest's probabilities of a duplicate in [0, 1], averaged over trees, shape (len(pairs),)."""
        return self.forest.predict_proba(self.features(pairs))[:, 1]

    def save(self, folder: Path) -> None:
        skops.io.dump({"vectorizer": self.vectorizer, "forest": self.forest}, folder / FILE)
