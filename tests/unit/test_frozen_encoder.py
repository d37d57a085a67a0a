"""Networks that share a frozen encoder: one pass per batch, and each ends as if it were trained alone."""

import csv
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from accelerate.state import AcceleratorState

from semblance.config.expand import complete
from semblance.data import rows
from semblance.errors import UserError
from semblance.models.siamese_3d import Model, probabilities, timed_probabilities
from semblance.models.siamese_3d.frozen import PREDICTION_BATCH, Encoder
from semblance.models.siamese_3d.similarity import compared, most_like
from semblance.paths import MODEL
from semblance.specs.computing import Computing
from semblance.tokens import ColumnTokens
from semblance.trainers import frozen_encoder
from semblance.trainers.work import Scoring, Training
from small import TEXTS, write_encoder

RECIPE = {"epochs": 4, "batch_size": 4, "learning_rate": 1e-3, "optimizer": "adam", "schedule": "milestones"}
STAGE = {"on": "set", "objective": "cross-entropy", "milestones": (2,), **RECIPE}
NETWORKS = {
    "plain": {"extraction": "plain", "blocks": "last", "attention": [], "fusion": "max-avg", "matched": True},
    "text": {"extraction": "afe", "blocks": "all", "attention": ["sa", "fa-3"], "fusion": "rfm"},
    "late": {"extraction": "plain", "blocks": "last", "attention": ["late"], "fusion": "max-avg"},
}


def spec(name, **stage):
    select = {"on": "set/dev", "metric": "class-accuracy"}
    model = {"kind": "siamese-3d", "classes": 2, "max_length": 24, "network": NETWORKS[name]}
    stages = [{**STAGE, "select": select, **stage}]
    return complete({"model": model, "stages": stages, "may_collapse": False}, "here")


@pytest.fixture(scope="module")
def encoder_folder(tmp_path_factory):
    return write_encoder("bert", tmp_path_factory.mktemp("bert"))


@pytest.fixture
def data(make_pairs, tmp_path) -> dict[str, Path]:
    pairs = make_pairs(*[(a, b, float(i % 2)) for i, (a, b) in enumerate(zip(TEXTS * 3, TEXTS[1:] * 4))])
    places = {"set/train": tmp_path / "train.parquet", "set/dev": tmp_path / "dev.parquet"}
    rows.write(places["set/train"], pairs)
    rows.write(places["set/dev"], pairs.take(range(6)))
    return places


def trained(specs, encoder_folder, data, folder, precision="fp32"):
    AcceleratorState._reset_state(reset_partial_state=True)  # one process has one precision
    computing = Computing("cpu", precision, 1)
    folders = [folder / str(number) for number in range(len(specs))]
    for made in folders:
        (made / MODEL).mkdir(parents=True)
    runs = [made.name for made in folders]
    by_run = dict(zip(runs, specs)), data, computing, dict.fromkeys(runs, {}), dict(zip(runs, folders))
    facts = frozen_encoder.train(Training(*by_run, 1, encoder_folder, folder / "state.pt", 1e9))
    return list(facts.values()), folders


def test_a_network_trained_beside_others_is_the_one_trained_alone_bit_for_bit(encoder_folder, data, tmp_path):
    _, together = trained([spec(n) for n in NETWORKS], encoder_folder, data, tmp_path / "all")
    for name, beside in zip(NETWORKS, together):
        _, [alone] = trained([spec(name)], encoder_folder, data, tmp_path / name)
        for file in ("model/network.safetensors", "curve.csv"):
            assert (beside / file).read_bytes() == (alone / file).read_bytes(), (name, file)


def test_networks_are_computed_in_fp32_whatever_the_precision(encoder_folder, data, tmp_path, monkeypatch):
    seen = []
    forward = frozen_encoder.NetworkTask.forward

    def watched(task, states):
        found = forward(task, states)
        seen.append((states[0].dtype, found.dtype, torch.is_autocast_enabled("cpu")))
        return found

    monkeypatch.setattr(frozen_encoder.NetworkTask, "forward", watched)
    facts, _ = trained([spec("text")], encoder_folder, data, tmp_path, precision="bf16")
    assert set(seen) == {(torch.float32, torch.float32, False)}
    assert facts[0]["stages"][0]["precision"] == "fp32" and facts[0]["precision"] == "bf16 and fp32"


