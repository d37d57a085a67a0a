"""The first layers of an encoder."""

import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from semblance.encoders.fetch import first_layers
from semblance.errors import UserError
from semblance.specs.encoders import FirstLayers


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
