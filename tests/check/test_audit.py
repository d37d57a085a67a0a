"""The audit of printed numbers: means, F1 scores and shares, each within its rounding."""

import csv
from types import SimpleNamespace

import pytest

from semblance.config import tables
from semblance.config.files import read_yaml
from semblance.evaluation.audit import audited, checks
from semblance.paths import ROOT
from semblance.reporting import audit
from texts import squeezed

CELL = {"run": "a", "on": "set/a", "threshold": 0.5}


def table(columns, printed, **cell):
    rows = {"row": {}}
    keys = {"source": "Table 1", "cell": {**CELL, **cell}, "rows": rows, "columns": columns}
    return tables.table({"caption": "c", **keys, "published": {"row": printed}}, "here")


@pytest.mark.parametrize(
    ("printed", "digits", "right"),
    [
        # 2·0.8522·0.8056 / (0.8522 + 0.8056) = 0.828247…
        (0.8282, 4, True),
        (0.8283, 4, True),  # 0.85225 and 0.80565 round to the same numbers and give 0.82830
        (0.8285, 4, False),
        (0.7155, 4, False),  # what minilm prints in Table 2
        (0.83, 2, True),
    ],
)
def test_an_f1_is_that_of_the_precision_and_recall_beside_it(printed, digits, right):
    columns = {"P": {"metric": "precision"}, "R": {"metric": "recall"}, "F1": {"metric": "f1"}}
    [check] = checks(table(columns, [0.8522, 0.8056, printed], digits=digits), "row", "F1")
    assert check.kind == "f1" and check.holds == right
    assert check.gives == pytest.approx(0.82825, abs=1e-5)


def test_an_f1_is_not_checked_against_precision_on_another_split():
    elsewhere = {"metric": "precision", "on": "set/b"}
    columns = {"P": elsewhere, "R": {"metric": "recall"}, "F1": {"metric": "f1"}}
    assert not list(checks(table(columns, [0.8, 0.8, 0.1]), "row", "F1"))


@pytest.mark.parametrize(
    ("printed", "scale", "digits", "right", "nearest"),
    [
        (0.65, 1, 3, True, 13 / 20),
        (0.66, 1, 3, False, 13 / 20),
        (0.68, 1, 1, True, 14 / 20),  # rounds to 0.7, as 0.68 does
        (65.0, 100, 2, True, 65.0),
    ],
)
def test_a_share_is_a_whole_number_of_examples(printed, scale, digits, right, nearest):
    columns = {"Acc.": {"metric": "accuracy", "scale": scale, "out_of": 20}}
    [check] = checks(table(columns, [printed], digits=digits), "row", "Acc.")
    assert (check.kind, check.holds) == ("share", right) and check.gives == pytest.approx(nearest)


@pytest.mark.parametrize(("printed", "right"), [(40.0, False), (70.0, True)])
def test_an_accuracy_in_percent_is_checked_against_the_majority_and_as_a_share(printed, right):
    rule = {"tune_on": "set/test", "maximise": "accuracy", "leaks": True}
    column = {"metric": "accuracy", "scale": 100, "out_of": 20, "positives": 0.7, "threshold": rule}
    majority, share = checks(table({"Acc.": column}, [printed], digits=1), "row", "Acc.")
    assert (majority.kind, majority.gives, majority.holds) == ("majority", pytest.approx(70), right)
    assert share.kind == "share" and share.holds


@pytest.mark.parametrize(("printed", "right"), [(69.1, True), (68.9, False)])
def test_an_accuracy_in_percent_may_be_a_hundredth_below_the_majority(printed, right):
    rule = {"tune_on": "set/test", "maximise": "accuracy", "leaks": True}
    column = {"metric": "accuracy", "scale": 100, "positives": 0.7, "threshold": rule}
    [majority] = checks(table({"Acc.": column}, [printed], digits=1), "row", "Acc.")
    assert majority.holds == right


def test_a_threshold_within_limits_need_not_beat_always_yes():
    rule = {"tune_on": "set/test", "maximise": "f1", "between": [0.3, 0.8]}
    assert not list(checks(table({"F1": {"metric": "f1", "positives": 0.5, "threshold": rule}}, [0.1]), "row", "F1"))


