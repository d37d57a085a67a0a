"""Models: saved ones open with sentence-transformers and give the same scores; training."""

import csv
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from torch.nn import functional as F

from semblance import device, models, objectives, registry, regularizers
from semblance.curve import Curve
from semblance.evaluation import watched
from semblance.evaluation.watched import Watcher
from semblance.models import bi_encoder, cross_encoder
from semblance.specs.computing import Computing
from semblance.specs.recipe import Recipe
from semblance.specs.run import ModelSpec
from semblance.training.engine import Selection, train
from small import TEXTS, write_encoder


@pytest.fixture(scope="session", params=["bert", "roberta", "albert"])
def encoder(request, tmp_path_factory):
    return write_encoder(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture
def pairs(make_pairs):
    return make_pairs(*[(a, b, float(i % 2)) for i, (a, b) in enumerate(zip(TEXTS * 3, TEXTS[1:] * 4))])


def trained(model, pairs, objective, folder, seed=1, select=None, watch=None, precision="fp32", options=None, **recipe):
    accelerated = device.accelerator(Computing("cpu", precision, 1), seed)
    curve = Curve(folder / "curve.csv")
    made = Recipe(**{"epochs": 2, "batch_size": 4, "learning_rate": 1e-2, **recipe})
    task = model.task(pairs)
    return train(
        task,
        objectives.named(objective),
        made,
        seed=seed,
        stage="s",
        accelerator=accelerated,
        curve=curve,
        select=select,
        watch=watch,
        **options or {},
    )


def selecting(metric, score):
    """The selection of an epoch of one network by a score."""
    return Selection(metric, lambda numbers, step, epoch: [{f"dev {metric}": score()}])


def test_scores_in_training_are_in_full_precision(encoder, pairs, tmp_path):
    """So that an epoch is selected by the scores that are recorded."""
    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    found = []

    def score():
        found.append(model.score(pairs))
        return float(len(found))  # so that the last epoch is selected

    select = selecting("pearson", score)
    facts = trained(model, pairs, "binary-cross-entropy", tmp_path, select=select, precision="bf16")
    assert facts["precision"] == "bf16" and facts["selected_epoch"] == 2
    assert np.array_equal(found[-1], model.score(pairs))


def test_a_saved_cross_encoder_opens_with_sentence_transformers_and_gives_the_same_scores(encoder, pairs, tmp_path):
    from sentence_transformers import CrossEncoder

    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    with torch.no_grad():
        for weights in model.module.parameters():
            if weights.ndim >= 2:
                weights.normal_(std=0.3)  # scores that vary as much as those of a trained model
    model.save(tmp_path / "model")
    theirs = CrossEncoder(str(tmp_path / "model"), device="cpu").predict(list(zip(pairs.sentence1, pairs.sentence2)))
    assert np.ptp(model.score(pairs)) > 0.1
    np.testing.assert_allclose(model.score(pairs), theirs, atol=1e-5)
    again = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), tmp_path / "model", "cpu")
    np.testing.assert_array_equal(model.score(pairs), again.score(pairs))


def test_a_cross_encoder_of_classes_learns_them_and_opens_with_sentence_transformers(encoder, make_pairs, tmp_path):
    from sentence_transformers import CrossEncoder

    chosen = [(a, b, float(i % 3)) for i, (a, b) in enumerate(zip(TEXTS * 3, TEXTS[1:] * 4))]
    pairs = make_pairs(*chosen, kind="inference")
    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40, classes=3), encoder, "cpu")
    before = np.log(model.score(pairs)[np.arange(len(pairs)), pairs.label.astype(int)]).mean()
    trained(model, pairs, "cross-entropy", tmp_path, epochs=6, learning_rate=3e-3)
    scores = model.score(pairs)
    assert scores.shape == (len(pairs), 3) and scores.sum(1) == pytest.approx(1, abs=1e-5)
    assert np.log(scores[np.arange(len(pairs)), pairs.label.astype(int)]).mean() > before
    model.save(tmp_path / "model")
    theirs = CrossEncoder(str(tmp_path / "model"), device="cpu")
    sentences = list(zip(pairs.sentence1, pairs.sentence2))
    np.testing.assert_allclose(scores, theirs.predict(sentences, apply_softmax=True), atol=1e-5)


