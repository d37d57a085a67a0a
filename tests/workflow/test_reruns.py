"""Jobs of the tiny preset that run again: alone, after a loss, by hand; and models of a user's own."""

import json
import re

import numpy as np
import pytest

from semblance.evaluation import predictions


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


def test_models_and_pairs_of_ones_own_are_scored_and_reported_by_one_command(workspace):
    """Two models of the workspace's own, brought back as a stranger's: the scores are those recorded."""
    runs = workspace.path / "results/tiny/runs/stl"
    (workspace.path / "tickets.csv").write_text(
        "q,a,same\n" + "".join(f"How is number {n}?,How is number {n + n % 2}?,{1 - n % 2}\n" for n in range(30))
    )
    (workspace.path / "mine.yaml").write_text(f"""
papers: [own]
own:
  models:
    mine: {{path: {runs}/sbert-stsb/seed-1/model}}
    judge: {{path: {runs}/bert-qqp-stsb/seed-1/model, kind: cross-encoder}}
  pairs:
    tickets: {{file: tickets.csv, sentence1: q, sentence2: a, label: same}}
""")
    workspace.snakemake("--configfile", "mine.yaml")
    for mine, theirs in (("mine", "sbert-stsb"), ("judge", "bert-qqp-stsb")):
        found, recorded = (
            predictions.read(folder / "seed-1/predictions/stsb-test.parquet")
            for folder in (runs.parent / "own" / mine, runs / theirs)
        )
        np.testing.assert_allclose(found.score, recorded.score, atol=1e-5)
    table = json.loads((workspace.path / "results/tiny/tables/own-tickets.json").read_text())
    assert [row["name"] for row in table["rows"]] == ["mine", "judge"]
    assert table["rows"][0]["cells"][0]["examples"] == 15  # the other half tuned the threshold
    report = (workspace.path / "results/tiny/report.html").read_text()
    assert "Your pairs, tickets" in report and "Verdicts" not in report  # nobody claimed anything
    refused = workspace.snakemake(
        "--configfile", "mine.yaml", config="preset=tiny own={models:{x:{pth:y}}}", check=False
    )
    assert "own.models" in refused and "path" in refused


@pytest.mark.parametrize("target", ["stl_table2", "results/tiny/tables/stl-table2.md"])
def test_one_table_is_remade_alone(workspace, target):
    (workspace.path / "results/tiny/tables/stl-table2.md").unlink()
    planned = workspace.planned(target)
    planned.pop("stl_table2", None)
    assert planned == {"render_table": 1}


def test_a_killed_jobs_leftovers_are_made_again_with_the_same_bytes(workspace):
    predictions = workspace.path / "results/tiny/runs/stl/tfidf/seed-1/predictions"
    before = contents(predictions)
    (predictions / "qqp-dev.parquet").write_bytes(b"torn")
    workspace.snakemake("--forcerun", "predict_stl_tfidf", "--", "results/tiny/runs/stl/tfidf/seed-1/predictions")
    assert contents(predictions) == before


def test_training_again_gives_the_same_predictions_bit_for_bit(workspace):
    run = "results/tiny/runs/stl/bert-qqp-stsb/seed-1"
    target = f"{run}/predictions"
    before = contents(workspace.path / target)
    output = workspace.snakemake("--forcerun", f"{run}/model", "--", target)
    assert re.search(r"training stl .* \(seed 1\)", output)
    assert contents(workspace.path / target) == before


@pytest.mark.parametrize(
    ("paper", "run"),
    [("minilm", "rate-5e-5"), ("smart", "sbert-sts")],
    ids=["with others like it", "with what it starts from"],
)
def test_a_run_trained_in_one_job_with_others_is_the_run_trained_alone(workspace, paper, run):
    target = f"results/tiny/runs/{paper}/{run}/seed-1/predictions"
    before = contents(workspace.path / target)
    workspace.train_one_by_one()
    output = workspace.snakemake("--forcerun", f"train_{paper}_{run.replace('-', '_')}", "--", target)
    assert f"training {paper} {run} (seed 1)" in output and contents(workspace.path / target) == before
