"""Verdicts on published numbers, by interval and rounding; none on numbers that are not comparable."""

import math
from dataclasses import replace

import pytest

from configuration import project
from measured import make_cell
from semblance.config import comparable, tables
from semblance.evaluation.cells import Number
from semblance.evaluation.verdicts import verdict, with_directions


def number(value, low=None, high=None):
    return Number(value, low, high, 100, [value])


@pytest.mark.parametrize(
    ("published", "says"),
    [
        (0.810, "reproduced"),
        (0.780, "reproduced"),  # the end of the interval
        (0.7796, "reproduced"),  # printed as 0.780
        (0.775, "near"),
        (0.761, "near"),
        (0.755, "differs"),
        (0.840, "near"),
        (0.870, "differs"),
        (None, None),
    ],
)
def test_a_number_with_an_interval(published, says):
    assert verdict(number(0.8, 0.78, 0.82), published, 3, None) == says


def test_a_count_is_reproduced_when_it_is_the_same():
    assert verdict(number(1379.0), 1379, 0, None) == "reproduced"
    assert verdict(number(1378.0), 1379, 0, None) == "differs"
    assert verdict(number(None), 1379, 0, None) == "not run"


def test_a_number_that_differs_has_its_direction_if_it_is_above_and_below_the_same_ones():
    def directed(*cells):
        column = [make_cell(value=ours, published=printed, verdict=said) for ours, printed, said in cells]
        return [one.verdict for one in with_directions(column)]

    in_order = (0.5, 0.9, "differs"), (0.4, 0.8, "differs"), (0.45, 0.85, "near"), (0.1, None, None)
    assert directed(*in_order) == ["direction only", "direction only", "near", None]
    turned = (0.5, 0.8, "differs"), (0.4, 0.9, "differs"), (0.3, 0.7, "reproduced")
    assert directed(*turned) == ["differs", "differs", "reproduced"]
    # A single number, or equal published numbers, have no direction.
    assert directed((0.5, 0.9, "differs")) == ["differs"]
    assert directed((0.5, 0.9, "differs"), (0.4, 0.9, "differs")) == ["differs", "differs"]
    # Numbers that are not comparable do not count.
    for ours in (0.4, 0.6):
        aside = (0.5, 0.9, "differs"), (ours, 0.8, "not comparable: other data")
        assert directed(*aside) == ["differs", "not comparable: other data"]


def test_what_is_not_comparable_is_never_reproduced_and_what_is_undefined_says_so():
    assert verdict(number(0.8, 0.7, 0.9), 0.8, 3, "another encoder") == "not comparable: another encoder"
    assert verdict(number(math.nan, math.nan, math.nan), 0.8, 3, None) == "undefined"


def reasons(project, paper, table):
    return comparable.of_table(project, paper, project.papers[paper].tables[table])


def test_the_demo_never_compares(root):
    demo = project(root)
    for paper in demo.papers.values():
        for table in paper.tables:
            for row in reasons(demo, paper.name, table).values():
                assert all(row.values()), (paper.name, table)


def test_a_laptop_says_what_is_another(root):
    laptop = project(root, preset="laptop", data_source="files", data_folder="/corpora")
    table = reasons(laptop, "stl", "table2")
    assert table["BERT (Pre-trained)"]["STS-B Pearson"] == "another encoder"
    assert table["SBERT (Pre-trained)"]["STS-B Pearson"] == "another recipe"  # its own weights, shorter texts
    assert table["Lexical (TF-IDF)"]["STS-B Pearson"] == "less data"
    assert set(reasons(laptop, "stl", "table1")["STS-B (0–5)"].values()) == {None}
    assert set(reasons(laptop, "stl", "table3")["Lexical (TF-IDF)"].values()) == {"other data"}
    assert reasons(laptop, "smart", "table4-10")["Overall performance"]["Score"] == "another encoder"
    assert reasons(laptop, "smart", "cost")["QQP, one epoch, plain"]["Training minutes"] == "another machine"


def test_the_papers_own_preset_compares_all_but_what_nobody_has(root):
    paper = project(root, preset="paper")
    assert set(reasons(paper, "stl", "table2")["BERT (QQP→STS-B)"].values()) == {None}
    assert reasons(paper, "sn3d", "table1")["BERT (interaction-based)"]["QQP"] == "another recipe"  # it `departs`
    assert reasons(paper, "sn3d", "table1")["ColBERT"]["QQP"] is None
    assert reasons(paper, "minilm", "variants")["mean (as the library)"]["AUC at step 100"] == "another recipe"
    assert set(reasons(paper, "smart", "table4-13")["Overall performance"].values()) == {None}
    assert set(reasons(paper, "smart", "table4-14")["Overall performance"].values()) == {"another model"}
    assert set(reasons(paper, "stl", "table3")["SBERT-STS-B"].values()) == {
        "other data"
    }  # its 32 pairs are not published


def test_a_run_is_trained_by_another_recipe_if_one_that_it_starts_from_is(root):
    loaded = project(root, preset="paper")
    stl = loaded.papers["stl"]
    origins = {**stl.origins, "bert-qqp": replace(stl.origins["bert-qqp"], is_altered=True)}
    altered = replace(loaded, papers={**loaded.papers, "stl": replace(stl, origins=origins)})
    assert set(reasons(altered, "stl", "table2")["BERT (QQP→STS-B)"].values()) == {"another recipe"}
    assert set(reasons(altered, "stl", "table2")["BERT (STS-B)"].values()) == {None}


def test_a_threshold_that_is_tuned_on_other_data_makes_another_score(root):
    cell = {"run": "bert-qqp", "on": "qqp/validation", "metric": "f1", "threshold": 0.5}
    tuned = {**cell, "threshold": {"tune_on": "stress/dev", "maximise": "f1"}}
    found = [comparable.of_cell(project(root, preset="paper"), "stl", tables.cell(keys)) for keys in (cell, tuned)]
    assert found == [None, "other data"]


def test_a_difference_is_comparable_only_if_both_scores_are(root):
    cell = {"run": "colbert-qqp", "on": "qqp/validation", "metric": "accuracy", "threshold": 0.5}
    minus = {**cell, "minus": {"run": "bert-qqp"}}  # which departs from the paper
    found = [comparable.of_cell(project(root, preset="paper"), "sn3d", tables.cell(keys)) for keys in (cell, minus)]
    assert found == [None, "another recipe"]
