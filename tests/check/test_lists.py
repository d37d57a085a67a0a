"""Lists of examples: worst errors first, answers with their texts, and texts that are escaped."""

import csv
import io

import numpy as np
import pytest

from semblance.data import rows
from semblance.evaluation import lists as evaluated
from semblance.evaluation import predictions
from semblance.evaluation.evidence import Evidence
from semblance.reporting import lists
from semblance.specs.cells import ListSpec
from semblance.specs.places import Places, RunPlaces
from semblance.specs.typed import typed
from texts import squeezed

SPEC = {"caption": "c", "source": "s", "on": "set/dev", "threshold": 0.5}


def listed_of(keys, evidence):
    """The list that some keys describe."""
    return evaluated.listed(typed(ListSpec, keys), evidence, paper="p", name="l", about="Demo.")


@pytest.fixture
def evidence(make_pairs, tmp_path):
    texts = [("a|b", "<b>*x*</b>", 1), ("c", "d", 1), ("e", "f", 0), ("g", "h", 0), ("i", "j", 1)]
    pairs = make_pairs(*texts)
    rows.write(tmp_path / "dev.parquet", pairs)
    scored = {"r": [0.1, 0.4, 0.9, 0.2, 0.8], "q": [0.5, 0.6, 0.1, 0.2, 0.3], "p": [0.9, 0.8, 0.1, 0.2, 0.7]}
    for run, scores in scored.items():
        (tmp_path / run).mkdir()
        made_by = {"preset": "demo", "recipe": run, "versions": {}, "examples": "five"}
        predictions.write(tmp_path / run / "set-dev.parquet", pairs, np.array(scores), made_by)
    # `twice` has the same results with two seeds.
    folders = {run: (str(tmp_path / run),) for run in "rqp"} | {"twice": (str(tmp_path / "r"),) * 2}
    runs = {run: RunPlaces("r" if run == "twice" else run, predictions=found) for run, found in folders.items()}
    return Evidence(Places("demo", runs, splits={"set/dev": str(tmp_path / "dev.parquet")}))


def test_the_worst_errors_come_first_and_texts_are_not_markup(evidence):
    listed = listed_of({**SPEC, "runs": {"R": "r", "Q": "q"}, "worst": 5}, evidence)
    assert [(row.same, row.id) for row in listed.rows] == [(True, "row-0"), (True, "row-1"), (False, "row-2")]
    text = lists.markdown(listed)
    assert text.startswith("# s: c\n")
    assert (
        "R (threshold 0.5000) misses 2 of 3 (66.7%) equivalent pairs and accepts 1 of 2 (50.0%) others. Q (threshold"
        " 0.5000) misses 1 of 3 (33.3%) equivalent pairs and accepts 0 of 2 (0.0%) others."
    ) in text
    assert r"| | a\|b | \<b\>\*x\*\</b\> | yes | ✗ 0.100 | ✓ 0.500 |" in squeezed(text)
    assert "Below are the worst 5 of each kind." in text
    assert [line["id"] for line in csv.DictReader(io.StringIO(lists.as_csv(listed)))] == ["row-0", "row-1", "row-2"]


def test_every_answer_stands_beside_its_texts_with_whether_it_is_right(evidence):
    listed = listed_of({**SPEC, "runs": {"One": "r", "Two": "q"}, "note": "N."}, evidence)
    assert [[row.answers[title].right for row in listed.rows] for title in ("One", "Two")] == [
        [False, False, False, True, True],
        [True, True, True, True, False],  # a score at the threshold is positive
    ]
    text = lists.markdown(listed)
    assert "One (threshold 0.5000) misses 2 of 3 (66.7%) equivalent pairs and accepts 1 of 2 (50.0%) others." in text
    assert (
        r"| | a\|b | \<b\>\*x\*\</b\> | yes | ✗ 0.100 | ✓ 0.500 |" in squeezed(text)
        and "N." in text
        and "Demo." in text
    )
    first = next(csv.DictReader(io.StringIO(lists.as_csv(listed))))
    assert (first["sentence2"], first["same"], first["Two, right"]) == ("<b>*x*</b>", "True", "True")


def test_of_several_seeds_the_first_is_shown_and_said_to_be(evidence):
    both, alone = (listed_of({**SPEC, "runs": runs}, evidence) for runs in ({"One": "twice", "Two": "q"}, {"Two": "q"}))
    assert lists.summary(both).startswith("First of 2 seeds. ") and lists.summary(alone).startswith("Two (threshold")


def test_a_list_without_errors_is_empty_and_says_so(evidence):
    listed = listed_of({**SPEC, "runs": {"Right": "p"}, "worst": 5}, evidence)
    assert listed.rows == () and "misses 0 of 3 (0.0%) equivalent pairs" in lists.summary(listed)
    assert "| sentence 1" in lists.markdown(listed)
    assert lists.as_csv(listed).strip() == ""