def test_each_batch_is_encoded_once_however_many_learn_from_it(encoder_folder, data, tmp_path, monkeypatch):
    passes = []
    states = Encoder.states
    monkeypatch.setattr(Encoder, "states", lambda self, *rest: passes.append(1) or states(self, *rest))
    counts = []
    for names in (["text"], list(NETWORKS)):
        passes.clear()
        trained([spec(n) for n in names], encoder_folder, data, tmp_path / str(len(names)))
        counts.append(len(passes))
    # 4 epochs of 3 batches, and dev before the first epoch and after each
    assert counts == [4 * 3 + 5] * 2


def test_the_time_of_tokenizing_counts_with_every_repetition_of_the_encoder(
    encoder_folder, data, tmp_path, monkeypatch
):
    specs = [replace(spec(name), evaluate=("set/dev",), timing_repeats=n) for name, n in (("plain", 3), ("late", 1))]
    _, folders = trained(specs, encoder_folder, data, tmp_path)
    by_run = {"specs": dict(zip("ab", specs)), "made_by": {"a": {}, "b": {}}, "folders": dict(zip("ab", folders))}
    models = {run: folder / MODEL for run, folder in by_run["folders"].items()}
    given = np.linspace(0, 1, 12).reshape(6, 2)
    timed = [(given, [0.1, 0.2, 0.3]), (given, [0.4])], [1.0, 2.0, 4.0]
    monkeypatch.setattr(frozen_encoder, "timed_probabilities", lambda *arguments: timed)
    work = Scoring(data=data, computing=Computing("cpu", "fp32", 1), models=models, encoder=encoder_folder, **by_run)
    speeds = {run: found["set/dev"] for run, found in frozen_encoder.predict(work).items()}
    assert {run: speed["each"] for run, speed in speeds.items()} == {"a": [0.1, 0.2, 0.3], "b": [0.4]}
    [tokenizing] = {round(one - passed, 6) for one, passed in zip(speeds["a"]["each_encoding"], timed[1])}
    assert tokenizing > 0 and speeds["a"]["encoding_seconds"] == pytest.approx(2 + tokenizing)
    assert speeds["b"]["each_encoding"] == [pytest.approx(1 + tokenizing)]


def test_a_network_stops_when_dev_has_not_improved_and_the_others_go_on(encoder_folder, data, tmp_path, monkeypatch):
    accuracies = iter(
        [0.5, 0.5, 0.9, 0.6, 0.8, 0.7, 0.7, 0.75, 0.8]
    )  # both at step 0 and after each epoch, then only the second
    monkeypatch.setattr(frozen_encoder, "score_of", lambda *arguments: next(accuracies))
    select = {"on": "set/dev", "metric": "class-accuracy", "patience": 2}
    facts, folders = trained([spec("plain", select=select)] * 2, encoder_folder, data, tmp_path)
    (first,), (second,) = (f["stages"] for f in facts)
    assert (first["selected_epoch"], first["selected_score"], first["steps"]) == (1, 0.9, 9)
    assert (second["selected_epoch"], second["selected_score"], second["steps"]) == (4, 0.8, 12)
    evaluations = [
        row["epoch"]
        for row in csv.DictReader((folders[0] / "curve.csv").open())
        if row["series"] == "dev class-accuracy"
    ]
    assert evaluations == ["0.0000", "1.0000", "2.0000", "3.0000"]


def test_an_epoch_is_selected_by_the_lowest_loss_on_dev(encoder_folder, data, tmp_path):
    select = {"on": "set/dev", "metric": "log-loss"}
    [facts], [folder] = trained([spec("text", select=select)], encoder_folder, data, tmp_path)
    [stage] = facts["stages"]
    losses = [float(r["value"]) for r in csv.DictReader((folder / "curve.csv").open()) if r["series"] == "dev log-loss"]
    assert stage["selected_score"] == pytest.approx(min(losses), rel=1e-5) and max(losses) > min(losses)
    encoder, pairs = Encoder(encoder_folder, "cpu"), rows.read(data["set/dev"])
    [found] = probabilities(
        [Model.open(spec("text").model, folder / MODEL, encoder)],
        encoder,
        ColumnTokens(encoder.tokenizer, pairs.columns, max_length=24),
    )
    losses = -np.log(found[range(6), pairs.targets.astype(int)])
    assert losses.mean() == pytest.approx(stage["selected_score"], rel=1e-4)


def test_a_loss_that_is_no_number_stops_the_job(encoder_folder, data, tmp_path):
    with pytest.raises(UserError, match=r"the loss of stage '1. set' became nan at step"):
        trained([spec("plain", learning_rate=1e38)], encoder_folder, data, tmp_path)


