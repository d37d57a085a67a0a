"""Batches are padded as by the tokenizer and contain every example once; many pairs are scored in chunks."""

import numpy as np
import pytest
from transformers import AutoTokenizer

from semblance import models
from semblance.models import bi_encoder
from semblance.specs.run import ModelSpec
from semblance.tokens import Tokens
from semblance.training.batches import bucketed
from small import TEXTS, write_encoder


@pytest.fixture(scope="module", params=["bert", "roberta"])
def encoder(request, tmp_path_factory):
    return write_encoder(request.param, tmp_path_factory.mktemp(request.param))


@pytest.mark.parametrize("second", [None, TEXTS[::-1]], ids=["texts", "pairs"])
def test_batches_are_padded_as_the_tokenizer_pads(encoder, second, monkeypatch):
    monkeypatch.setattr("semblance.tokens.AT_ONCE", 3)  # fewer than the four texts
    tokenizer = AutoTokenizer.from_pretrained(encoder)
    tokens = Tokens(tokenizer, TEXTS, second, max_length=12)
    theirs = tokenizer(TEXTS, second, truncation=True, max_length=12, padding=True, return_tensors="pt")
    ours = tokens.batch(range(len(TEXTS)))
    assert {name: tensor.tolist() for name, tensor in ours.items()} == {n: t.tolist() for n, t in theirs.items()}
    assert tokens.batch([3, 0])["input_ids"][1].tolist()[: tokens.lengths[0]] == tokens.of(0).tolist()


def test_many_pairs_are_scored_in_parts_and_stay_in_their_order(encoder, make_pairs, monkeypatch):
    pairs = make_pairs(*[(a, b, 1.0) for a in TEXTS for b in TEXTS])
    model = bi_encoder.Model.open(ModelSpec("bi-encoder", max_length=40, pooling="mean"), encoder, "cpu")
    monkeypatch.setattr(models, "AT_ONCE", 5)  # fewer than the sixteen pairs
    whole, sizes, score = model.score(pairs), [], model.score
    monkeypatch.setattr(model, "score", lambda some: sizes.append(len(some)) or score(some))
    np.testing.assert_allclose(models.scores(model, pairs), whole, atol=1e-6)
    assert sizes == [5, 5, 5, 1]


def test_bucketed_batches_hold_every_example_once_and_like_lengths_together():
    lengths = np.random.default_rng(0).integers(5, 60, 1003)
    batches = bucketed(lengths, 32, np.random.default_rng(1))
    assert sorted(np.concatenate(batches)) == list(range(1003)) and max(map(len, batches)) == 32
    padded = sum(lengths[b].max() * len(b) for b in batches)
    assert padded < 1.05 * lengths.sum()
