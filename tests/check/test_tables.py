"""Tables as text: measured and published number in every cell; undefined numbers are not shown as 0."""

import csv
import io
import json
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest

from claimed import judgement
from measured import CELL, make_cell, make_table
from semblance.config import tables as tables_of
from semblance.config.files import read_yaml
from semblance.evaluation import predictions
from semblance.evaluation.cells import measure
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.tables import measured
from semblance.paths import ROOT
from semblance.reporting import frames, tables
from semblance.reporting.notes import ONE_SEED_NOTE
from semblance.specs.places import Places
from texts import squeezed

UNDEFINED = make_cell(value=None, low=None, high=None, undefined=True, missing="undefined")
TABLE = make_table(**{"BERT (QQP→STS-B)": [CELL, make_cell(published=None)], "a_b": [UNDEFINED, CELL]})


def test_markdown_has_both_numbers_and_the_notes():
    text = tables.markdown(TABLE)
    text = squeezed(text)
    assert "| BERT (QQP→STS-B) | 0.812 [0.790, 0.830] / 0.900 | 0.812 [0.790, 0.830] / – |" in text
    assert "| a_b | undefined / 0.900 |" in text
    assert text.startswith("# Table II: Cost & more") and "A note." in text and "Demo." in text
    assert "A dash: the paper prints no number." in text
    lost = tables.markdown(replace(TABLE, unpublished="not in our copy"))
    assert "[0.790, 0.830] / not in our copy |" in squeezed(lost) and "A dash" not in lost


def test_a_mean_over_seeds_is_said_to_be_one():
    noted = tables.notes(make_table(a=[CELL, make_cell(seeds=2)]))
    assert "Means over 2 seeds; intervals cover the choice of examples and the variance between seeds." in noted
    assert not any("seeds" in note for note in tables.notes(TABLE))


def test_a_note_on_seeds_speaks_of_intervals_only_where_there_are_some():
    two, one = (make_cell(low=None, high=None, **keys) for keys in ({"seeds": 2}, {"single_seed": True}))
    noted = tables.notes(make_table(a=[two, two], b=[one, one]))
    assert "Means over 2 seeds." in noted and "b: One seed." in noted


def test_a_note_on_seeds_says_which_rows_it_is_about():
    two, one = make_cell(seeds=2), make_cell(single_seed=True)
    rows = {"a": [two, two], "b": [one, one], "c": [two, two], "d": [CELL, CELL]}
    noted = tables.notes(make_table(**rows))
    assert "b: One seed: intervals cover the choice of examples, not the variance between seeds." in noted
    assert "Means over 2 seeds; intervals cover the choice of examples and the variance between seeds." in noted
    columns = tables.notes(make_table(a=[two, one], b=[two, one]))
    assert "50%: One seed: intervals cover the choice of examples, not the variance between seeds." in columns
    both = tables.notes(make_table(**rows, e=[one, two]))
    assert "One seed: intervals cover the choice of examples, not the variance between seeds." in both
    assert not any(note.startswith(("a", "b")) for note in both)
    mean = make_cell(seeds=2, single_seed=True)  # of cells with one seed and with two
    more = tables.notes(
        make_table(**{"a, with b": [one, one], "c": [two, two], "d, with b": [one, one]}, e=[make_cell(seeds=5)] * 2)
    )
    assert (
        "a, with b; d, with b: One seed: intervals cover the choice of examples, not the variance between seeds."
        in more
    )
    assert any(note.startswith("Means over 2 to 5 seeds;") for note in more)
    averaged = tables.notes(make_table(a=[two, one, mean]))
    assert "F1: Means over 2 seeds; intervals cover the choice of examples and the variance between seeds." in averaged