@pytest.mark.parametrize("pooling", ["mean", "max", "cls"])
def test_a_saved_bi_encoder_opens_with_sentence_transformers_and_gives_the_same_scores(
    encoder, pairs, tmp_path, pooling
):
    from sentence_transformers import SentenceTransformer, util

    model = bi_encoder.Model.open(ModelSpec("bi-encoder", max_length=40, pooling=pooling), encoder, "cpu")
    trained(model, pairs, "cosine-mean-squared-error", tmp_path)
    model.save(tmp_path / "model")
    library = SentenceTransformer(str(tmp_path / "model"), device="cpu")
    theirs = util.pairwise_cos_sim(library.encode(pairs.sentence1), library.encode(pairs.sentence2))
    np.testing.assert_allclose(model.score(pairs), theirs.numpy(), atol=1e-5)


def test_padding_changes_nothing(encoder, make_pairs):
    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    rows = [(TEXTS[2], TEXTS[2], 1), (TEXTS[3], TEXTS[3], 1)]
    together = model.score(make_pairs(*rows))
    alone = [model.score(make_pairs(row))[0] for row in rows]
    np.testing.assert_allclose(together, alone, atol=1e-6)


def test_a_new_head_replaces_the_head_alone(encoder, pairs, tmp_path):
    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    trained(model, pairs, "binary-cross-entropy", tmp_path)
    model.save(tmp_path / "model")
    kept = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), tmp_path / "model", "cpu")
    fresh = cross_encoder.Model.open(
        ModelSpec("cross-encoder", max_length=40), tmp_path / "model", "cpu", new_head=True
    )
    for name, weights in fresh.module.state_dict().items():
        same = torch.equal(weights, kept.module.state_dict()[name])
        assert same or name.startswith("classifier"), name
    assert not torch.equal(
        torch.cat([p.flatten() for p in fresh.module.classifier.parameters()]),
        torch.cat([p.flatten() for p in kept.module.classifier.parameters()]),
    )


def test_a_new_head_can_have_other_classes(encoder, pairs, tmp_path):
    of_three = cross_encoder.Model.open(ModelSpec("cross-encoder", classes=3, max_length=40), encoder, "cpu")
    of_three.save(tmp_path / "model")
    spec = ModelSpec("cross-encoder", max_length=40)
    fresh = cross_encoder.Model.open(spec, tmp_path / "model", "cpu", new_head=True)
    assert fresh.score(pairs).shape == (len(pairs),)
    body, kept = fresh.module.base_model.state_dict(), of_three.module.base_model.state_dict()
    assert all(torch.equal(weights, kept[name]) for name, weights in body.items())


def test_the_same_seed_gives_the_same_weights_bit_for_bit(encoder, pairs, tmp_path):
    weights = []
    for _ in range(2):
        torch.manual_seed(1)
        model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
        trained(model, pairs, "mean-squared-error", tmp_path)
        weights.append(torch.cat([p.flatten() for p in model.module.parameters()]))
    assert torch.equal(*weights)


def test_the_best_epoch_is_kept_and_the_curve_has_every_point(encoder, pairs, tmp_path):
    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    scores, snapshots = iter([0.9, 0.1, 0.7, 0.7]), []  # of equal epochs, the first

    def score():
        snapshots.append(torch.cat([p.detach().flatten() for p in model.module.parameters()]))
        return next(scores)

    facts = trained(model, pairs, "binary-cross-entropy", tmp_path, select=selecting("f1", score), epochs=3)
    assert facts["selected_epoch"] == 2 and facts["selected_score"] == 0.7 and facts["steps"] == 9
    assert torch.equal(torch.cat([p.detach().flatten() for p in model.module.parameters()]), snapshots[2])
    lines = (tmp_path / "curve.csv").read_text().splitlines()
    assert lines[0] == "stage,epoch,step,series,value"
    assert sum(",dev f1," in line for line in lines) == 4 and sum(",loss," in line for line in lines) == 9


