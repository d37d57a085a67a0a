"""Fixtures for all tests: the root of the checkout, the generator's grammar, and small hand-made pairs."""

from pathlib import Path

import numpy as np
import pytest

from semblance.data.generator.grammar import Grammar
from semblance.data.rows import Pairs

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def grammar() -> Grammar:
    return Grammar.load(ROOT / "resources/generator/grammar.yaml")


@pytest.fixture
def make_pairs():
    """Return a function that makes pairs from (sentence1, sentence2, label) triples."""

    def make(*triples, kind="binary") -> Pairs:
        first, second, labels = zip(*triples, strict=True)
        ids = [f"row-{n}" for n in range(len(triples))]
        return Pairs(ids, list(first), list(second), np.array(labels, float), [None] * len(triples), kind)

    return make
