"""The tiny preset from end to end: all declared outputs exist and are up to date."""

import csv
import html
import json
import re
from dataclasses import replace

import jsonschema
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from browser import accessibility_problems, needs_chromium
from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.evaluation import predictions, watched
from semblance.files import sha256
from semblance.specs.facts import DatasetFacts, EncoderFacts, RunFacts, SplitFacts, StageFacts
from semblance.specs.regularizers import Regularizers

PAPERS = ("stl", "minilm", "sn3d", "smart", "metric")
# Unlabelled test splits, which the generator does not make.
EMPTY = {
    "stl-table1": [("QQP (binary)", "Test")],
    "stl-corpora": [(f"STS-B, {genre}", "Measured") for genre in ("news", "captions", "forums")],
    "smart-table1-2": [
        ("Stanford Sentiment Treebank (SST)", "Test"),
        ("Quora Question Pairs", "Test"),
        ("SemEval STS Benchmark", "Test"),
    ],
}


def test_every_table_figure_list_and_the_report_are_there(finished, root):
    results = finished.path / "results/tiny"
    project = load(root, read_yaml(root / "config/config.yaml"))
    for paper in project.papers.values():
        for table in paper.tables:
            for kind in ("md", "csv", "tex", "json"):
                assert (results / f"tables/{paper.name}-{table}.{kind}").stat().st_size > 0
        for figure in paper.figures:
            drawn = html.unescape((results / f"figures/{paper.name}-{figure}.svg").read_text())
            spec = paper.figures[figure]
            assert all(run in drawn for run in spec.runs), figure
            if spec.kind == "table-heatmap":
                assert all(row in drawn for row in paper.tables[spec.table].rows), figure
        for listed in paper.lists:
            assert (results / f"lists/{paper.name}-{listed}.md").stat().st_size > 0
        judged = json.loads((results / f"claims/{paper.name}.json").read_text())["claims"] if paper.claims else []
        assert [claim["claim"] for claim in judged] == list(paper.claims)
    report = (results / "report.html").read_text()
    assert report.count("data:image/svg+xml") == 1 + sum(len(paper.figures) for paper in project.papers.values())
    assert all(paper.title in report for paper in project.papers.values()) and "Tiny: for the tests." in report
    assert not any(fetching in report for fetching in ('src="http', "<link", "@import", "url("))
    assert len(report.encode()) < 5_000_000


@needs_chromium
def test_the_whole_report_passes_an_accessibility_check(finished, tmp_path):
    """In the dark colour scheme, whose contrasts are harder; test_report.py checks a small report in both."""
    assert accessibility_problems(finished.path / "results/tiny/report.html", tmp_path, dark=True) == []


def test_every_cell_has_a_number_with_its_interval_and_the_published_one(finished):
    rows = list(csv.DictReader((finished.path / "results/tiny/tables/stl-table2.csv").open()))
    assert len(rows) == 19 * 8
    cell = next(r for r in rows if r["row"] == "BERT (QQP→STS-B)" and r["column"] == "QQP Acc. (acc.)")
    assert cell["published"] == "0.922" and float(cell["low"]) <= float(cell["value"]) <= float(cell["high"])
    assert all(r["value"] or r["undefined"] == "True" for r in rows)


def test_the_recipes_give_the_steps_that_each_run_took(finished):
    """But for triplets, whose number is an estimate, and stages that end early."""
    recipes = read_yaml(finished.path / "results/tiny/recipes.yaml")
    compared = 0
    for facts in (finished.path / "results/tiny/runs").glob("*/*/seed-1/training/*/facts.json"):
        paper = facts.parts[-6]
        stages = [stage["settings"] for stage in recipes[paper][facts.parts[-2]]["stages"]]
        for stage, done in zip(stages, json.loads(facts.read_text()).get("stages", []), strict=True):
            precision = stage.get("precision", {}).get("value")
            assert precision in (None, done["precision"])
            if "examples" not in stage and not stage.get("select", {"value": {}})["value"].get("patience"):
                assert stage["steps"]["value"] == done["steps"], facts
                compared += 1
    assert compared > 50


