"""Layers without padding give the same results as those of transformers with padding."""

import pytest
import torch
from transformers import AutoModel, AutoTokenizer, DistilBertConfig, DistilBertModel

from semblance.cpu import packed
from semblance.models.embedding import SentenceEncoder
from small import SHAPE, TEXTS, write_encoder

ALIKE = [TEXTS[2]] * 3  # equal lengths, without padding


@pytest.fixture(scope="module", params=sorted(packed.ARCHITECTURES))
def folder(request, tmp_path_factory):
    still = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    return write_encoder(request.param, tmp_path_factory.mktemp(request.param), **still)


def learnt(encoder, inputs, states_of):
    """Return the states of all tokens, and the gradients of a loss on them by name of the weights."""
    encoder.train().zero_grad()
    states = states_of(inputs) * inputs["attention_mask"][..., None]
    states.pow(3).sum().backward()
    gradients = {name: weights.grad for name, weights in encoder.named_parameters() if weights.grad is not None}
    return states.detach(), gradients


@pytest.mark.parametrize("texts", [TEXTS, ALIKE], ids=["of different lengths", "of one length"])
def test_states_and_gradients_are_those_of_padded_sentences(folder, texts):
    inputs = dict(AutoTokenizer.from_pretrained(folder)(texts, padding=True, return_tensors="pt"))
    plain = AutoModel.from_pretrained(folder, attn_implementation="eager")
    wanted, wanted_gradients = learnt(plain, inputs, lambda given: plain(**given).last_hidden_state)

    ours = SentenceEncoder(folder, "mean", 40, "cpu").transformer
    found, gradients = learnt(ours, inputs, lambda given: packed.hidden_states(ours, given))

    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    assert gradients.keys() == wanted_gradients.keys()
    for name, gradient in gradients.items():
        torch.testing.assert_close(gradient, wanted_gradients[name], atol=1e-4, rtol=1e-4, msg=name)


def test_states_in_bf16_are_those_in_fp32_to_its_digits(folder):
    inputs = dict(AutoTokenizer.from_pretrained(folder)(TEXTS, padding=True, return_tensors="pt"))
    encoder = SentenceEncoder(folder, "mean", 40, "cpu").transformer.eval()
    wanted = packed.hidden_states(encoder, inputs)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found = packed.hidden_states(encoder, inputs)
    assert not torch.equal(found.float(), wanted)
    torch.testing.assert_close(found.float(), wanted, atol=0.05, rtol=0)


def test_the_environment_can_switch_it_off(folder, monkeypatch):
    ours = SentenceEncoder(folder, "mean", 40, "cpu")
    monkeypatch.setenv("SEMBLANCE_PLAIN_CPU", "1")
    plain = SentenceEncoder(folder, "mean", 40, "cpu")
    assert packed.is_packed(ours.transformer) and plain.transformer.config._attn_implementation == "sdpa"
    inputs = dict(AutoTokenizer.from_pretrained(folder)(TEXTS, padding=True, return_tensors="pt"))
    torch.testing.assert_close(ours.eval()(inputs), plain.eval()(inputs), atol=1e-5, rtol=1e-5)


def test_layers_see_no_padding(folder):
    inputs = dict(AutoTokenizer.from_pretrained(folder)(TEXTS, padding=True, return_tensors="pt"))
    encoder, seen = SentenceEncoder(folder, "mean", 40, "cpu"), []
    encoder.transformer.encoder.register_forward_pre_hook(lambda module, given: seen.append(given[0].shape[:2]))
    encoder(inputs)
    assert seen == [(1, inputs["attention_mask"].sum())]
    assert inputs["attention_mask"].sum() < inputs["attention_mask"].numel()


def test_a_packed_encoder_called_with_padding_says_so_instead_of_attending_to_it(folder):
    inputs = dict(AutoTokenizer.from_pretrained(folder)(TEXTS, padding=True, return_tensors="pt"))
    with pytest.raises(TypeError, match="grid"):
        SentenceEncoder(folder, "mean", 40, "cpu").transformer(**inputs)


def test_other_architectures_are_given_padded_sentences(tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(write_encoder("bert", tmp_path / "bert"))
    shape = {"dim": SHAPE["hidden_size"], "n_layers": 2, "n_heads": 2, "hidden_dim": 64, "max_position_embeddings": 40}
    DistilBertModel(DistilBertConfig(vocab_size=len(tokenizer), **shape)).save_pretrained(tmp_path / "distilbert")
    tokenizer.save_pretrained(tmp_path / "distilbert")

    vectors = SentenceEncoder(tmp_path / "distilbert", "cls", 40, "cpu").encode(TEXTS)
    plain = AutoModel.from_pretrained(tmp_path / "distilbert").eval()
    for text, vector in zip(TEXTS, vectors):
        with torch.no_grad():
            alone = plain(**tokenizer(text, return_tensors="pt", return_token_type_ids=False))
        torch.testing.assert_close(vector, alone.last_hidden_state[0, 0], atol=1e-5, rtol=1e-5)
