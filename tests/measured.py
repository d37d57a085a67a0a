"""Cells and tables as they are measured."""

import json
from dataclasses import asdict
from pathlib import Path

from semblance import findings
from semblance.findings import MeasuredCell, MeasuredRow, MeasuredTable
from semblance.reporting import tables

CELL = MeasuredCell(0.8123, 0.79, 0.83, published=0.9, verdict="differs", digits=3, examples=10, clusters=10)

# Contents of a results.json without runs, tables and claims.
EMPTY = {
    "preset": "demo",
    "about": "Demo.",
    "version": "1",
    "commit": "abc",
    "settings": {"seeds": [1], "data_source": "generated", "encoder_source": "shipped", "precision": "auto"},
    "versions": {"torch": "2"},
    "training": {"core_hours": 1.5, "device": ["cpu"], "processor": ["a CPU"], "cores": [2], "precision": ["fp32"]},
    **{name: {} for name in ("papers", "datasets", "encoders", "recipes", "checksums")},
    "audit": {"checks": {}, "failed": []},
    **{name: [] for name in ("runs", "tables", "claims")},
}


def make_cell(**keys) -> MeasuredCell:
    """Return a cell of 0.8123 [0.79, 0.83], of 10 examples, beside 0.9, unless `keys` differ."""
    return MeasuredCell(**{**vars(CELL), **keys})


def make_table(**rows: list[MeasuredCell]) -> MeasuredTable:
    """Return a table with the given rows and the columns F1, 50% and Avg, as many as the cells of a row."""
    columns = ("F1", "50%", "Avg")[: max(map(len, rows.values()))]
    made = tuple(MeasuredRow(name, tuple(cells)) for name, cells in rows.items())
    return MeasuredTable("p", "t", "Demo.", "Cost & more", "Table II", "A note.", "–", columns, made)


NUMBER = asdict(tables.numbers(make_table(BERT=[CELL]))[0]) | {"column": "Acc."}


def written(folder: Path, finding: object, name: str = "found") -> str:
    """Write a table, a list or claims as a job of the demo does; return the path."""
    findings.write(folder / f"{name}.json", finding, {"preset": "demo", "versions": {"torch": "2.13.0"}})
    return str(folder / f"{name}.json")


def as_json(found: object) -> dict:
    """Return a dataclass as it is read from a JSON file."""
    return json.loads(json.dumps(asdict(found)))
