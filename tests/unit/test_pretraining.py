"""What small encoders are pre-trained on: pairs, masked tokens and sentences side by side, and their losses."""

import math

import numpy as np
import pytest
import torch

from semblance.data import rows
from semblance.data.generator.corpora import Pair
from semblance.encoders import architectures, pretrain
from semblance.encoders.pretrain import Output, Targets
from semblance.specs.computing import Computing
from semblance.specs.encoders import PairPretraining, SentencePretraining, Text
from semblance.specs.recipe import Recipe
from small import SHAPE, TEXTS


def task(masked=0.0, ranked=0.0):
    pairs = [Pair(one, other, float(n % 2), "text") for n, (one, other) in enumerate(zip(TEXTS, TEXTS[1:]))]
    tokenizer = architectures.tokenizer("bert", TEXTS * 5, 400)
    spec = PairPretraining("bert", Text(), 400, 24, SHAPE, Recipe(1, 4, 1e-3), masked=masked, ranked=ranked)
    return pretrain.PretrainingPairs(torch.nn.Module(), tokenizer, pairs, spec), tokenizer


def test_half_of_the_pairs_of_prepared_splits_have_the_sentence_of_a_stranger(make_pairs, tmp_path):
    rows.write(tmp_path / "train.parquet", make_pairs(*[(f"a{n}", f"b{n}", 0) for n in range(1000)]))
    found = pretrain._text(Text(), [tmp_path / "train.parquet"])
    assert [pair.sentence1 for pair in found] == [f"a{n}" for n in range(1000)]
    own = [pair.sentence1[1:] == pair.sentence2[1:] for pair in found]
    assert all(is_own for pair, is_own in zip(found, own) if pair.label)
    assert sum(pair.label for pair in found) == pytest.approx(500, abs=50)
    assert sum(is_own for pair, is_own in zip(found, own) if not pair.label) < 5  # a stranger's by chance


def test_a_step_that_ranks_has_the_first_sentences_and_then_the_second():
    made, tokenizer = task(ranked=1.0)
    inputs, _ = made.batch(np.array([0, 2]))
    read = tokenizer.batch_decode(inputs["sides"]["input_ids"], skip_special_tokens=True)
    expected = [TEXTS[0], TEXTS[2], TEXTS[1], TEXTS[3]]
    assert read == tokenizer.batch_decode(tokenizer(expected)["input_ids"], skip_special_tokens=True)


def test_of_the_chosen_tokens_a_tenth_stays_a_tenth_is_random_and_the_others_are_masked():
    """As in BERT, section 3.1; half of the pairs have none."""
    made, tokenizer = task(masked=0.4)
    word = tokenizer.convert_tokens_to_ids("the")
    ids = torch.full((2000, 20), word)
    ids[:, 0] = tokenizer.cls_token_id
    torch.manual_seed(0)
    changed, chosen, words = made._with_masks(ids)
    assert set(words.tolist()) == {word} and not chosen[:, 0].any()
    assert (~chosen.any(dim=1)).float().mean().item() == pytest.approx(0.5, abs=0.05)
    assert chosen[:, 1:].float().mean().item() == pytest.approx(0.2, abs=0.01)
    assert torch.equal(changed[~chosen], ids[~chosen])
    kept, masked = ((changed[chosen] == token).float().mean().item() for token in (word, tokenizer.mask_token_id))
    assert (kept, masked) == pytest.approx((0.1, 0.8), abs=0.02)


def test_the_loss_is_the_sum_of_its_parts_with_a_quarter_of_the_masked_tokens():
    """Logits of 0 have a loss of log 2, and four equal logits of log 4 = 2 log 2."""
    scale, together = torch.zeros(2), torch.tensor([1.0, 0.0, 0.0])
    pairs, words = torch.zeros(3), torch.zeros(5, 4)
    found = pretrain.loss(Output(pairs, words, None, scale), Targets(together, torch.zeros(5, dtype=torch.long)))
    assert found.item() == pytest.approx(1.5 * math.log(2))


def test_only_restatements_are_ranked():
    """One pair alone has nothing to be ranked among, so the loss is that of two classifications."""
    sides = torch.eye(3), torch.eye(3).flip(0)
    found = pretrain.loss(
        Output(torch.zeros(3), None, sides, torch.zeros(2)), Targets(torch.tensor([1.0, 0.0, 0.0]), None)
    )
    assert found.item() == pytest.approx(2 * math.log(2))


def test_an_encoder_of_sentences_learns_from_restatements_alone(monkeypatch, tmp_path):
    pairs = [Pair("a", "b", 1.0, "restated"), Pair("c", "d", 0.0, "near"), Pair("e", "f", 1.0, "restated")]
    monkeypatch.setattr(pretrain, "_text", lambda corpus, data: pairs)
    monkeypatch.setattr(pretrain, "sentence_encoder", lambda source, start, learnt, *rest: learnt)
    spec = SentencePretraining("bert", Text(generated=3), "mean", 24, Recipe(1, 4, 1e-3))
    computing = Computing("cpu", "fp32", 1)
    found = pretrain.pretrained(spec, [], None, computing, tmp_path, tmp_path / "curve.csv", lambda: None)
    assert found == [pairs[0], pairs[2]]
