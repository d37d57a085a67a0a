"""A run in two processes, started by torchrun, learns what it learns in one."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from semblance.config.expand import complete
from semblance.data import rows
from semblance.errors import UserError
from semblance.training.checkpoint import Checkpoint
from semblance.training.run import train_run
from semblance.training.several import can_be_shared, train_in_several
from small import TEXTS, write_encoder

COMPUTING = {"device": "cpu", "precision": "fp32", "threads": 1}
# A batch of 5 cannot be shared evenly. The last batch of an epoch has 2 examples.
STAGE = {"on": "set", "objective": "cosine-mean-squared-error", "epochs": 2, "batch_size": 5, "learning_rate": 1e-2}
SPEC: dict = {
    "model": {"kind": "bi-encoder", "max_length": 24, "pooling": "mean"},
    "stages": [{**STAGE, "optimizer": "sgd", "select": {"on": "set/dev", "metric": "pearson"}}],
    "select_stage": [],
}


@pytest.fixture
def given(make_pairs, tmp_path):
    """Return a function that returns the arguments of a run, with an output folder of a given name."""
    pairs = make_pairs(*[(a, b, float(n % 2)) for n, (a, b) in enumerate(zip(TEXTS * 3, TEXTS[1:] * 4))])
    data = {"set/train": tmp_path / "train.parquet", "set/dev": tmp_path / "dev.parquet"}
    for place in data.values():
        rows.write(place, pairs)
    # Without dropout, because every process draws its own masks.
    encoder = write_encoder("bert", tmp_path / "bert", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)

    def arguments(name, keys=SPEC) -> tuple:
        (tmp_path / name).mkdir()
        return (complete(keys, "here"), 1, encoder, data, COMPUTING, {}, tmp_path / name)

    return arguments


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model/model.safetensors")


def test_two_processes_learn_what_one_does(given, tmp_path):
    alone = train_run(*given("one"), None, Checkpoint(tmp_path / "state.pt", every=1e9))
    shared = train_in_several(2, *given("two"))
    assert (alone["processes"], shared["processes"]) == (1, 2)
    assert alone["stages"][0]["selected_epoch"] == shared["stages"][0]["selected_epoch"]
    torch.testing.assert_close(weights(tmp_path / "one"), weights(tmp_path / "two"), rtol=1e-4, atol=1e-6)
    curves = [(tmp_path / name / "curve.csv").read_text().splitlines() for name in ("one", "two")]
    assert len(curves[0]) == len(curves[1]) > 6


def test_what_goes_wrong_in_one_is_said_once(given):
    wild = {**SPEC, "stages": [{**SPEC["stages"][0], "learning_rate": 1e38}]}
    with pytest.raises(UserError, match="of stage '1. set' became (nan|inf) at step"):
        train_in_several(2, *given("wild", wild))


def test_what_sets_a_batchs_examples_against_each_other_is_not_shared_out():
    assert can_be_shared(complete(SPEC, "here"))
    for change in ({"objective": "simcse-in-batch"}, {"objective": "cross-entropy", "regularizer": {"smart": {}}}):
        assert not can_be_shared(complete({**SPEC, "stages": [{**STAGE, **change}]}, "here"))
