"""Untrained encoders and their tokenizers: how pairs are joined, which words are in a vocabulary, and first weights."""

import pytest
import torch

from semblance.encoders import architectures
from small import SHAPE, TEXTS


@pytest.mark.parametrize(
    ("architecture", "joined", "second"),
    [
        ("bert", "[CLS] one [SEP] other [SEP]", 3),
        ("roberta", "<s> one </s> </s> other </s>", None),
        ("albert", "[CLS] one [SEP] other [SEP]", 3),
    ],
)
def test_a_pair_is_joined_as_the_original_joins_it(architecture, joined, second):
    tokenizer = architectures.tokenizer(architecture, ["one other"] * 5, 400)
    encoded = tokenizer("one", "other")
    tokens = [token.strip("Ġ▁") for token in tokenizer.convert_ids_to_tokens(encoded["input_ids"])]
    assert " ".join(tokens) == joined
    types = [0] * second + [1] * (len(tokens) - second) if second else None
    assert encoded.get("token_type_ids") == types


@pytest.mark.parametrize("architecture", ["bert", "albert"])
def test_a_small_vocabulary_has_the_most_frequent_words(architecture):
    texts = ["cd ab"] * 3 + ["ab dc"] * 2
    size = {"bert": 5 + 4 + 4 + 1, "albert": 5 + 5 + 1}[architecture]  # special tokens, characters, and one word
    vocabulary = {token.strip("▁") for token in architectures.tokenizer(architecture, texts, size).get_vocab()}
    assert "ab" in vocabulary and not {"cd", "dc"} & vocabulary


def test_a_blocks_states_have_the_size_of_trained_ones():
    """The last norm of a block has the weight 0.6, so that its states have this root mean square."""
    torch.manual_seed(0)
    tokenizer = architectures.tokenizer("bert", TEXTS * 5, 400)
    encoder = architectures.pair_classifier("bert", tokenizer, SHAPE).base_model.eval()
    states = encoder(**tokenizer(TEXTS[0], return_tensors="pt")).last_hidden_state
    assert states.pow(2).mean().sqrt().item() == pytest.approx(0.6, abs=1e-3)
