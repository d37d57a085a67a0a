"""The jobs that Snakemake reruns after an edit: all that depend on it, and no others."""

import re

import pytest
from graph import Graph

from conftest import TINY
from semblance.registry import MODELS

REPORT = {"render_overview": 1, "render_report": 1, "export_results": 1}
MEASURING = {"judge_learning", "render_table", "render_claims", "render_figure", "render_list"}


def everything(specs, seed):
    return True


def with_objective(*names):
    return lambda specs, seed: any(stage.objective in names for spec in specs for stage in spec.stages)


def selecting_by(metric):
    def trains(specs, seed):
        rules = [stage.select for spec in specs for stage in spec.stages if stage.select]
        rules += [rule for spec in specs for rule in spec.select_stage]
        return any(rule.metric == metric for rule in rules)

    return trains


def over_a_frozen_encoder(specs, seed):
    return MODELS[specs[0].model.kind].training == "frozen-encoder"


@pytest.mark.parametrize(
    ("file", "old", "new", "change", "more"),
    [
        ("config/papers/stl.yaml", "caption: Performance comparison", "caption: A", {}, {"render_table": 1, **REPORT}),
        ("workflow/scripts/render_claims.py", "Judge the claims", "Judge claims", {"rules": {"render_claims"}}, {}),
        (
            "workflow/scripts/semblance/reporting/tables.py",
            "Each cell:",
            "In each cell:",
            {"rules": {"render_table"}},
            {},
        ),
        (
            "workflow/scripts/semblance/objectives/cosine_mean_squared_error.py",
            "F.mse_loss(",
            "1.0 * F.mse_loss(",
            {"trains": with_objective("cosine-mean-squared-error")},
            {},
        ),
        (
            "workflow/scripts/semblance/models/siamese_3d/fusion.py",
            "convolution(images) * there",
            "there * convolution(images)",
            {"trains": over_a_frozen_encoder},
            {},
        ),
        (
            "workflow/scripts/semblance/metrics.py",
            "counts @ values / counts.sum(1)",
            "counts @ values / counts.sum(axis=1)",
            {"trains": selecting_by("class-accuracy"), "rules": MEASURING},
            {},
        ),
        (
            "workflow/scripts/semblance/metrics.py",
            "np.abs(scores - targets)",
            "np.abs(targets - scores)",
            {"rules": MEASURING},
            {},
        ),
        (
            "workflow/scripts/semblance/registry.py",
            'Objective("cosine-linear", "embeddings"),',
            'Objective("cosine-linear", "embeddings"),\n        Objective("another", "logit"),',
            {"rules": {*MEASURING, "compare_tokens"}},
            {"audit": 1, "recipes": 1},
        ),
        (
            "workflow/scripts/semblance/registry.py",
            '{"dropout": 0.2}',
            '{"dropout": 0.1}',
            {"trains": over_a_frozen_encoder, "rules": {*MEASURING, "compare_tokens"}},
            {"audit": 1, "recipes": 1},
        ),
        (
            "workflow/scripts/semblance/registry.py",  # hard triplets have the same loss
            '"triplet", "embeddings", builds_examples=True, constants=_MARGIN',
            '"triplet", "embeddings", builds_examples=True, constants={"margin": 0.4}',
            {"trains": with_objective("triplet", "triplet-hard"), "rules": {*MEASURING, "compare_tokens"}},
            {"audit": 1, "recipes": 1},
        ),
        (
            "workflow/scripts/semblance/registry.py",
            '"polarity", ("negative", "positive")',
            '"polarity", ("bad", "good")',
            {"datasets": ["cfimdb"], "rules": {*MEASURING, "compare_tokens"}},
            {"audit": 1, "recipes": 1},
        ),
        (
            "requirements.lock",
            "torch==2",
            "torch==3",
            {"trains": everything, "encoders": ("albert", "bert", "roberta", "sbert", "word2vec")},
            {},
        ),
        ("requirements.lock", "matplotlib==", "matplotlib==1", {"rules": {"render_figure", "render_overview"}}, {}),
        ("requirements.lock", "pytest==", "pytest==1", {}, {}),
        (TINY, "seeds: [1]", "seeds: [1, 2]", {"trains": lambda specs, seed: seed == 2}, {"recipes": 1}),
        (TINY, "cfimdb: {train: 40", "cfimdb: {train: 41", {"datasets": ["cfimdb"]}, {"recipes": 1}),
        (
            TINY,
            "sbert: {generated: {corpus: {generated: 200",
            "sbert: {generated: {corpus: {generated: 210",
            {"encoders": ["sbert"]},
            {},
        ),
    ],
)
def test_an_edit_reruns_what_depends_on_it_and_nothing_else(planning, file, old, new, change, more):
    planning.edit(file, old, new)
    planned = planning.planned()
    assert planned == {**Graph(planning.project()).after(**change), **more}


