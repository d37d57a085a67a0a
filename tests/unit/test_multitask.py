"""Multi-task models (smart): heads by kind of label, objectives and examples of SimCSE, selection of a stage."""

import csv
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from torch.nn import functional as F

from semblance import objectives
from semblance.curve import Curve
from semblance.data import rows, triplets
from semblance.errors import UserError
from semblance.evaluation import watched
from semblance.evaluation.selecting import score_of
from semblance.evaluation.watched import Watcher
from semblance.models import multitask
from semblance.specs.recipe import Recipe
from semblance.specs.run import ModelSpec, SelectionSpec, StageSpec
from semblance.training.selection import BestStage, selection, share_of
from small import TEXTS, write_encoder

SPEC = ModelSpec("multitask", max_length=40, pooling="mean", heads=("binary", "sentiment"), dropout=0.3)
SPEC = replace(SPEC, features=("u", "v", "|u-v|"))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return write_encoder("bert", tmp_path_factory.mktemp("bert"))


@pytest.fixture
def model(encoder):
    torch.manual_seed(1)
    return multitask.Model.open(SPEC, encoder, "cpu")


@pytest.fixture
def corpora(make_pairs):
    """The same texts as binary pairs, as scored pairs, and as single sentences with classes."""
    pairs = list(zip(TEXTS, TEXTS[1:] + TEXTS[:1]))
    return {
        "binary": make_pairs(*[(a, b, n % 2) for n, (a, b) in enumerate(pairs)]),
        "score": make_pairs(*[(a, b, n + 1) for n, (a, b) in enumerate(pairs)], kind="score"),
        "sentiment": make_pairs(*[(a, "", n) for n, a in enumerate(TEXTS)], kind="sentiment"),
    }


def test_a_saved_model_opens_with_sentence_transformers_and_its_heads_give_the_recorded_scores(
    model, corpora, tmp_path
):
    from safetensors.torch import load_file
    from sentence_transformers import SentenceTransformer

    model.save(tmp_path)
    vectors = SentenceTransformer(str(tmp_path), device="cpu").encode(TEXTS, convert_to_tensor=True)
    heads = load_file(tmp_path / multitask.Model.HEAD)
    u, v = vectors, vectors.roll(-1, 0)
    features = torch.cat([u, v, (u - v).abs()], dim=1)
    expected = {
        "binary": (features @ heads["binary.weight"].T + heads["binary.bias"]).sigmoid().squeeze(-1),
        "score": (F.cosine_similarity(u, v) + 1) / 2,
        "sentiment": (u @ heads["sentiment.weight"].T + heads["sentiment.bias"]).softmax(-1),
    }
    again = multitask.Model.open(SPEC, tmp_path, "cpu")
    for kind, pairs in corpora.items():
        np.testing.assert_allclose(model.score(pairs), expected[kind], atol=1e-6)
        np.testing.assert_array_equal(model.score(pairs), again.score(pairs))
    assert model.score(corpora["sentiment"]).shape == (4, 5)


def test_training_sees_what_scoring_does_once_dropout_is_off(model, corpora):
    """Scores are from 0 to 5; pairs and classes have logits. Padding has no effect."""
    model.module.eval()
    for kind, pairs in corpora.items():
        task = model.task(pairs)
        inputs, _ = task.batch(np.arange(4))
        whole = task.forward(inputs)
        alone = torch.cat([task.forward(task.batch(np.array([n]))[0]) for n in range(4)])
        assert torch.allclose(whole, alone, atol=1e-5)
        scores = {"binary": whole.sigmoid(), "score": whole / 5, "sentiment": whole.softmax(-1)}[kind]
        np.testing.assert_allclose(scores.detach(), model.score(pairs), atol=1e-5)


def test_dropout_is_on_embeddings_in_training_alone(model, corpora):
    task = model.task(corpora["binary"])
    inputs, _ = task.batch(np.arange(4))
    model.module.train()
    assert not torch.equal(task.forward(inputs), task.forward(inputs))
    model.module.eval()
    assert torch.equal(task.forward(inputs), task.forward(inputs))


def test_a_kind_of_label_without_a_head_is_refused(model, make_pairs):
    with pytest.raises(UserError, match="no head for labels that are polarity"):
        model.score(make_pairs(("Good.", "", 1), kind="polarity"))


def test_a_score_with_a_head_of_its_own_is_not_the_cosine(encoder, corpora):
    headed = multitask.Model.open(replace(SPEC, heads=("score",)), encoder, "cpu")
    cosine = multitask.Model.open(SPEC, encoder, "cpu")
    assert np.abs(headed.score(corpora["score"]) - cosine.score(corpora["score"])).max() > 0.01


# -- SimCSE ----------------------------------------------------------------------------------------


