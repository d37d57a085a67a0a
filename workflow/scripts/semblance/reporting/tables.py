"""A table: its cells measured, the published numbers beside them, in Markdown, CSV, LaTeX and JSON."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from semblance.evaluation import predictions
from semblance.evaluation.cells import measure
from semblance.evaluation.predictions import Predictions
from semblance.files import read_json, write_json, write_text
from semblance.progress import bar

UNDEFINED = "undefined"
HOW_TO_READ = "Each cell: ours [95% interval] / published. A dash: the paper prints no number."


def build(spec: Mapping, folders: Mapping[str, Sequence[str]], facts: Mapping[str, str]) -> dict:
    """Measure every cell of a table.

    `folders` gives the predictions folders of each run, one a seed; `facts` the facts file of each
    dataset. The result is the table as data: caption, source, note, digits, columns, and rows of cells,
    each with value, low, high, published and what it was measured on.
    """
    counts = {dataset: read_json(path)["splits"] for dataset, path in facts.items()}
    lookup = _Lookup(folders)
    rows = []
    for name, row in bar(spec["rows"].items(), what="rows", unit="row"):
        published = spec.get("published", {}).get(name, [])
        cells = []
        for number, column in enumerate(spec["columns"].values()):
            cell = {**spec.get("cell", {}), **row, **column}
            ours = _count(cell, counts) if "dataset" in cell else measure(cell, lookup).as_dict()
            cells.append({**ours, "published": published[number] if number < len(published) else None})
        rows.append({"name": name, "cells": cells})
    return {
        "caption": spec["caption"],
        "source": spec["source"],
        "note": spec.get("note", ""),
        "digits": spec.get("digits", 3),
        "columns": list(spec["columns"]),
        "rows": rows,
    }


def write(table: Mapping, outputs) -> None:
    """Write a built table to `outputs`, which has the paths md, csv, tex and json."""
    write_text(outputs.md, markdown(table))
    write_text(outputs.csv, as_csv(table))
    write_text(outputs.tex, latex(table))
    write_json(outputs.json, _without_nan(table))


def markdown(table: Mapping) -> str:
    """The table as a Markdown page with its caption, its note and where its numbers come from."""
    lines = [f"# {table['source']}: {table['caption']}", "", "| " + " | ".join(["", *table["columns"]]) + " |"]
    lines.append("|" + "---|" * (len(table["columns"]) + 1))
    for row in table["rows"]:
        cells = [_text(cell, table["digits"]) for cell in row["cells"]]
        lines.append("| " + " | ".join([row["name"].replace("|", "\\|"), *cells]) + " |")
    notes = [HOW_TO_READ, table["note"], table["about"]]
    return "\n".join(lines + [""] + [f"{note}\n" for note in notes if note])


def as_csv(table: Mapping) -> str:
    """One line a cell: row, column, value, low, high, published, examples, seeds."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["row", "column", "value", "low", "high", "published", "examples", "seeds"])
    for row in table["rows"]:
        for column, cell in zip(table["columns"], row["cells"], strict=True):
            numbers = [_plain(cell[key]) for key in ("value", "low", "high", "published")]
            writer.writerow([row["name"], column, *numbers, cell["examples"], len(cell["per_seed"])])
    return out.getvalue()


def latex(table: Mapping) -> str:
    """A booktabs table, ours and published side by side in every cell."""
    columns = " & ".join(["", *map(_escape, table["columns"])])
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        f"\\caption{{{_escape(table['caption'])} ({_escape(table['source'])}). {_escape(HOW_TO_READ)}}}",
        "\\begin{tabular}{l" + "r" * len(table["columns"]) + "}",
        "\\toprule",
        columns + " \\\\",
        "\\midrule",
    ]
    for row in table["rows"]:
        cells = [_escape(_text(cell, table["digits"])) for cell in row["cells"]]
        lines.append(" & ".join([_escape(row["name"]), *cells]) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table}", ""])


class _Lookup:
    """Predictions by run and split, each file read once."""

    def __init__(self, folders: Mapping[str, Sequence[str]]):
        self._folders = folders
        self._read: dict[tuple[str, str], list[Predictions]] = {}

    def __call__(self, run: str, on: str) -> list[Predictions]:
        if (run, on) not in self._read:
            name = f"{on.replace('/', '-')}.parquet"
            self._read[run, on] = [predictions.read(Path(folder) / name) for folder in self._folders[run]]
        return self._read[run, on]


def _count(cell: Mapping, counts: Mapping[str, Mapping]) -> dict:
    """How many rows a split had when it was read, with those held out of it for tuning put back."""
    splits = counts[cell["dataset"]]
    split = cell["split"][cell["dataset"]] if isinstance(cell["split"], Mapping) else cell["split"]
    rows = splits.get(split, {}).get("read")
    return {"value": rows, "low": None, "high": None, "examples": rows, "per_seed": [], "thresholds": None}


def _text(cell: Mapping, digits: int) -> str:
    published = "–" if cell["published"] is None else f"{cell['published']:.{digits}f}"
    return f"{ours(cell, digits)} / {published}"


def ours(cell: Mapping, digits: int) -> str:
    """Our number as a reader sees it: value and interval, or why there is none."""
    if cell["value"] is None:
        return "not read"
    if math.isnan(cell["value"]):
        return UNDEFINED
    text = f"{cell['value']:.{digits}f}"
    if cell["low"] is None or math.isnan(cell["low"]):
        return text
    return f"{text} [{cell['low']:.{digits}f}, {cell['high']:.{digits}f}]"


def _plain(value: float | None) -> str:
    if value is None:
        return ""
    return UNDEFINED if math.isnan(value) else f"{value:.6g}"


def _escape(text: str) -> str:
    replaced = {"\\": r"\textbackslash{}", "→": r"$\to$", "–": "--", "×": r"$\times$", "±": r"$\pm$"}
    replaced |= {c: f"\\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(replaced.get(c, c) for c in text)


def _without_nan(value):
    """JSON has no nan: an undefined number is null there, and `undefined` says so."""
    if isinstance(value, Mapping):
        plain = {k: _without_nan(v) for k, v in value.items()}
        if isinstance(value.get("value"), float) and math.isnan(value["value"]):
            plain["undefined"] = True
        return plain
    if isinstance(value, (list, tuple)):
        return [_without_nan(v) for v in value]
    return None if isinstance(value, float) and math.isnan(value) else value