def test_training_stops_when_dev_has_not_improved_for_as_many_epochs_as_it_says(encoder, pairs, tmp_path):
    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    scores = iter([0.1, 0.8, 0.7, 0.6, 0.9])
    select = selecting("mean-absolute-error", lambda: 1 - next(scores))  # lower is better
    facts = trained(model, pairs, "mean-squared-error", tmp_path, select=select, options={"patience": 2}, epochs=4)
    assert (facts["selected_epoch"], facts["steps"]) == (1, 9)
    assert facts["selected_score"] == pytest.approx(0.2)
    points = list(csv.DictReader((tmp_path / "curve.csv").open()))
    assert ("dev mean-absolute-error", "0.9") in [(one["series"], one["value"]) for one in points]  # not negated
    losses = [float(one["value"]) for one in points if one["series"] == "loss"]
    assert len(losses) == 9 and facts["means"]["loss"] == pytest.approx(np.mean(losses), rel=1e-4)


def test_an_undefined_dev_score_loses_to_any_other(encoder, pairs, tmp_path):
    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    scores = iter([float("nan"), float("nan"), -0.2, float("nan")])
    select = selecting("pearson", lambda: next(scores))
    facts = trained(model, pairs, "mean-squared-error", tmp_path, select=select, epochs=3)
    assert facts["selected_epoch"] == 2 and facts["selected_score"] == -0.2


def test_a_loss_that_is_not_a_number_stops_the_run_and_says_what_to_do(encoder, pairs, tmp_path):
    from semblance.errors import UserError

    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    with torch.no_grad():
        next(model.module.classifier.parameters()).fill_(float("nan"))
    with pytest.raises(UserError, match="became nan at step 1: lower its learning_rate"):
        trained(model, pairs, "binary-cross-entropy", tmp_path)


@pytest.mark.parametrize("kind", ["cross-encoder", "bi-encoder"])
def test_a_run_that_may_diverge_ends_there_and_then_scores_all_pairs_alike(encoder, pairs, tmp_path, capsys, kind):
    model = models.kind(kind).open(ModelSpec(kind, max_length=40, pooling="mean"), encoder, "cpu")
    objective = "binary-cross-entropy" if kind == "cross-encoder" else "contrastive"
    facts = trained(
        model, pairs, objective, tmp_path, epochs=3, optimizer="sgd", learning_rate=1e30, options={"may_diverge": True}
    )
    assert 1 <= facts["diverged_after_step"] == facts["steps"] < 3 * 2 and np.isfinite(facts["means"]["loss"])
    scores = model.score(pairs)
    assert np.isfinite(scores).all() and np.ptp(scores) == 0
    assert "all weights set to 0: the loss of stage" in capsys.readouterr().out


@pytest.mark.parametrize("steps", [1, 2])
def test_a_stage_after_one_that_diverged_starts_with_finite_weights_and_gradients(encoder, pairs, tmp_path, steps):
    """With one step, the weights are broken by the last step, after which there is no loss."""
    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    options = {"may_diverge": True}
    few = pairs.take(range(4 * steps))
    sgd = {"epochs": 1, "optimizer": "sgd", "options": options}
    facts = trained(model, few, "binary-cross-entropy", tmp_path, learning_rate=1e60, **sgd)
    assert facts["diverged_after_step"] == 1
    assert not any(weights.any() for weights in model.module.parameters())
    assert all(weights.grad is None for weights in model.module.parameters())
    after = trained(model, few, "binary-cross-entropy", tmp_path, learning_rate=1e-2, **sgd)
    assert "diverged_after_step" not in after and np.isfinite(model.score(pairs)).all()


def test_a_gradient_that_is_not_a_number_stops_the_run_in_the_same_step(encoder, pairs, tmp_path):
    from semblance.errors import UserError

    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    next(model.module.classifier.parameters()).register_hook(lambda gradient: gradient * float("inf"))
    with pytest.raises(UserError, match="the gradient of stage .* became (nan|inf) at step 1: lower its learning_rate"):
        trained(model, pairs, "binary-cross-entropy", tmp_path)