@pytest.fixture
def embeddings():
    random = torch.Generator().manual_seed(0)
    return tuple(torch.randn(3, 4, generator=random) for _ in range(3))


def cosine(a, b):
    return float(F.cosine_similarity(a, b, dim=0))


def exponential(a, b):
    return np.exp(cosine(a, b) / 0.05)


def test_simcse_by_the_equation_sets_each_positive_against_its_own_negative(embeddings):
    expected = np.mean(
        [-np.log(exponential(a, p) / (exponential(a, p) + exponential(a, n))) for a, p, n in zip(*embeddings)]
    )
    assert objectives.named("simcse-triplet")(embeddings, None).item() == pytest.approx(expected, rel=1e-5)


def test_simcse_as_published_is_sentence_transformers_ranking_loss_with_hard_negatives(embeddings):
    from sentence_transformers.sentence_transformer import losses

    ranking = losses.MultipleNegativesRankingLoss(torch.nn.Identity(), scale=20.0)
    theirs = ranking.compute_loss_from_embeddings(list(embeddings), None).item()
    assert objectives.named("simcse-in-batch")(embeddings, None).item() == pytest.approx(theirs, rel=1e-5)


def test_simcse_as_listed_broadcasts_positives_along_the_rows_of_all_negatives(embeddings):
    """The lines of the listing in numpy, which add exp_ap, shape (N,), to exp(sim_an), shape (N, N)."""
    anchor, positive, negative = (F.normalize(e, dim=-1).numpy() for e in embeddings)
    exp_ap = np.exp(np.diag(anchor @ positive.T) / 0.05)
    denominator = exp_ap + np.exp(anchor @ negative.T / 0.05)
    expected = -np.log(exp_ap / denominator).mean()
    assert objectives.named("simcse-listing")(embeddings, None).item() == pytest.approx(expected, rel=1e-4)


def test_simcse_without_labels_sets_a_sentence_against_the_others(embeddings):
    one, other, _ = embeddings
    rows_ = [[exponential(a, b) for b in other] for a in one]
    expected = np.mean([-np.log(row[n] / sum(row)) for n, row in enumerate(rows_)])
    assert objectives.named("simcse-unsupervised")((one, other), None).item() == pytest.approx(expected, rel=1e-5)


def test_a_score_is_compared_in_its_own_unit():
    scores, labels = torch.tensor([2.0, 5.0]), torch.tensor([0.8, 0.4])  # 4 and 2 on the scale from 0 to 5
    assert objectives.named("score-squared-error")(scores, labels).item() == pytest.approx((4 + 9) / 2)


def test_triplets_of_premises_are_the_listings_merge(make_pairs):
    """Each entailed hypothesis of a premise with each contradicting one, as pandas merges them (listing B.1)."""
    drawn = [
        ("p", "e1", 0),
        ("p", "e2", 0),
        ("p", "c1", 2),
        ("q", "e3", 0),
        ("p", "n", 1),
        ("p", "c2", 2),
        ("r", "c3", 2),
    ]
    frame = pd.DataFrame(drawn, columns=["premise", "hypothesis", "label"])
    sides = [frame[frame.label == label][["premise", "hypothesis"]] for label in (0, 2)]
    merged = pd.merge(*sides, on="premise")
    made = triplets.of_inference(make_pairs(*drawn, kind="inference"), seed=1)
    assert sorted(zip(*made.columns)) == sorted(merged.itertuples(index=False, name=None)) and len(made.columns[0]) == 4
    with pytest.raises(UserError, match="no premise has both"):
        triplets.of_inference(make_pairs(("p", "e", 0), ("q", "c", 2), kind="inference"), seed=1)


def test_twins_are_sentences_twice_as_many_as_triplets(make_pairs, model):
    twins = triplets.twins(make_pairs(("a", "b", 0), ("a", "c", 2), ("a", "d", 2), ("e", "f", 1), kind="inference"), 1)
    one, other = twins.columns
    assert one == other and len(one) == len(set(one)) == len(twins.targets) == 2 and set(one) <= set("abcd")
    model.module.train()
    task = model.task(twins)
    one, other = task.forward(task.batch(np.arange(2))[0])
    assert one.shape == (2, 32) and not torch.equal(one, other)  # their dropout differs


# -- selection of weights --------------------------------------------------------------------------


class Constant:
    """A model whose only weight scales fixed scores."""

    def __init__(self, value: float):
        self.module = torch.nn.Linear(1, 1, bias=False)
        self.set(value)

    def set(self, value: float) -> None:
        torch.nn.init.constant_(self.module.weight, value)

    def score(self, pairs):
        return np.linspace(0, 1, len(pairs)) * self.module.weight.item()