def test_the_note_says_how_many_examples_were_scored():
    def noted(*rows, clusters=None):
        cells = [[make_cell(examples=count, clusters=clusters) for count in row] for row in rows]
        return tables.notes(make_table(**dict(zip("ab", cells, strict=True))))[0]

    assert noted([1725, 1725], [1725, None]) == "Examples: 1,725."
    assert noted([300, 20], [300, 20]) == "Examples: 20 (50%); 300 (F1)."
    assert noted([300, 300], [20, 20]) == "Examples: 20 (b); 300 (a)."
    assert noted([300, 20], [20, 20]) == "Examples: from 20 to 300."
    assert noted([300, 300], [300, 300], clusters=120) == "Examples: 300 in 120 clusters."
    assert noted([300, 300], [300, 300], clusters=1) == "Examples: 300 in 1 cluster."
    assert not noted([None, None], [None, None]).startswith("Examples")
    many = {f"row {n}": [make_cell(examples=n)] * 2 for n in range(14, 24)}
    assert tables.notes(make_table(**many))[0] == "Examples: from 14 to 23."


def test_csv_is_one_line_a_cell():
    lines = list(csv.DictReader(io.StringIO(frames.csv(pd.DataFrame(tables.numbers(TABLE))))))
    assert len(lines) == 4
    assert lines[0]["value"] == "0.8123" and lines[0]["published"] == "0.9"
    assert lines[1]["published"] == "" and lines[2]["undefined"] == "True"


def test_latex_escapes_and_uses_booktabs():
    text = tables.latex(TABLE)
    assert r"Cost \& more" in text and r"50\%" in text and r"a\_b" in text and r"QQP$\to$STS-B" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 1
    assert r"\textbar{}u\textbar{} \textless{} v" in tables.latex(replace(TABLE, caption="|u| < v"))  # not — and ¡


@pytest.mark.parametrize("paper", sorted((ROOT / "config/papers").glob("*.yaml")), ids=lambda p: p.stem)
def test_latex_leaves_no_character_of_a_paper_that_its_fonts_lack(paper):
    texts = str(read_yaml(paper)["tables"])
    assert not {c for c in tables.latex(replace(TABLE, caption=texts)) if ord(c) > 0xFF}


def test_counts_say_what_was_not_read(tmp_path):
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"splits": {"train": {"read": 7}, "test": {"read": None}}}))
    spec = {
        "caption": "c",
        "source": "Table I",
        "cell": {"metric": "rows", "digits": 0},
        "rows": {"QQP": {"dataset": "qqp"}},
        "columns": {"Train": {"split": "train"}, "Test": {"split": {"qqp": "test"}}},
        "published": {"QQP": [9]},
    }
    found = measure_table(spec, Evidence(Places("demo", {}, datasets={"qqp": str(facts)})))
    assert "| QQP | 7 / 9 | not read / – |" in squeezed(tables.markdown(found))


def test_the_share_of_a_label_is_of_the_rows_as_read(tmp_path):
    """With 3 + 1 rows of label 2 among 10; those held out of train are train's own."""
    facts = tmp_path / "facts.json"
    splits = {"train": {"labels_read": [1, 4, 3]}, "dev": {"labels_read": [1, 0, 1]}}
    splits["held"] = {"labels_read": [0, 0, 3], "held_out_of": "train"}
    facts.write_text(json.dumps({"splits": splits}))
    cell = {"dataset": "sst", "metric": "label-share", "split": "train+dev+held", "subset": {"label": 2}}
    evidence = Evidence(Places("demo", {}, datasets={"sst": str(facts)}))
    assert measure(tables_of.cell(cell), evidence).value == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("value", "shown"), [(2.5e-9, "2.5e-09"), (0.0004, "4.0e-04"), (0.0, "0.000"), (0.25, "0.250")]
)
def test_a_measured_number_too_small_for_its_digits_is_shown_by_its_size(value, shown):
    counted = make_cell(value=value, low=None, high=None, published=None)
    assert f"| a | {shown} / " in squeezed(tables.markdown(make_table(a=[counted])))


