"""Never stale, never more than it takes: what an edit makes Snakemake do again, job by job."""

import re

import pytest

from conftest import TINY

REPORT = {"render_report": 1, "export_results": 1}
ENCODERS = {f"make_{name}": 1 for name in ("albert", "bert", "roberta", "sbert", "word2vec")}
DATASETS = ["cfimdb", "mnli", "mrpc", "qqp", "qqp_sweep", "qqp_tenth", "quora_cs224n", "snli", "sst"]
DATASETS += ["stress", "stress_extended", "sts_cs224n", "stsb"]
TOKENS = {"compare_tokens_sn3d_figure7": 1}


@pytest.mark.parametrize(
    ("file", "old", "new", "jobs"),
    [
        (
            "config/papers/stl.yaml",
            "caption: Performance comparison",
            "caption: A comparison",
            {"render_table": 1, **REPORT},
        ),
        (
            "workflow/scripts/render_claims.py",
            "Judge one paper's claims",
            "Judge a paper's claims",
            {"render_claims": 6, **REPORT},
        ),
        (
            "workflow/scripts/semblance/reporting/tables.py",
            "Each cell:",
            "In each cell:",
            {"render_table": 54, "render_figure": 9, **REPORT},
        ),
        (
            "workflow/scripts/semblance/objectives/cosine_mean_squared_error.py",
            "F.mse_loss(",
            "1.0 * F.mse_loss(",
            # stl's sbert-stsb and eleven runs of minilm, each with its neighbours, and what is computed from them
            {
                "train": 2,
                "predict": 2,
                "judge": 2,
                "render_table": 15,
                "render_figure": 5,
                "render_list": 2,
                "render_claims": 3,
                **REPORT,
            },
        ),
        (
            "workflow/scripts/semblance/models/siamese_3d/fusion.py",
            "convolution(images) * there",
            "there * convolution(images)",
            # all networks over a frozen encoder; not sn3d's interaction-based BERT, nor what sets cross-encoders
            # against bi-encoders
            {
                "train": 1,
                "predict": 1,
                "judge": 1,
                **TOKENS,
                "render_table": 7,
                "render_figure": 5,
                "render_claims": 1,
                **REPORT,
            },
        ),
        (
            "requirements.lock",
            "torch==2",
            "torch==3",
            # all that computes, and what is computed from it; not the corpora, nor tables of counts
            {
                "train": 9,
                "predict": 9,
                "judge": 6,
                "render_table": 52,
                "render_figure": 23,
                "render_list": 2,
                "render_claims": 6,
                **ENCODERS,
                **TOKENS,
                **REPORT,
            },
        ),
        ("requirements.lock", "matplotlib==", "matplotlib==1", {"render_figure": 23, "render_report": 1}),
        ("requirements.lock", "pytest==", "pytest==1", {}),
        (
            TINY,
            "seeds: [1]",
            "seeds: [1, 2]",
            # what is left to chance, and what shares its jobs, once more; the first seed is only shown again
            {
                "recipes": 1,
                "train": 7,
                "predict": 7,
                "judge": 6,
                "render_table": 51,
                "render_figure": 22,
                "render_list": 2,
                "render_claims": 6,
                **REPORT,
            },
        ),
        (
            TINY,
            "cfimdb: {train: 40",
            "cfimdb: {train: 41",
            # smart's runs on it, all that they share a job with, and what is made of those
            {
                "recipes": 1,
                "prepare_cfimdb": 1,
                "train": 1,
                "predict": 1,
                "judge": 1,
                "render_table": 25,
                "render_figure": 14,
                "render_claims": 2,
                **REPORT,
            },
        ),
        (
            TINY,
            "sbert: {generated: {corpus: {generated: 200",
            "sbert: {generated: {corpus: {generated: 210",
            {
                "make_sbert": 1,
                "train": 2,
                "predict": 2,
                "judge": 2,
                "render_table": 15,
                "render_figure": 5,
                "render_list": 2,
                "render_claims": 3,
                **REPORT,
            },
        ),
    ],
)
def test_an_edit_reruns_what_depends_on_it_and_nothing_else(planning, file, old, new, jobs):
    planning.edit(file, old, new)
    assert planning.planned() == jobs


def test_a_changed_recipe_retrains_that_run_and_those_that_start_from_it(workspace):
    workspace.train_one_by_one()
    workspace.snakemake("--touch")  # as if it had been made so
    workspace.edit(
        "config/papers/stl.yaml",
        "qqp, objective: binary-cross-entropy,",
        "qqp, objective: binary-cross-entropy, weight_decay: 0.02,",
    )
    planned = workspace.planned()
    assert (planned["train"], planned["predict"]) == (6, 6)  # bert, roberta and albert on QQP, and then on STS-B


@pytest.mark.parametrize("file", ["config/datasets.yaml", "config/encoders.yaml"])
def test_a_revision_of_what_is_not_fetched_changes_nothing(planning, file):
    """The tiny preset makes its corpora and encoders itself."""
    old = re.search("revision: ([0-9a-f]{40})", (planning.path / file).read_text()).group(1)
    planning.edit(file, old, "f" * 40)
    assert planning.planned() == {}


def test_where_and_how_precisely_it_computes_is_part_of_what_is_made(finished):
    """Every encoder and every run; how often training saves its state is not."""
    for change in ("device=cpu", "precision=fp32"):
        planned = finished.planned(config=f"preset=tiny {change}")
        assert planned["train"] == 9 and set(ENCODERS) <= set(planned)
    assert finished.planned(config="preset=tiny save_every=1") == {}


def test_a_newer_library_makes_corpora_again_where_it_reads_them(planning):
    planning.edit("requirements.lock", "datasets==", "datasets==1")
    planned = planning.planned()
    assert all(planned[f"prepare_{name}"] == 1 for name in DATASETS)


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
    assert train.stat().st_size > 1_000_000  # beyond which Snakemake's default is to look at a file's time alone
    asked = ["--", "results/tiny/data/stsb/dev.parquet"]
    config = f"preset=tiny data_source=files data_folder={fresh.path}/corpora"
    fresh.snakemake(*asked, config=config)
    for file in corpora.iterdir():
        file.touch()
    assert fresh.planned(*asked, config=config) == {}
    with train.open("a") as file:
        file.write(line.format(n="one more"))
    assert fresh.planned(*asked, config=config) == {"prepare_stsb": 1}