def test_every_file_has_the_columns_that_are_documented(finished, root):
    documented = {}
    for part in (root / "docs/files.md").read_text().split("\n## ")[1:]:
        rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
        documented[part.splitlines()[0]] = {name for row in rows for name in re.findall("`(.*?)`", row)}
    results = finished.path / "results/tiny"
    for section, file in {
        "Tables": results / "tables/stl-table2.csv",
        "Claims": results / "claims/stl.csv",
        "Audit": results / "audit.csv",
        "Training curves": next(results.glob("runs/stl/*/seed-1/training/*/curve.csv")),
    }.items():
        assert {*pd.read_csv(file).columns} == documented[section], section
    read = [set(pq.read_schema(file).names) for file in results.glob("runs/*/*/seed-1/predictions/*/*.parquet")]
    assert set().union(*read) == documented["Predictions"]
    assert {*pq.read_schema(results / "data/qqp/dev.parquet").names} == documented["Datasets"]


def test_the_results_for_machines_are_what_their_schema_says_and_hold_every_number(finished, root):
    results = json.loads((finished.path / "results/tiny/results.json").read_text())
    jsonschema.validate(results, read_yaml(root / "config/schema/results.yaml"))
    project = load(root, read_yaml(root / "config/config.yaml"))
    expected = {
        (paper.name, name): len(table.rows) * len(table.columns)
        for paper in project.papers.values()
        for name, table in paper.tables.items()
    }
    assert {(table["paper"], table["name"]): len(table["numbers"]) for table in results["tables"]} == expected
    assert results["recipes"].keys() == {f"{paper}/{run}" for paper, run, _ in project.runs()}
    rendered = [finished.path / "results/tiny" / name for name in results["checksums"]]
    assert [sha256(file) for file in rendered] == list(results["checksums"].values())
    drawn = {file.name for file in (finished.path / "results/tiny/figures").glob("*.svg")}
    assert drawn == {file.name for file in rendered if file.suffix == ".svg"}
    assert results["datasets"]["qqp"]["read"]["train"] == 300
    assert {number["verdict"] for table in results["tables"] for number in table["numbers"]} <= {
        None,
        "not run",
        "not comparable: other data",
        "not comparable: another machine",
        "not comparable: another model",
    }
    assert {(claim["paper"], claim["claim"]) for claim in results["claims"]} == {
        (paper.name, claim) for paper in project.papers.values() for claim in paper.claims
    }
    means = [(found["source"], found["row"]) for found in results["audit"]["failed"] if found["check"] == "mean"]
    assert means == [
        ("Table 1", "ColBERT"),
        ("Table 1", "AFE; SA; Max&Avg"),
        ("Table 1", "AFE; SA, FA-1; Max&Avg"),
        ("Table 1", "AFE; SA, FA-2; Max&Avg"),
        ("Table 1", "AFE; SA, FA-3; Max&Avg"),
    ]


def test_minilms_table_3_has_both_protocols_and_what_they_cost(finished):
    table = json.loads((finished.path / "results/tiny/tables/minilm-table3.json").read_text())
    for row in table["rows"]:
        cells = dict(zip(table["columns"], row["cells"], strict=True))
        leaks = [cells[title]["threshold_tuned_on_scored_rows"] for title in ("F1 (dev)", "F1 (clean)")]
        assert leaks == [True, False]
        assert (cells["F1 (dev)"]["examples"], cells["F1 (clean)"]["examples"]) == (60, 30)
        assert 0.3 <= cells["F1 (clean)"]["thresholds"][0] <= 0.8
        assert all(cells[cost]["value"] > 0 and cells[cost]["timed"] for cost in ("Training (min)", "Pairs/s"))
        assert 0.1 < cells["Peak memory (GiB)"]["value"] < 4
    text = (finished.path / "results/tiny/tables/minilm-table3.md").read_text()
    assert "pre-trained on Quora's duplicate questions" in text and "† Optimistic: the threshold" in text


def test_no_number_is_missing_anywhere(finished):
    """Undefined numbers count as numbers; only cells that were not measured are missing."""
    for path in sorted((finished.path / "results/tiny/tables").glob("*.csv")):
        empty = [row for row in csv.DictReader(path.open()) if not row["value"] and row["undefined"] == "False"]
        assert [(row["row"], row["column"]) for row in empty] == EMPTY.get(path.stem, []), path.name


def test_table_1_counts_what_was_read(finished):
    table = json.loads((finished.path / "results/tiny/tables/stl-table1.json").read_text())
    assert [c["value"] for c in table["rows"][0]["cells"]] == [300, 80, None, 380]
    assert [c["value"] for c in table["rows"][1]["cells"]] == [200, 50, 60, 310]


