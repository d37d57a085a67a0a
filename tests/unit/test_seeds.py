"""What a seed changes: new weights, dropout, the order of batches, noise, and which rows and triplets are drawn."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from semblance import device
from semblance.config.expand import complete
from semblance.data import rows
from semblance.paths import MODEL
from semblance.regularizers import named
from semblance.specs.computing import Computing
from semblance.specs.regularizers import SmartSpec
from semblance.trainers import engine
from semblance.trainers.work import Training
from semblance.training.batches import bucketed
from semblance.training.streams import Stream
from small import TEXTS, write_encoder

COMPUTING = Computing("cpu", "fp32", 1)


def in_stream(seed):
    with Stream(seed):
        return torch.rand(3).tolist()


def with_accelerator(seed):
    device.accelerator(COMPUTING, seed)
    return torch.rand(3).tolist()


def noise_of_smart(seed):
    encoder = nn.Sequential()
    encoder.embeddings = nn.Embedding(4, 3)
    task = SimpleNamespace(module=encoder, encoder=encoder)
    regularizer = named("smart")(SmartSpec(smoothness=1.0, proximity=0.0), task, "score-squared-error", 10, seed)
    encoder.embeddings(torch.tensor([[0, 1]]))
    return regularizer._noise().tolist()


@pytest.mark.parametrize("draw", [in_stream, with_accelerator, noise_of_smart])
def test_the_same_seed_draws_the_same_and_another_one_something_else(draw):
    first, other, again = draw(1), draw(2), draw(1)
    assert first == again != other


def test_batches_are_in_random_order_and_others_in_each_epoch():
    lengths, rng = np.arange(1000), np.random.default_rng(1)
    epochs = [bucketed(lengths, 10, rng) for _ in range(2)]
    means = [lengths[batch].mean() for batch in epochs[0][:50]]
    assert means != sorted(means)
    first, second = ({frozenset(batch.tolist()) for batch in batches} for batches in epochs)
    assert len(first & second) < 5


@pytest.fixture
def draws_of(make_pairs, tmp_path, monkeypatch):
    """Return a function that trains two equal stages on half of the rows, and returns what is drawn with a seed."""
    encoder, data = write_encoder("bert", tmp_path / "encoder"), {}
    pairs = make_pairs(*[(a, b, n % 2) for n, (a, b) in enumerate(zip(TEXTS * 3, TEXTS[1:] * 4))])
    for split in ("train", "dev"):
        data[f"set/{split}"] = tmp_path / f"{split}.parquet"
        rows.write(data[f"set/{split}"], pairs)
    stage = {"on": "set", "objective": "binary-cross-entropy", "epochs": 1, "batch_size": 4, "learning_rate": 0.1}
    stage |= {"fraction": 0.5, "regularizer": {"smart": {"smoothness": 1, "proximity": 0}}}
    model = {"kind": "cross-encoder", "max_length": 40}
    spec = complete({"model": model, "stages": [stage, stage], "select_stage": []}, "here")

    def drawn(seed):
        found = {"rows": [], "examples": [], "noise": [], "order": []}

        def examples(objective, pairs, seed):
            found["rows"].append(list(pairs.id))
            found["examples"].append(seed)
            return pairs

        def train(task, *rest, seed, regularize, stage, **more):
            found["order"].append(seed)
            regularize(None, 1)
            return {"stage": stage, "steps": 1, "precision": "fp32"}

        monkeypatch.setattr(engine.objectives, "examples", examples)
        monkeypatch.setattr(engine.regularizers, "named", lambda _: lambda *rest: found["noise"].append(rest[-1]))
        monkeypatch.setattr(engine.engine, "train", train)
        folder = tmp_path / str(seed)
        (folder / MODEL).mkdir(parents=True)
        work = Training(
            {"run": spec}, data, COMPUTING, {"run": {}}, {"run": folder}, seed, encoder, folder / "state", save_every=0
        )
        engine.train(work)
        return found

    return drawn


def test_stages_have_the_same_rows_and_examples_but_other_noise_and_orders(draws_of):
    first, second = draws_of(1), draws_of(2)
    assert [found["examples"] for found in (first, second)] == [[1, 1], [2, 2]]
    assert [found["order"] for found in (first, second)] == [[1, 1001], [2, 1002]]
    assert [found["noise"] for found in (first, second)] == [[2, 3], [3, 4]]
    assert first["rows"][0] == first["rows"][1] != second["rows"][0]