@pytest.mark.parametrize(("printed", "right"), [(0.2, True), (0.3, False)])
def test_a_mean_is_within_the_rounding_of_its_parts(printed, right):
    """0.1 and 0.1 are at most 0.15 each, whose mean rounds to 0.2."""
    columns = {"a": {"metric": "accuracy"}, "b": {"metric": "accuracy"}, "mean": {"mean_of": ["a", "b"]}}
    [check] = checks(table(columns, [0.1, 0.1, printed], digits=1), "row", "mean")
    assert check.kind == "mean" and check.holds == right


@pytest.mark.parametrize("column", [{"metric": "f1"}, {"metric": "accuracy", "minus": {"run": "b"}}])
def test_what_is_not_a_share_is_not_checked_as_one(column):
    assert not list(checks(table({"c": column}, [0.123], out_of=20), "row", "c"))


def test_a_number_that_is_not_printed_is_not_checked():
    columns = {"a": {"metric": "accuracy"}, "b": {"metric": "accuracy"}, "mean": {"mean_of": ["a", "b"]}}
    assert not list(checks(table(columns, [0.1, 0.2]), "row", "mean"))
    assert not list(checks(table(columns, [0.1, None, 0.9]), "row", "mean"))


def test_the_papers_own_mistakes_are_found_and_their_right_numbers_are_not(tmp_path):
    names = ("stl", "minilm", "sn3d", "smart", "metric")
    files = {name: read_yaml(ROOT / f"config/papers/{name}.yaml")["tables"] for name in names}
    papers = {name: {item: tables.table(keys, name) for item, keys in found.items()} for name, found in files.items()}
    found = audited(papers)
    wrong = {(f.paper, f.source, f.row, f.column): f for f in found.failed}
    # Errors in the papers: five of sn3d's means, four of minilm's F1 scores (beside two readings), shares of
    # MRPC's 1,725 test pairs, the number of QQP's labelled pairs, and F1 scores below always-positive.
    assert sum(f.check == "mean" for f in wrong.values()) == 5
    assert sum(f.check == "f1" for f in wrong.values()) == found.checks["f1"] == 4
    assert wrong["sn3d", "Table 1", "SBERT", "MRPC"].gives == pytest.approx(100 * 1211 / 1725)
    assert ("sn3d", "Table 1", "AFE; SA, FA-3; Max&Avg", "MRPC") not in wrong  # 77.04 is 1,329 of 1,725
    assert wrong["stl", "Table I and section IV-A", "QQP (binary)", "Labelled"].gives == 404_276
    assert not any(f.paper == "smart" for f in wrong.values())  # 0.4980 has three digits, as all numbers of its table
    assert ("sn3d", "Table 2", "RFM", "MRPC") not in wrong  # printed in Table 1, too
    always = {row for _, _, row, _ in (key for key, f in wrong.items() if f.check == "always-positive")}
    assert always == {"Lexical (TF-IDF)"}
    assert not any(f.paper == "stl" and f.check == "share" for f in wrong.values())  # 0.650 and 0.550 are of 20
    outputs = SimpleNamespace(**{kind: tmp_path / f"audit.{kind}" for kind in ("md", "csv", "json")})
    audit.write(found, outputs)
    assert len(list(csv.DictReader(outputs.csv.open()))) == len(wrong)
    text = outputs.md.read_text()
    assert f"{len(wrong)} of {sum(found.checks.values())} checks fail" in text and "4 of 4 F1 scores" in text
    assert f"5 of {found.checks['mean']} means" in text and found.checks["mean"] > 5
    certain, assumed = text.split("## By an assumption")
    assert certain.count("precision and recall give") == 4 and "nearest share" not in certain
    assert "precision and recall give" not in assumed and "the mean of the printed numbers is" not in assumed
    assert assumed.count("the nearest share is") == sum(f.check == "share" for f in found.failed)
    text = squeezed(text)
    assert "| sn3d | Table 1 | ColBERT, Avg | 81.22 | the mean of the printed numbers is 80.72 |" in text
    assert "no whole number out of 1,725 gives this share; the nearest share is 70.20" in text


def test_a_number_that_is_printed_again_is_checked_once_and_another_of_the_same_run_by_itself():
    columns = {"Acc.": {"metric": "accuracy", "out_of": 20}}
    again, other = (table(columns, [printed]) for printed in (0.66, 0.68))
    assert audited({"p": {"first": again, "second": again}}).checks == {"share": 1}
    found = audited({"p": {"first": again, "second": other}})
    assert [wrong.printed for wrong in found.failed] == [0.66, 0.68]


def test_without_printed_numbers_the_audit_says_so():
    assert "No printed number can be checked against others." in audit.markdown(audited({}))