def test_results_compared_with_themselves_do_not_differ(finished):
    output = finished.snakemake("compare", config="preset=tiny first=results/tiny second=results/tiny/results.json")
    assert re.search(r"0 of \d{2,} numbers are not equal; 0 differ .*another verdict: 0\.", output, re.DOTALL)
    assert "Only in" not in output


def test_snakemakes_own_report_has_every_result_under_its_paper(finished, tmp_path):
    finished.snakemake("--report", str(tmp_path / "report.html"))
    text = (tmp_path / "report.html").read_text()
    assert all(name in text for name in ("stl-table2.csv", "sn3d-figure5.svg", "minilm-errors.csv", "smart.csv"))
    assert "Performance comparison across different models" in text and "Replications of five papers" in text


def test_the_leaderboard_has_every_member_on_every_ground_and_names_the_front(finished):
    tables = finished.path / "results/tiny/tables"
    board = json.loads((tables / "leaderboard-board.json").read_text())
    assert len(board["rows"]) == 35 and {row["name"].partition(":")[0] for row in board["rows"]} == set(PAPERS)
    cost = board["columns"].index("ms a pair")
    assert all(row["cells"][cost]["value"] > 0 and row["cells"][cost + 1]["value"] >= 0 for row in board["rows"])
    examples = {name: cell["examples"] for name, cell in zip(board["columns"], board["rows"][0]["cells"])}
    assert (examples["STS-B Pearson"], examples["MRPC Acc."], examples["Stress, 20 pairs"]) == (60, 60, 20)
    drawn = (finished.path / "results/tiny/figures/leaderboard-pareto.svg").read_text()
    assert any(row["name"].partition(": ")[2] in drawn for row in board["rows"])
    assert "cross-encoders are more robust" in (finished.path / "results/tiny/report.html").read_text()


def test_asking_again_runs_nothing(finished):
    assert finished.planned() == {}


def test_a_finished_run_opens_with_sentence_transformers_and_gives_the_recorded_scores(finished):
    from sentence_transformers import CrossEncoder, SentenceTransformer, util

    from semblance.data import rows

    pairs = rows.read(finished.path / "results/tiny/data/stsb/test.parquet")
    recorded = predictions.read(finished.folder("predictions", "stl/bert-qqp-stsb") / "stsb-test.parquet")
    model = CrossEncoder(str(finished.folder("training", "stl/bert-qqp-stsb") / "model"), device="cpu")
    scores = model.predict(list(zip(pairs.sentence1, pairs.sentence2)))
    np.testing.assert_allclose(recorded.score, scores, atol=1e-5)
    recorded = predictions.read(finished.folder("predictions", "stl/sbert-stsb") / "stsb-test.parquet")
    model = SentenceTransformer(str(finished.folder("training", "stl/sbert-stsb") / "model"), device="cpu")
    cosines = util.pairwise_cos_sim(model.encode(pairs.sentence1), model.encode(pairs.sentence2))
    np.testing.assert_allclose(recorded.score, cosines.numpy(), atol=1e-5)


def test_chained_runs_start_from_the_other_runs_weights(finished):
    facts = json.loads((finished.folder("training", "stl/bert-qqp-stsb") / "facts.json").read_text())
    assert facts["spec"]["start_from"] == "bert-qqp" and facts["spec"]["model"]["new_head"]
    assert [stage["stage"] for stage in facts["stages"]] == ["1. stsb"]


def test_evaluations_during_training_are_of_the_configured_split_and_steps(finished):
    folder = finished.folder("training", "minilm/minilm") / "watched"
    evaluations = watched.read(folder / "qqp-tenth-validation.parquet")
    assert [one.step for one in evaluations] == list(range(1, 22)) and len(evaluations[0].predictions) == 60
    assert not list((finished.folder("training", "minilm/minilm-linear") / "watched").glob("*.parquet"))


def test_predictions_that_select_an_epoch_are_kept_and_score_each_half_by_the_other(finished):
    [folder] = finished.folder("training", "smart/sts-alone").glob("selecting")
    found = watched.read(folder / "sts-cs224n-dev.parquet")
    facts = json.loads((folder.parent / "facts.json").read_text())["stages"][0]
    [selected] = [one for one in found if one.epoch == facts["selected_epoch"]]
    assert found[0].step == 0 and found[-1].step == facts["steps"]
    kept = predictions.read(finished.folder("predictions", "smart/sts-alone") / "sts-cs224n-dev.parquet")
    np.testing.assert_array_equal(selected.predictions.score, kept.score)
    table = (finished.path / "results/tiny/tables/smart-table4-2.md").read_text()
    assert "Value, clean" in table and "Clean: each half of the rows that select" in table