def test_the_stage_with_the_best_overall_score_is_kept(tmp_path, make_pairs):
    scored = make_pairs(*[("a", str(n), n) for n in range(5)], kind="score")
    halves = make_pairs(*[("a", str(n), n >= 2) for n in range(5)])
    data = {"sts/dev": tmp_path / "sts.parquet", "qqp/dev": tmp_path / "qqp.parquet"}
    rows.write(data["sts/dev"], scored)
    rows.write(data["qqp/dev"], halves)
    data["sts/test"] = data["sts/dev"]
    rules = [SelectionSpec("sts/dev", "pearson", on_unit_scale=True, show=("sts/test",))]
    rules += [SelectionSpec("qqp/dev", "accuracy", threshold=0.5)]
    model, curve = Constant(1.0), Curve(tmp_path / "curve.csv")
    best = BestStage(model, rules, data, curve)
    first = {"sts/dev pearson": pytest.approx(1), "qqp/dev accuracy": 1.0, "overall": 1.0}
    assert best.consider(1, "1. first") == (first, pytest.approx(0, abs=1))
    model.set(-1.0)  # the correlation is negative, and no score is above the threshold
    second = {"sts/dev pearson": pytest.approx(-1), "qqp/dev accuracy": 0.4, "overall": 0.2}
    assert best.consider(2, "2. second")[0] == second
    model.set(1.0)
    assert best.consider(3, "3. as good as the first")[0] == first
    assert best.restore() == "1. first" and model.module.weight.item() == 1.0
    points = [(row["step"], row["series"], row["value"]) for row in csv.DictReader((tmp_path / "curve.csv").open())]
    assert points[2:4] == [("1", "overall", "1"), ("1", "sts/test pearson", "1")]
    assert points[6] == ("2", "overall", "0.2")
    # The predictions after every stage are kept, those of the shown split too.
    assert set(best.watchers) == {"sts/dev", "sts/test", "qqp/dev"}
    best.watchers["sts/test"].write(tmp_path / "sts.parquet", {})
    kept = watched.read(tmp_path / "sts.parquet")
    assert [(one.step, one.epoch, one.predictions.score[-1]) for one in kept] == [(1, 1, 1), (2, 2, -1), (3, 3, 1)]


def test_a_stage_whose_score_is_undefined_is_the_worst(tmp_path, make_pairs):
    rows.write(tmp_path / "sts.parquet", make_pairs(*[("a", str(n), n) for n in range(5)], kind="score"))
    model, curve = Constant(0.0), Curve(tmp_path / "curve.csv")
    best = BestStage(model, [SelectionSpec("sts/dev", "pearson")], {"sts/dev": tmp_path / "sts.parquet"}, curve)
    assert np.isnan(best.consider(1, "1. first")[0]["overall"])  # a constant has no correlation
    model.set(-1.0)
    best.consider(2, "2. second")
    assert best.restore() == "2. second" and model.module.weight.item() == -1.0


def test_a_later_stage_selects_among_its_own_epochs(make_pairs):
    """A clean score must not choose an epoch of an earlier stage that was selected on the same split."""
    watcher = Watcher(make_pairs(*[("a", str(n), n) for n in range(5)], kind="score"), Constant(1.0).score, every=1)
    stage = StageSpec("sts", "score-squared-error", Recipe(2, 8, 0.1), select=SelectionSpec("sts/dev", "pearson"))
    for epochs in (2, 1):
        chosen = selection(None, stage, {}, watcher)
        for epoch in range(epochs + 1):
            chosen.evaluate([0], 10 * epoch, float(epoch))
    assert [step for step, *_ in watcher.seen] == [0, 10]


def test_dropout_before_the_heads_is_that_of_the_spec(encoder):
    dropout = multitask.Model.open(replace(SPEC, dropout=0.9), encoder, "cpu").module.dropout.train()
    assert (dropout(torch.ones(10_000)) == 0).float().mean().item() == pytest.approx(0.9, abs=0.02)


def test_a_rule_may_have_a_threshold():
    targets, scores = np.array([0, 0, 1, 1, 1]), 0.9 * np.linspace(0, 1, 5)
    assert score_of(SelectionSpec("", "accuracy"), targets, scores) == 1.0  # at the best threshold
    assert score_of(SelectionSpec("", "accuracy", threshold=0.5), targets, scores) == 0.8


def test_a_share_of_the_rows_is_the_same_in_every_stage(make_pairs):
    pairs = make_pairs(*[("a", str(n), 0) for n in range(100)])
    assert len(share_of(pairs, 0.03, seed=1)) == 3 and len(share_of(pairs, 0.001, seed=1)) == 1
    assert len(share_of(pairs.take([]), 0.5, seed=1)) == 0
    assert share_of(pairs, 0.5, 1).id == share_of(pairs, 0.5, 1).id != share_of(pairs, 0.5, 2).id
    assert share_of(pairs, 1, 1) is pairs
