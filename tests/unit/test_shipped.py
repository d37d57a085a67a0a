"""The tiny encoders in the checkout match its grammar and their stated recipes."""

import pytest

from semblance.config.files import read_yaml
from semblance.encoders.fetch import fetch
from semblance.errors import UserError
from semblance.files import read_json, sha256
from semblance.paths import GRAMMAR, ROOT, SHIPPED
from semblance.specs.encoders import ShippedModel
from ship_encoders import rehearse

ENCODERS = {name: said for name, said in read_yaml(ROOT / "config/encoders.yaml").items() if "shipped" in said}
MEGABYTES = 6  # of all together, because they are in git


@pytest.mark.parametrize("name", ENCODERS)
def test_an_encoder_was_made_by_the_recipe_and_the_grammar_of_this_checkout(name):
    """If this fails, run `make encoders`."""
    made_by = read_json(ROOT / ENCODERS[name]["shipped"]["folder"] / SHIPPED)
    assert made_by["recipe"] == ENCODERS[name]["generated"]
    assert made_by["grammar_sha256"] == sha256(GRAMMAR)


@pytest.mark.parametrize("name", ENCODERS)
def test_the_code_still_pretrains_as_it_did(name):
    """If this fails, a change of the code concerns the shipped encoders: run `make encoders`."""
    recorded = read_json(ROOT / ENCODERS[name]["shipped"]["folder"] / SHIPPED)["rehearsal"]
    assert rehearse(ENCODERS[name]["generated"]) == pytest.approx(recorded, rel=0.02)


def test_they_are_small():
    files = (path for path in (ROOT / "resources/encoders").rglob("*") if path.is_file())
    assert sum(path.stat().st_size for path in files) < MEGABYTES * 2**20


@pytest.mark.parametrize("name", ENCODERS)
def test_an_encoder_is_fetched_with_its_checksum(name, tmp_path):
    folder = ENCODERS[name]["shipped"]["folder"]
    expected = read_json(ROOT / folder / SHIPPED)["weights_sha256"]
    spec = ShippedModel(folder, {"model.safetensors": expected})
    assert fetch(spec, tmp_path) == {"folder": folder, "weights_sha256": expected}
    (tmp_path / "again").mkdir()
    with pytest.raises(UserError, match=r"model\.safetensors fails its checksum"):
        fetch(ShippedModel(folder, {"model.safetensors": "0" * 64}), tmp_path / "again")