def test_a_changed_recipe_retrains_that_run_and_those_that_start_from_it(workspace):
    """Every run has its own job here."""
    workspace.train_one_by_one()
    runs = ("bert-qqp", "bert-qqp-stsb", "bert-stsb", "roberta-qqp", "sbert-stsb")
    targets = ["--", *(f"results/tiny/runs/stl/{run}/seed-1/predictions" for run in runs)]
    workspace.snakemake(*targets)
    assert workspace.planned(*targets) == {}
    workspace.edit(
        "config/papers/stl.yaml",
        "qqp, objective: binary-cross-entropy,",
        "qqp, objective: binary-cross-entropy, weight_decay: 0.02,",
    )
    assert workspace.planned(*targets) == {"train": 3, "predict": 3}  # bert-qqp, roberta-qqp and bert-qqp-stsb


@pytest.mark.parametrize("file", ["config/datasets.yaml", "config/encoders.yaml"])
def test_a_revision_of_what_is_not_fetched_changes_nothing(planning, file):
    """The tiny preset generates its corpora and encoders."""
    old = re.search("revision: ([0-9a-f]{40})", (planning.path / file).read_text()).group(1)
    planning.edit(file, old, "f" * 40)
    assert planning.planned() == {}


def test_where_and_how_precisely_it_computes_is_part_of_what_is_made(finished):
    """`device` and `precision` rerun every encoder and run, the latter the recipes too; `save_every` reruns nothing."""
    project = finished.project()
    whole = Graph(project).after(trains=everything, encoders=project.encoders_used())
    assert finished.planned(config="preset=tiny device=cpu") == whole
    assert finished.planned(config="preset=tiny precision=fp32") == whole | {"recipes": 1}
    assert finished.planned(config="preset=tiny save_every=1") == {}


def test_a_newer_library_makes_corpora_again_where_it_reads_them(planning):
    planning.edit("requirements.lock", "datasets==", "datasets==1")
    used = planning.project().datasets_used()
    assert planning.planned()["prepare_dataset"] == len(used)


def test_code_that_was_copied_anew_is_no_new_code(planning):
    for file in (planning.path / "workflow/scripts").rglob("*.py"):
        file.touch()
    assert planning.planned() == {}


def test_a_corpus_that_was_copied_anew_is_no_new_corpus(fresh):
    corpora = fresh.path / "corpora/stsb"
    corpora.mkdir(parents=True)
    line = "main-news\tMSRpar\t2012test\t1\t3.0\tA {n}, said at some length.\tB {n}, said at some length.\n"
    for split, rows in (("train", 12_000), ("dev", 9), ("test", 9)):
        (corpora / f"sts-{split}.csv").write_text("".join(line.format(n=f"{split} {n}") for n in range(rows)))
    train = corpora / "sts-train.csv"
    assert train.stat().st_size > 1_000_000  # above this size, Snakemake by default compares only modification times
    asked = ["--", "results/tiny/data/stsb"]
    config = f"preset=tiny data_source=files data_folder={fresh.path}/corpora"
    fresh.snakemake(*asked, config=config)
    for file in corpora.iterdir():
        file.touch()
    assert fresh.planned(*asked, config=config) == {}
    with train.open("a") as file:
        file.write(line.format(n="one more"))
    assert fresh.planned(*asked, config=config) == {"prepare_dataset": 1}
    of_table = ["--", "results/tiny/tables/stl-table1.md"]
    assert fresh.planned(*of_table, config=config)["prepare_dataset"] == 2  # QQP has not been prepared yet
    for file in corpora.iterdir():  # as on another machine, to which only the results were copied
        file.unlink()
    assert fresh.planned(*of_table, config=config)["prepare_dataset"] == 1
