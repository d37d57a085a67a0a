"""Lists of examples: worst errors first, answers with their texts, and texts that are escaped."""

import csv
import io

import numpy as np
import pytest

from semblance.config import tables
from semblance.data import rows
from semblance.evaluation import lists as evaluated
from semblance.evaluation import predictions
from semblance.evaluation.evidence import Evidence
from semblance.registry import LISTS
from semblance.reporting import lists
from texts import squeezed

SPEC = {"caption": "c", "source": "s", "on": "set/dev", "threshold": 0.5}


def listed_of(keys, evidence):
    """The list that some keys describe."""
    return evaluated.listed(tables.listed(keys, "here"), evidence)


@pytest.fixture
def evidence(make_pairs, tmp_path):
    texts = [("a|b", "<b>*x*</b>", 1), ("c", "d", 1), ("e", "f", 0), ("g", "h", 0), ("i", "j", 1)]
    pairs = make_pairs(*texts)
    rows.write(tmp_path / "dev.parquet", pairs)
    for run, scores in {"r": [0.1, 0.4, 0.9, 0.2, 0.8], "q": [0.5, 0.6, 0.1, 0.2, 0.3]}.items():
        (tmp_path / run).mkdir()
        made_by = {"preset": "demo", "recipe": run, "versions": {}, "examples": "five"}
        predictions.write(tmp_path / run / "set-dev.parquet", pairs, np.array(scores), made_by)
    places = {"predictions": {run: [tmp_path / run] for run in "rq"}, "splits": {"set/dev": tmp_path / "dev.parquet"}}
    return Evidence({**places, "preset": "demo", "recipes": {"r": "r", "q": "q"}})


def test_the_worst_errors_come_first_and_texts_are_not_markup(evidence):
    listed = listed_of({**SPEC, "kind": "worst-errors", "run": "r", "count": 5}, evidence)
    assert [(row["error"], row["id"]) for row in listed["rows"]] == [
        ("missed", "row-0"),
        ("missed", "row-1"),
        ("false alarm", "row-2"),
    ]
    text = lists.markdown({**listed, "about": ""})
    assert text.startswith("# s: c\n")
    assert "2 of 3 duplicates are missed (40.0% of all 5 pairs)" in text
    assert "1 of 2 non-duplicates are false alarms (20.0%)" in text
    assert r"| 0.1000 | a\|b | \<b\>\*x\*\</b\> |" in squeezed(text)
    assert [line["id"] for line in csv.DictReader(io.StringIO(lists.as_csv(listed)))] == ["row-0", "row-1", "row-2"]


def test_every_answer_stands_beside_its_texts_with_whether_it_is_right(evidence):
    listed = listed_of({**SPEC, "kind": "answers", "runs": {"One": "r", "Two": "q"}, "note": "N."}, evidence)
    assert [[row["answers"][title]["right"] for row in listed["rows"]] for title in ("One", "Two")] == [
        [False, False, False, True, True],
        [True, True, True, True, False],  # a score at the threshold is positive
    ]
    text = lists.markdown({**listed, "about": "Demo."})
    assert "Correct of 5: One 2 (threshold 0.5000), Two 4 (threshold 0.5000)." in text
    assert (
        r"| | a\|b | \<b\>\*x\*\</b\> | yes | ✗ 0.100 | ✓ 0.500 |" in squeezed(text)
        and "N." in text
        and "Demo." in text
    )
    first = next(csv.DictReader(io.StringIO(lists.as_csv(listed))))
    assert (first["sentence2"], first["same"], first["Two, right"]) == ("<b>*x*</b>", "True", "True")


def test_of_several_seeds_the_first_is_shown_and_said_to_be(evidence):
    evidence._places["predictions"]["r"] *= 2
    worst = listed_of({**SPEC, "kind": "worst-errors", "run": "r", "count": 5}, evidence)
    answers = listed_of({**SPEC, "kind": "answers", "runs": {"One": "r", "Two": "q"}}, evidence)
    alone = listed_of({**SPEC, "kind": "answers", "runs": {"Two": "q"}}, evidence)
    assert all(lists.summary(listed).startswith("First of 2 seeds. ") for listed in (worst, answers))
    assert lists.summary(alone).startswith("Correct of 5")


def test_a_list_without_errors_is_empty_and_says_so(evidence):
    listed = listed_of({**SPEC, "kind": "worst-errors", "run": "r", "threshold": 2.0, "count": 0}, evidence)
    assert listed["rows"] == [] and "3 of 3 duplicates are missed" in lists.summary(listed)
    assert lists.as_csv(listed).strip() == ""


def test_every_kind_of_list_is_made_and_written():
    assert lists.KINDS.keys() == LISTS.keys()
    assert all(callable(getattr(evaluated, kind.replace("-", "_"))) for kind in LISTS)