def test_a_threshold_tuned_on_the_rows_it_scores_is_marked_wherever_it_is_shown():
    leaking = make_table(a=[make_cell(threshold_tuned_on_scored_rows=True), make_cell(digits=1)])
    text = tables.markdown(leaking)
    assert "| a | 0.812† [0.790, 0.830] / 0.900 | 0.8 [0.8, 0.8] / 0.9 |" in squeezed(text)
    assert "† Optimistic: the threshold was tuned on the rows it scores" in text and "†" not in tables.markdown(TABLE)
    assert r"0.812\dag{}" in tables.latex(leaking)


def measure_table(spec, evidence):
    return measured(tables_of.table(spec, "here"), evidence, paper="p", name="t", about="Demo.")


class Store:
    def is_selected_on(self, cell):
        return False

    def learned(self, run):
        return []

    def single_seed(self, run):
        return False

    def clusters(self, on, ids):
        return np.arange(len(ids))

    def predictions(self, run, on, epoch=None):
        right, wrong = (30, 10) if on == "set/a" else (10, 10)
        targets = np.ones(right + wrong)
        scores = np.r_[np.ones(right), np.zeros(wrong)]
        ids = np.arange(right + wrong).astype(str)
        return [predictions.Predictions(ids, targets, scores, np.full(right + wrong, None))]


def averaged(printed_mean):
    """Return a table of two columns and their mean, given the published mean, with two digits."""
    cell = {"run": "a", "metric": "accuracy", "threshold": 0.5, "scale": 100}
    columns = {"A": {**cell, "on": "set/a"}, "B": {**cell, "on": "set/b"}}
    columns["Avg"] = {"mean_of": ["A", "B"], "scale": 100}
    spec = {"caption": "c", "source": "s", "rows": {"row": {}}, "columns": columns, "cell": {"digits": 2}}
    spec["published"] = {"row": [81.25, 80.72, printed_mean]}
    return measure_table(spec, Store())


def test_what_limits_a_subtracted_number_limits_the_difference():
    class Doubtful(Store):
        def is_selected_on(self, cell):
            return cell.on == "set/a" and cell.run == "then"

        def learned(self, run):
            return [judgement("no")] if run == "then" else []

        def single_seed(self, run):
            return run == "then"

    cell = {"run": "now", "on": "set/a", "metric": "accuracy", "threshold": 0.5}
    columns = {"Now": cell, "Change": {**cell, "minus": {"run": "then"}}}
    spec = {"caption": "c", "source": "s", "rows": {"row": {}}, "columns": columns}
    now, change = measure_table(spec, Doubtful()).cells
    assert (now.selected_on_scored_rows, now.single_seed, now.learned) == (False, False, None)
    assert (change.selected_on_scored_rows, change.single_seed, change.learned) == (True, True, "no")


def test_costs_of_training_vary_with_the_seed_but_counts_do_not():
    class Alone(Store):
        def single_seed(self, run):
            return True

        def facts(self, run):
            return [{"parameters": 7_000_000, "peak_memory_mb": 1024, "gpu_peak_memory_mb": None}]

        def machines(self, cell):
            return {"a CPU"}

    columns = {"Memory": {"run": "a", "metric": "peak-memory-gib"}, "Weights": {"run": "a", "metric": "parameters"}}
    spec = {"caption": "c", "source": "s", "rows": {"row": {}}, "columns": columns}
    memory, weights = measure_table(spec, Alone()).cells
    assert memory.single_seed and not weights.single_seed


def test_what_is_undefined_is_null_in_json_and_says_so():
    cell = {"run": "a", "on": "set/a", "metric": "pearson"}  # all targets are equal
    spec = {"caption": "c", "source": "s", "rows": {"row": {}}, "columns": {"r": cell}, "published": {"row": [0.5]}}
    found = measure_table(spec, Store())
    [only] = found.cells
    assert (only.value, only.low, only.per_seed, only.undefined) == (None, None, (None,), True)
    assert json.dumps(asdict(found), allow_nan=False)
    assert "| row | undefined / 0.500 |" in squeezed(tables.markdown(found))


