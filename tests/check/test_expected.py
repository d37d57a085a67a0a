"""Key scores: a score out of range fails, a missing one is an error."""

import subprocess
import sys
from dataclasses import replace

import pytest

from claimed import judgement
from configuration import project
from measured import EMPTY, NUMBER
from semblance.config.files import read_yaml
from semblance.errors import UserError
from semblance.evaluation import expected as ranges
from semblance.evaluation.expected import Expected
from semblance.files import write_json
from semblance.results import Results
from semblance.specs.typed import typed

RUN = {**vars(judgement("yes")), "paper": "stl", "run": "bert-qqp", "value": 0.9, "recipe": "r"}
RUN.pop("made_by")
TABLE = {"paper": "stl", "name": "table2", "caption": "c", "source": "s"}
STL = {"title": "A title", "authors": ""}
QQP = {"title": "QQP", "source": "files", "recipe": "r", "rows": {"train": 9}, "read": {"train": 9}}
CONTENT = EMPTY | {
    "runs": [RUN, {**RUN, "value": 0.8, "learned": "no"}],
    "papers": {"stl": STL},
    "datasets": {"qqp": QQP},
}
CONTENT |= {"tables": [{**TABLE, "numbers": [{**NUMBER, "row": "TF-IDF", "value": 0.5}]}]}
CONTENT |= {"settings": {**EMPTY["settings"], "data_source": "files"}}
RESULTS = typed(Results, CONTENT)


def checks(expected, found):
    return ranges.checks(typed(Expected, expected), found)


def test_a_run_counts_as_the_mean_of_its_seeds_and_a_cell_as_it_is():
    expected = {
        "runs": {"stl/bert-qqp": {"value": 0.86, "within": 0.02}},
        "cells": {"stl/table2": {"TF-IDF | Acc.": {"value": 0.6, "within": 0.05}}},
        "learned": {"stl": 0.9, "minilm": 0.9},
    }
    assert ranges.Check("at its end", 0.8, 0.7 - 0.1, 0.7 + 0.1).holds  # 0.7999999999999999
    run, cell, learned = checks(expected, RESULTS)
    assert run.holds and run.value == pytest.approx(0.85)
    assert not cell.holds and str(cell) == "FAIL  stl/table2: TF-IDF | Acc.: 0.5, expected 0.550 to 0.650"
    assert not learned.holds and learned.value == 0.5


@pytest.mark.parametrize(
    "expected",
    [
        {"runs": {"stl/bert": {"value": 1, "within": 0}}},
        {"cells": {"stl/table2": {"BERT | Acc.": {"value": 1, "within": 0}}}},
    ],
)
def test_a_score_that_is_not_there_is_said(expected):
    with pytest.raises(UserError, match=r"the results have no (run stl/bert|cell 'BERT \| Acc\.')"):
        checks(expected, RESULTS)


def test_a_gpu_can_have_a_value_of_its_own():
    expected = {"runs": {"stl/bert-qqp": {"value": 0.85, "within": 0.02, "on_gpu": 0.9}}}
    [on_cpu] = checks(expected, RESULTS)
    assert (on_cpu.low, on_cpu.high) == pytest.approx((0.83, 0.87))
    for devices in (("NVIDIA H200",), ("NVIDIA H200", "cpu")):  # what is fitted in one call runs on a CPU anyway
        [on_gpu] = checks(expected, replace(RESULTS, training=replace(RESULTS.training, device=devices)))
        assert (on_gpu.low, on_gpu.high) == pytest.approx((0.88, 0.92))


def test_only_a_run_that_clearly_gained_has_learned():
    runs = [{**RUN, "learned": learned} for learned in ("yes", "not clear", "no", "yes")]
    [found] = checks({"learned": {"stl": 0.75}}, typed(Results, {**CONTENT, "runs": runs}))
    assert found.value == 0.5 and not found.holds


def test_an_undefined_score_fails():
    undefined = typed(Results, {**CONTENT, "runs": [{**RUN, "value": None}]})
    [found] = checks({"runs": {"stl/bert-qqp": {"value": 0.5, "within": 1}}}, undefined)
    assert not found.holds and "undefined" in str(found)


def test_results_made_otherwise_and_of_other_papers_are_not_compared():
    with pytest.raises(UserError, match="expected with data_source=hub; these are with files"):
        checks({"made_with": {"data_source": "hub"}}, RESULTS)
    with pytest.raises(UserError, match="none of the papers minilm"):
        checks({"runs": {"minilm/minilm": {"value": 1, "within": 0}}}, RESULTS)


def test_a_corpus_of_another_size_is_named():
    assert not list(ranges.other_rows(typed(Expected, {"rows_read": {"qqp/train": 9, "mrpc/train": 4}}), RESULTS))
    assert list(ranges.other_rows(typed(Expected, {"rows_read": {"qqp/train": 10}}), RESULTS)) == [
        ("qqp/train", (9, 10))
    ]
    assert list(ranges.other_rows(typed(Expected, {"rows_read": {"qqp/train": 8}}), RESULTS)) == [("qqp/train", (9, 8))]


def verified(root, folder, *arguments):
    command = [sys.executable, str(root / "workflow/scripts/verify.py"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_the_command_says_what_differs_and_exits_with_1(root, tmp_path):
    done = verified(root, tmp_path, "demo")
    assert done.returncode == 1 and "results/demo/results.json is not there: run the preset first" in done.stdout
    expected = read_yaml(root / "tests/expected/demo.yaml")
    runs = [
        {**RUN, "paper": name.split("/")[0], "run": name.split("/")[1], "value": said["value"]}
        for name, said in expected["runs"].items()
    ]
    tables = [
        {
            **TABLE,
            "paper": table.split("/")[0],
            "name": table.split("/")[1],
            "numbers": [
                {**NUMBER, "row": cell.split(" | ")[0], "column": cell.split(" | ")[1], "value": said["value"]}
                for cell, said in cells.items()
            ],
        }
        for table, cells in expected["cells"].items()
    ]
    papers = dict.fromkeys(["stl", "minilm", "sn3d", "smart", "metric"], STL)
    made = EMPTY | {"papers": papers, "runs": runs, "tables": tables}
    (tmp_path / "results/demo").mkdir(parents=True)
    write_json(tmp_path / "results/demo/results.json", made)
    done = verified(root, tmp_path, "demo")
    assert done.returncode == 0 and "commit abc, data generated, seeds [1]" in done.stdout
    runs[0]["value"] = 0.5
    write_json(tmp_path / "results/demo/results.json", made)
    done = verified(root, tmp_path, "demo")
    assert done.returncode == 1 and done.stdout.count("FAIL") == 1 and "The others are not" in done.stdout
    runs[0]["value"], made["papers"] = expected["runs"]["stl/bert-qqp"]["value"], {"stl": STL}
    write_json(tmp_path / "results/demo/results.json", made)
    done = verified(root, tmp_path, "demo")
    assert done.returncode == 0 and "these papers were not run: metric, minilm, smart, sn3d" in done.stdout


@pytest.mark.parametrize("preset", ["demo", "evening", "transfer", "forgetting", "longer"])
def test_every_expected_score_is_of_a_run_or_a_cell(root, preset):
    expected = read_yaml(root / f"tests/expected/{preset}.yaml")
    assert typed(Expected, expected).papers
    papers = project(root, preset=preset).papers
    for name in expected["runs"]:
        paper, run = name.split("/")
        assert run in papers[paper].runs
    for name, cells in expected["cells"].items():
        paper, table = name.split("/")
        for row, column in (cell.split(" | ") for cell in cells):
            assert column in papers[paper].tables[table].cells[row]
