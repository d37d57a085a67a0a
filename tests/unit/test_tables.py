"""Tables as text: the published number beside ours in every cell, nothing undefined shown as 0."""

import csv
import io
import json
from types import SimpleNamespace

import pytest

from semblance.reporting import tables

CELL = {"value": 0.8123, "low": 0.79, "high": 0.83, "published": 0.9, "examples": 10, "per_seed": [0.8123]}
TABLE = {
    "caption": "Cost & more",
    "source": "Table II",
    "note": "A note.",
    "about": "Demo.",
    "digits": 3,
    "columns": ["F1", "50%"],
    "rows": [
        {"name": "BERT (QQP→STS-B)", "cells": [CELL, {**CELL, "published": None}]},
        {"name": "a_b", "cells": [{**CELL, "value": float("nan"), "low": float("nan"), "high": float("nan")}, CELL]},
    ],
}


def test_markdown_has_both_numbers_and_the_notes():
    text = tables.markdown(TABLE)
    assert "| BERT (QQP→STS-B) | 0.812 [0.790, 0.830] / 0.900 | 0.812 [0.790, 0.830] / – |" in text
    assert "| a_b | undefined / 0.900 |" in text
    assert text.startswith("# Table II: Cost & more") and "A note." in text and "Demo." in text


def test_csv_is_one_line_a_cell():
    lines = list(csv.DictReader(io.StringIO(tables.as_csv(TABLE))))
    assert len(lines) == 4
    assert lines[0]["value"] == "0.8123" and lines[0]["published"] == "0.9"
    assert lines[1]["published"] == "" and lines[2]["value"] == "undefined"


def test_latex_escapes_and_uses_booktabs():
    text = tables.latex(TABLE)
    assert r"Cost \& more" in text and r"50\%" in text and r"a\_b" in text and r"QQP$\to$STS-B" in text
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 1


def test_json_has_no_nan(tmp_path):
    paths = SimpleNamespace(**{kind: tmp_path / f"t.{kind}" for kind in ("md", "csv", "tex", "json")})
    tables.write(TABLE, paths)
    cell = json.loads(paths.json.read_text(), parse_constant=pytest.fail)["rows"][1]["cells"][0]
    assert cell["value"] is None and cell["undefined"] is True


def test_counts_say_what_was_not_read(tmp_path):
    facts = tmp_path / "facts.json"
    facts.write_text(json.dumps({"splits": {"train": {"read": 7}, "test": {"read": None}}}))
    spec = {
        "caption": "c",
        "source": "Table I",
        "digits": 0,
        "rows": {"QQP": {"dataset": "qqp"}},
        "columns": {"Train": {"split": "train"}, "Test": {"split": {"qqp": "test"}}},
        "published": {"QQP": [9]},
    }
    table = tables.build(spec, {}, {"qqp": str(facts)})
    assert "| QQP | 7 / 9 | not read / – |" in tables.markdown({**table, "about": ""})