def test_a_mean_of_columns_is_their_mean_and_narrower_than_they_are():
    first, second, mean = averaged(80.99).cells
    assert (first.value, second.value, mean.value) == pytest.approx((75.0, 50.0, 62.5))
    assert first.low < 75 < first.high and mean.low < 62.5 < mean.high
    # The columns are independent: the variance of their mean is a quarter of 0.75·0.25/40 + 0.25/20.
    # Student's t and the correction of the variance are those of 20 rows, of the smaller column.
    error = 50 * (0.75 * 0.25 / 40 + 0.25 / 20) ** 0.5 * (20 / 19) ** 0.5
    assert mean.high - mean.low == pytest.approx(2 * 2.093 * error, rel=0.08)


@pytest.mark.parametrize(("printed", "right"), [(80.98, True), (80.99, True), (81.0, False), (83.0, False)])
def test_a_printed_mean_that_its_parts_do_not_give_is_marked(printed, right):
    text = tables.markdown(averaged(printed))
    assert (f"/ {printed:.2f}‡" not in text) == right
    assert ("Contradicts the paper's own arithmetic" not in text) == right and ("is 80.99 for row" not in text) == right


@pytest.mark.parametrize(("printed", "right"), [(0.770, True), (0.771, True), (0.773, False)])
def test_a_mean_of_rows_is_of_its_column_and_its_printed_one_is_checked(printed, right):
    """smart, abstract: ((0.819 + 1) / 2 + 0.537 + 0.864) / 3 = 0.770."""
    accuracy = {"on": "set/a", "metric": "accuracy", "threshold": 0.5}
    parts = ["SST", "QQP", {"on_unit_scale": "STS"}]
    spec = {
        "caption": "c",
        "source": "s",
        "rows": {
            "SST": accuracy,
            "QQP": accuracy,
            "STS": {"on": "set/a", "metric": "pearson"},
            "All": {"mean_of": parts},
        },
        "columns": {"Score": {"run": "a"}},
        "published": {"SST": [0.537], "QQP": [0.864], "STS": [0.819], "All": [printed]},
    }

    class Store:
        def is_selected_on(self, cell):
            return cell.on == "set/a"

        def learned(self, run):
            return []

        def single_seed(self, run):
            return True

        def clusters(self, on, ids):
            return np.arange(len(ids))

        def predictions(self, run, on, epoch=None):
            targets = np.array([0.0, 1, 0, 1])
            return [predictions.Predictions(np.arange(4).astype(str), targets, targets, np.full(4, None))]

    found = measure_table(spec, Store())
    assert [one.value for one in found.cells] == [1, 1, pytest.approx(1), pytest.approx(1)]
    assert all(one.selected_on_scored_rows for one in found.cells)
    assert ONE_SEED_NOTE in tables.notes(found) and ONE_SEED_NOTE not in tables.notes(TABLE)
    assert "1.000§ [" in tables.markdown(found) and r"1.000\S{}" in tables.latex(found)
    wrong = found.cells[3].contradicted
    assert wrong is None if right else wrong.gives == pytest.approx(0.7702, abs=1e-4)


def test_a_score_on_rows_that_selected_its_run_is_marked_and_explained():
    text = tables.markdown(make_table(a=[make_cell(selected_on_scored_rows=True), CELL]))
    assert "| a | 0.812§ [0.790, 0.830] / 0.900 | 0.812 [0.790, 0.830] / 0.900 |" in squeezed(text)
    assert "§ Optimistic: the rows it scores also selected its epoch or stage." in text
    assert "§" not in tables.markdown(TABLE)


def test_a_number_without_an_interval_has_its_marks():
    text = tables.markdown(make_table(a=[make_cell(low=None, high=None, learned="no"), CELL]))
    assert "| a | 0.812○ / 0.900 | 0.812 [0.790, 0.830] / 0.900 |" in squeezed(text)


def test_a_machine_on_which_no_time_was_measured_is_not_named():
    measured_here = make_cell(timed=True, machine="a CPU")
    nowhere = make_cell(timed=True, machine="a GPU", value=None, low=None, high=None)
    assert tables.notes(make_table(a=[measured_here], b=[nowhere]))[-1] == tables.TIME_NOTE