@pytest.mark.parametrize(
    ("kind", "labels", "words"),
    [
        ("binary", [1, 1, 1], "set/train has no row of class 0 among its 3 rows"),
        ("inference", [0, 2, 2], "set/train has no row of class 1 among its 3 rows"),
        ("score", [2.5, 2.5, 2.5], "set/train has no score but 2.5 among its 3 rows"),
    ],
)
def test_a_corpus_without_one_of_its_classes_is_nothing_to_learn_from(make_pairs, kind, labels, words):
    from dataclasses import replace

    from semblance.errors import UserError

    whole = replace(make_pairs(*[("a", "b", label) for label in labels]), kind=kind)
    with pytest.raises(UserError, match=words):
        whole.require_every_class("set/train")


def test_watched_predictions_are_those_of_the_weights_of_their_step(encoder, pairs, tmp_path):
    model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    watcher = Watcher(pairs, model.score, every=2)
    trained(model, pairs, "binary-cross-entropy", tmp_path, watch=watcher)
    watcher.write(tmp_path / "watched.parquet", {})
    moments = watched.read(tmp_path / "watched.parquet")
    assert [(m.step, round(m.epoch, 3)) for m in moments] == [(2, 0.667), (4, 1.333), (6, 2.0)]
    np.testing.assert_array_equal(moments[-1].predictions.score, model.score(pairs))
    assert not np.array_equal(moments[0].predictions.score, moments[-1].predictions.score)
    assert list(moments[0].predictions.target) == list(pairs.targets)


def test_watching_changes_nothing(encoder, pairs, tmp_path):
    def weights(watched_too: bool):
        torch.manual_seed(1)
        model = bi_encoder.Model.open(ModelSpec("bi-encoder", max_length=40, pooling="mean"), encoder, "cpu")
        watch = Watcher(pairs, model.score, every=1) if watched_too else None
        trained(model, pairs, "cosine-mean-squared-error", tmp_path, watch=watch)
        return torch.cat([p.flatten() for p in model.module.parameters()])

    assert torch.equal(weights(False), weights(True))


def test_a_bi_encoder_with_a_head_is_logistic_regression_on_its_features(encoder, pairs, tmp_path):
    from sentence_transformers import SentenceTransformer

    spec = ModelSpec("bi-encoder", max_length=40, pooling="cls", features=("u", "v", "|u-v|", "u*v"))
    model = bi_encoder.Model.open(spec, encoder, "cpu")
    facts = trained(model, pairs, "binary-cross-entropy", tmp_path, epochs=4)
    model.save(tmp_path / "model")
    library = SentenceTransformer(str(tmp_path / "model"), device="cpu")
    u, v = library.encode(pairs.sentence1), library.encode(pairs.sentence2)
    head = load_file(tmp_path / "model" / bi_encoder.Model.HEAD)
    logits = np.concatenate([u, v, abs(u - v), u * v], axis=1) @ head["weight"].T + head["bias"]
    np.testing.assert_allclose(model.score(pairs), 1 / (1 + np.exp(-logits[:, 0])), atol=1e-5)
    assert facts["steps"] == 12
    again = bi_encoder.Model.open(spec, tmp_path / "model", "cpu")
    np.testing.assert_array_equal(again.score(pairs), model.score(pairs))
    cosine = bi_encoder.Model.open(replace(spec, features=()), tmp_path / "model", "cpu").score(pairs)
    norms = np.linalg.norm(u, axis=1) * np.linalg.norm(v, axis=1)
    np.testing.assert_allclose(cosine, (u * v).sum(axis=1) / norms, atol=1e-5)