def test_sn3ds_table_1_finds_the_five_averages_that_cannot_be_right(finished):
    table = json.loads((finished.path / "results/tiny/tables/sn3d-table1.json").read_text())
    average = table["columns"].index("Avg")
    wrong = {row["name"]: row["cells"][average]["contradicted"] for row in table["rows"]}
    assert {name: found["gives"] for name, found in wrong.items() if found} == {
        "ColBERT": pytest.approx(80.7225),
        "AFE; SA; Max&Avg": pytest.approx(82.9825),
        "AFE; SA, FA-1; Max&Avg": pytest.approx(83.175),
        "AFE; SA, FA-2; Max&Avg": pytest.approx(83.1925),
        "AFE; SA, FA-3; Max&Avg": pytest.approx(83.1825),
    }
    parameters = [row["cells"][-1]["value"] for row in table["rows"]]
    assert parameters[0] == pytest.approx(parameters[5], rel=0.05) and parameters[-1] > 0


def test_every_trained_run_says_whether_it_learned(finished):
    """On its own task, compared with its start and the majority; the tiny preset trains most runs too little."""
    results = finished.path / "results/tiny"
    runs = json.loads((results / "results.json").read_text())["runs"]
    trained = [path.parent for path in results.glob("runs/*/*/*/training/*/learning/start.parquet")]
    assert len(runs) == len(trained) > 150
    assert {run["learned"] for run in runs} >= {"no", "not clear"}
    named = {(run["paper"], run["run"]): run for run in runs}
    first = named["stl", "bert-qqp"]
    assert (first["on"], first["metric"], first["majority"]) == ("qqp/validation", "roc-auc", 0.5)
    classes = named["smart", "sst-full"]
    assert (classes["on"], classes["metric"], classes["majority"]) == ("sst/dev", "class-roc-auc", 0.5)
    assert (
        named["smart", "simcse-triplet"]["on"] == "sts-cs224n/dev" and named["smart", "smart-rounds"]["on"] == "sst/dev"
    )
    claims = json.loads((results / "results.json").read_text())["claims"]
    for claim in claims:
        assert (claim["verdict"] == "inconclusive: not trained enough") == bool(claim["not_trained"])


def test_every_run_records_the_facts_that_are_declared(finished):
    files = finished.path.glob("results/tiny/runs/*/*/*/training/*/facts.json")
    runs = [json.loads(path.read_text()) for path in files]
    stages = [stage for facts in runs for stage in facts["stages"]]
    rare = {"batch_in_pieces", "diverged_after_step"}  # not with these models
    for declared, recorded, others in ((RunFacts, runs, {"spec", "seed", "made_by"}), (StageFacts, stages, set())):
        assert len(recorded) > 150
        assert declared.__required_keys__ <= set.intersection(*map(set, recorded))
        seen, known = set().union(*recorded) - others, declared.__annotations__.keys()
        assert known - rare <= seen <= known


def test_datasets_and_encoders_record_facts_that_are_declared(finished):
    def recorded(where):
        return [json.loads(path.read_text()) for path in finished.path.glob(f"results/tiny/{where}/*/facts.json")]

    datasets, encoders = recorded("data"), recorded("encoders")
    splits = [split for facts in datasets for split in facts["splits"].values()]
    of_stage = set(StageFacts.__annotations__)
    for declared, found, others in (
        (DatasetFacts, datasets, set()),
        (SplitFacts, splits, set()),
        (EncoderFacts, encoders, of_stage),
    ):
        assert len(found) > 4
        assert declared.__required_keys__ <= set.intersection(*map(set, found))
        assert set().union(*found) - others <= declared.__annotations__.keys()


def test_the_suites_facts_have_what_overlap_tells(finished):
    facts = json.loads((finished.path / "results/tiny/data/stress-extended/facts.json").read_text())
    assert 0.3 < facts["splits"]["test"]["overlap_auc"] < 0.7  # of 128 pairs


