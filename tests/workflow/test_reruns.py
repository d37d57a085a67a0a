"""Reruns of single jobs of the tiny preset, and a user's own models."""

import json
import re

import numpy as np
import pytest

from semblance.evaluation import predictions


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


def test_models_and_pairs_of_ones_own_are_scored_and_reported_by_one_command(workspace):
    """Two models that were trained here get their recorded scores as a user's own models."""
    mine, judge = (workspace.folder("training", f"stl/{run}") / "model" for run in ("sbert-stsb", "bert-qqp-stsb"))
    (workspace.path / "tickets.csv").write_text(
        "q,a,same\n" + "".join(f"How is number {n}?,How is number {n + n % 2}?,{1 - n % 2}\n" for n in range(30))
    )
    (workspace.path / "mine.yaml").write_text(f"""
papers: [own]
own:
  models:
    mine: {{path: {mine}}}
    judge: {{path: {judge}, kind: cross-encoder}}
  pairs:
    tickets: {{file: tickets.csv, sentence1: q, sentence2: a, label: same}}
""")
    workspace.snakemake("--configfile", "mine.yaml")
    for own, theirs in (("own/mine", "stl/sbert-stsb"), ("own/judge", "stl/bert-qqp-stsb")):
        found, recorded = (
            predictions.read(workspace.folder("predictions", run) / "stsb-test.parquet") for run in (own, theirs)
        )
        np.testing.assert_allclose(found.score, recorded.score, atol=1e-5)
    table = json.loads((workspace.path / "results/tiny/tables/own-tickets.json").read_text())
    assert [row["name"] for row in table["rows"]] == ["mine", "judge"]
    assert table["rows"][0]["cells"][0]["examples"] == 15  # the other half tuned the threshold
    report = (workspace.path / "results/tiny/report.html").read_text()
    assert "Your pairs, tickets" in report and 'id="claims"' not in report
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
    predictions = workspace.folder("predictions", "stl/tfidf")
    before = contents(predictions)
    (predictions / "qqp-dev.parquet").write_bytes(b"torn")
    target = str(predictions.parent.relative_to(workspace.path))
    workspace.snakemake("--forcerun", target, "--", target)
    assert contents(predictions) == before


def test_training_again_gives_the_same_predictions_bit_for_bit(workspace):
    predictions = workspace.folder("predictions", "stl/bert-qqp-stsb")
    before = contents(predictions)
    job = predictions.parents[1].relative_to(workspace.path)
    output = workspace.snakemake("--forcerun", f"{job}/training", "--", f"{job}/predictions")
    assert re.search(r"training stl/\S+ \(seed 1\)", output)
    assert contents(predictions) == before


@pytest.mark.parametrize(
    ("paper", "run"),
    [("minilm", "cls-rate-5e-5"), ("smart", "sbert-sts")],
    ids=["with others like it", "with what it starts from"],
)
def test_a_run_trained_in_one_job_with_others_is_the_run_trained_alone(workspace, paper, run):
    before, job = contents(workspace.folder("predictions", f"{paper}/{run}")), f"results/tiny/runs/{paper}/{run}/seed-1"
    workspace.train_one_by_one()
    output = workspace.snakemake("--forcerun", f"{job}/training", "--", f"{job}/predictions")
    assert f"training {paper}/{run} (seed 1)" in output
    assert contents(workspace.path / job / "predictions" / run) == before