def test_a_head_with_hidden_layers_is_a_perceptron_of_embeddings_width(encoder, pairs, tmp_path):
    spec = ModelSpec("bi-encoder", max_length=40, pooling="cls", features=("u", "v"), hidden_layers=2)
    model = bi_encoder.Model.open(spec, encoder, "cpu")
    model.save(tmp_path / "model")
    first, second, last = model.module.head[0], model.module.head[2], model.module.head[4]
    assert [tuple(layer.weight.shape) for layer in (first, second, last)] == [(32, 64), (32, 32), (1, 32)]
    u, v = model.module.sentences.encode(pairs.sentence1), model.module.sentences.encode(pairs.sentence2)
    hidden = F.relu(second(F.relu(first(torch.cat([u, v], dim=1)))))
    expected = last(hidden).squeeze(-1).sigmoid().detach().numpy()
    np.testing.assert_allclose(model.score(pairs), expected, atol=1e-6)
    again = bi_encoder.Model.open(spec, tmp_path / "model", "cpu")
    np.testing.assert_array_equal(again.score(pairs), model.score(pairs))


def test_a_bi_encoder_starts_from_a_cross_encoders_weights(encoder, pairs, tmp_path):
    cross = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    trained(cross, pairs, "binary-cross-entropy", tmp_path)
    cross.save(tmp_path / "model")
    combined = bi_encoder.Model.open(ModelSpec("bi-encoder", max_length=40, pooling="cls"), tmp_path / "model", "cpu")
    theirs, ours = cross.module.base_model.state_dict(), combined.module.sentences.transformer.state_dict()
    shared = [name for name in ours if name in theirs and "pooler" not in name]
    assert len(shared) > 10 and all(torch.equal(ours[name], theirs[name]) for name in shared)


def test_the_encoder_is_frozen_for_the_epochs_asked_for_and_no_longer(encoder, pairs, tmp_path):
    def weights(model):
        return torch.cat([p.detach().flatten() for p in model.module.base_model.embeddings.parameters()])

    moved = []
    for frozen in (2, 1):
        torch.manual_seed(1)
        model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
        base = model.module.base_model
        before, dense = weights(model), next((base.pooler or model.module.classifier.dense).parameters())
        dense_before = dense.detach().clone()
        head = {name: value.clone() for name, value in model.module.classifier.state_dict().items()}
        trained(model, pairs, "binary-cross-entropy", tmp_path, epochs=2, frozen_epochs=frozen)
        moved.append(not torch.equal(before, weights(model)))
        assert any(not torch.equal(head[n], v) for n, v in model.module.classifier.state_dict().items())
        assert not torch.equal(dense_before, dense)  # a part of the head, also of BERT and ALBERT
        assert all(p.requires_grad for p in model.module.parameters())
    assert moved == [False, True]


def test_everything_in_the_registry_exists():
    assert all(map(models.kind, registry.MODELS))
    assert all(callable(objectives.named(name)) for name in registry.OBJECTIVES)
    assert all(callable(regularizers.named(name)) for name in registry.REGULARIZERS)


def test_a_split_is_read_once_for_all_runs_of_a_job(encoder, pairs, tmp_path, monkeypatch):
    from semblance import processor
    from semblance.data import rows
    from semblance.specs.run import RunSpec
    from semblance.trainers import engine, prediction
    from semblance.trainers.work import Scoring

    rows.write(tmp_path / "dev.parquet", pairs)
    read, reading = [], rows.read
    monkeypatch.setattr(prediction.rows, "read", lambda file: read.append(file) or reading(file))
    cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu").save(tmp_path / "model")
    spec = RunSpec(ModelSpec("cross-encoder", max_length=40), evaluate=("set/dev",))
    for run in ("a", "b"):
        (tmp_path / run).mkdir()
        work = Scoring(
            specs={run: spec},
            data={"set/dev": tmp_path / "dev.parquet"},
            computing=Computing("cpu", "fp32", 1),
            made_by={run: {}},
            folders={run: tmp_path / run},
            models={run: tmp_path / "model"},
        )
        facts = engine.predict(work)[run]["set/dev"]
        assert facts["pairs"] == len(pairs) and facts["device"] == "cpu" and facts["processor"] == processor.name()
        assert (tmp_path / run / "set-dev.parquet").exists()
    assert len(read) == 1