def test_networks_that_may_diverge_then_score_all_pairs_alike(encoder_folder, data, tmp_path):
    def may(rate, name="text", **stage):
        return replace(spec(name, learning_rate=rate, **stage), may_collapse=True)

    # At the milestone after two epochs, the rate rises to one that breaks the network.
    later = {"gamma": 1e38}
    specs = [may(1e-3), may(1e38), may(1e-3, "plain", **later)]
    facts, folders = trained(specs, encoder_folder, data, tmp_path)
    whole, early, late = (one["stages"][0] for one in facts)
    assert "diverged_after_step" not in whole and whole["steps"] == 12
    assert early["diverged_after_step"] < 3 and 6 <= late["diverged_after_step"] < 12
    assert early["selected_epoch"] == late["selected_epoch"] == 0 and late["selected_score"] is None
    encoder, pairs = Encoder(encoder_folder, "cpu"), rows.read(data["set/dev"])
    opened = [Model.open(one.model, folder / MODEL, encoder) for one, folder in zip(specs, folders)]
    tokens = ColumnTokens(encoder.tokenizer, pairs.columns, max_length=24)
    learned, *silent = probabilities(opened, encoder, tokens)
    assert np.ptp(learned, axis=0).max() > 0 and all(np.ptp(one, axis=0).max() == 0 for one in silent)


def test_a_saved_network_scores_as_it_did(encoder_folder, data, tmp_path):
    facts, [folder] = trained([spec("text")], encoder_folder, data, tmp_path)
    encoder, pairs = Encoder(encoder_folder, "cpu"), rows.read(data["set/dev"])
    model = Model.open(spec("text").model, folder / MODEL, encoder)
    [found] = probabilities([model], encoder, ColumnTokens(encoder.tokenizer, pairs.columns, max_length=24))
    assert found.shape == (6, 2) and found.sum(1) == pytest.approx(1, abs=1e-5)
    assert (found.argmax(1) == pairs.targets).mean() == pytest.approx(facts[0]["stages"][0]["selected_score"])


def test_similarities_are_of_the_tokens_of_the_pair_that_is_most_like(encoder_folder, data):
    encoder, pairs = Encoder(encoder_folder, "cpu"), rows.read(data["set/dev"])
    place = most_like(pairs, "it rains, a dog chased")
    assert (pairs.sentence1[place], pairs.sentence2[place]) == (TEXTS[2], TEXTS[3])
    models = [Model.fresh(spec(name).model, encoder) for name in ("late", "text")]
    found = compared(models, encoder, pairs, place, 24)
    assert "".join(found["tokens"][0]).replace("##", "") == "itrains."
    assert [(len(m), len(m[0])) for m in found["matrices"]] == [tuple(map(len, found["tokens"]))] * 2
    assert all(-1 <= value <= 1 for row in found["matrices"][0] for value in row)  # those of ColBERT are cosines


def test_an_encoder_gives_the_states_of_all_blocks_and_zeros_where_there_is_no_token(encoder_folder, data):
    encoder, pairs = Encoder(encoder_folder, "cpu"), rows.read(data["set/dev"])
    tokens = ColumnTokens(encoder.tokenizer, pairs.columns, max_length=24)
    x, y, x_mask, y_mask = encoder.states(tokens.batch(range(6)))
    assert x.shape == y.shape == (6, *encoder.shape[:1], x_mask.shape[1], 32)
    assert x_mask.sum(1).tolist() == [len(tokens.of(n)[0]) for n in range(6)]
    assert x[~x_mask[:, None].expand(x.shape[:3])].abs().max() == 0
    alone, *_ = encoder.states(tokens.batch([2]))
    length = int(x_mask[2].sum())
    assert torch.allclose(alone[0, :, :length], x[2, :, :length], atol=1e-5)


def test_the_encoder_is_timed_as_often_as_the_network_that_is_timed_most():
    passes = []
    encoder = SimpleNamespace(states_of=lambda tokens, indices: passes.append(len(indices)) or indices)
    networks = [Counting(), Counting()]
    tokens = SimpleNamespace(lengths=np.arange(PREDICTION_BATCH + 8))
    timed, encoding = timed_probabilities(networks, [1, 3], encoder, tokens)
    assert passes == [PREDICTION_BATCH] * 3 + [8] * 3 and encoding.shape == (3,) and (encoding > 0).all()
    assert [network.calls for network in networks] == [2, 6] and [len(seconds) for _, seconds in timed] == [1, 3]
    assert (timed[0][0][:, 0] == np.arange(PREDICTION_BATCH + 8)).all()  # in the order of the pairs


class Counting:
    """A network whose probability of class 0 is the number of the pair."""

    network = SimpleNamespace(classes=2)
    calls = 0

    def probabilities(self, states):
        self.calls += 1
        return np.stack([states, states], axis=1)