def test_networks_of_one_corpus_were_trained_in_one_job(finished):
    runs = [finished.folder("training", f"sn3d/{run}") for run in ("sbert-mrpc", "printed-mrpc")]
    facts = [json.loads((run / "facts.json").read_text()) for run in runs]
    assert [one["trained_together"] for one in facts] == [57, 57] and facts[0]["seconds"] == facts[1]["seconds"]
    assert sorted(path.name for path in (runs[1] / "model").glob("[!.]*")) == ["network.safetensors"]


def test_smarts_terms_are_on_the_curve_and_its_runs_in_32_bit_floats(finished):
    run = finished.folder("training", "smart/smart-sst")
    facts = json.loads((run / "facts.json").read_text())
    series = {row["series"] for row in csv.DictReader((run / "curve.csv").open())}
    assert (
        facts["precision"] == facts["stages"][0]["precision"] == "fp32" and facts["spec"]["start_from"] == "smart-sts"
    )
    terms = {"smart penalty", "smart smoothness", "smart proximity"}
    assert series == {"loss", *terms, "dev class-accuracy", "train class-accuracy"}
    assert set(facts["stages"][0]["means"]) == {"loss", *terms}


def test_matched_runs_differ_in_nothing_but_smart(finished):
    project = finished.project()
    for stage in ("quora", "sts", "sst", "rounds"):
        plain, *others = (
            project.run("smart", f"matched-{smart}-{stage}")
            for smart in ("plain", "printed", "listed", "reference", "smoothness", "proximity")
            if f"matched-{smart}-{stage}" in project.papers["smart"].runs
        )
        assert others and not any(one.regularizer.smart for one in plain.stages)
        for other in others:
            stages = tuple(replace(one, regularizer=Regularizers()) for one in other.stages)
            assert replace(other, stages=stages, start_from=plain.start_from) == plain
            assert all(one.regularizer.smart for one in other.stages)
        assert all(on.endswith("/selection") for on in plain.chosen_by())  # rows that no claim scores
        facts = json.loads((finished.folder("training", f"smart/matched-plain-{stage}") / "facts.json").read_text())
        assert {one["precision"] for one in facts["stages"]} == {"fp32"}


def test_the_first_round_is_scored_after_each_of_its_stages(finished):
    tables = finished.path / "results/tiny/tables"
    rows = {row["name"]: row["cells"] for row in json.loads((tables / "smart-matched-rounds.json").read_text())["rows"]}
    facts = json.loads((finished.folder("training", "smart/matched-plain-rounds") / "facts.json").read_text())
    after = [rows[f"Without SMART, then {task}"] for task in ("STS", "SST", "3% of QQP")]
    chosen = [stage["stage"] for stage in facts["stages"]].index(facts["selected_stage"])
    values = [[cell["value"] for cell in row] for row in after]
    assert values[chosen] == [cell["value"] for cell in rows["Without SMART, best of the rounds"]]
    assert not any(cell["selected_on_scored_rows"] for row in rows.values() for cell in row)


def test_the_rounds_keep_their_best_stage_and_the_table_says_what_chose_it(finished):
    facts = json.loads((finished.folder("training", "smart/smart-rounds") / "facts.json").read_text())
    overall = {stage["stage"]: stage["after"]["overall"] for stage in facts["stages"]}
    assert list(overall) == ["1. sts-cs224n", "2. sst", "3. quora-cs224n"]
    assert overall[facts["selected_stage"]] == max(overall.values())
    table = json.loads((finished.path / "results/tiny/tables/smart-table4-10.json").read_text())
    cells = {row["name"]: row["cells"][0] for row in table["rows"]}
    assert cells["Overall performance"]["value"] == pytest.approx(max(overall.values()))
    assert all(cell["selected_on_scored_rows"] for cell in cells.values())
    assert not any(cell["contradicted"] for cell in cells.values())  # the thesis's own means are right


def test_what_a_sequence_forgets_is_the_difference_of_its_stages(finished):
    tables = finished.path / "results/tiny/tables"
    after, lost = (
        json.loads((tables / f"smart-{name}.json").read_text()) for name in ("forgetting-sbert", "backward-transfer")
    )
    stages = {row["name"]: [cell["value"] for cell in row["cells"]] for row in after["rows"]}
    qqp, sts, mean = (cell["value"] for cell in lost["rows"][0]["cells"])
    assert qqp == pytest.approx(stages["After SST"][0] - stages["After QQP"][0])
    assert sts == pytest.approx(stages["After SST"][1] - stages["After STS"][1]) and mean == pytest.approx(
        (qqp + sts) / 2
    )
