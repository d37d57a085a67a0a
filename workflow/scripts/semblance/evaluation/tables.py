"""Measurement of tables: every cell's number, interval and verdict."""

from __future__ import annotations

from collections.abc import Mapping

from semblance.evaluation import audit
from semblance.evaluation.cells import Number, mean, measure
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import worst
from semblance.evaluation.verdicts import verdict, with_directions
from semblance.progress import bar
from semblance.registry import METRICS
from semblance.specs.cells import digits_of, one_cell, parts_of_cell, parts_of_mean, published


def measured(spec: Mapping, evidence: Evidence, not_comparable: Mapping[str, Mapping] | None = None) -> dict:
    """Measure every cell of a table.

    Args:
        spec: spec of the table.
        evidence: the recorded results.
        not_comparable: by row and column, why a cell cannot be compared with the paper's number.

    Returns:
        The table as data: `caption`, `source`, `note`, `unpublished`, `columns`, and `rows` of cells. Each cell has the
        fields of `Number`, the `published` number, its `verdict` and the marks that apply to it.
    """
    rows = []
    for name, row in bar(spec["rows"].items(), what="rows", unit="row"):
        cells = []
        for title, column in spec["columns"].items():
            cell = one_cell(spec, row, column)
            digits = digits_of(spec, cell)
            number, printed = _number(spec, name, title, cell, evidence), published(spec, name, title)
            parts = _scored(spec, name, title, cell)
            reason = (not_comparable or {}).get(name, {}).get(title)
            shown = {
                "published": printed,
                "verdict": verdict(number, printed, digits, reason),
                "contradicted": _contradicted(spec, name, title, digits),
                "digits": digits,
                "leaks": "mean_of" not in cell and METRICS[cell["metric"]].needs_threshold and _leaks(cell),
                "chosen": any(part["on"] in evidence.chosen_by(part["run"]) for part in parts),
                "single_seed": any(evidence.single_seed(part["run"]) for part in parts),
                "learned": worst([found for part in parts for found in evidence.learned(part["run"])]),
                "timed": "mean_of" not in cell and METRICS[cell["metric"]].is_timed,
            }
            cells.append(number.as_dict() | shown)
        rows.append({"name": name, "cells": cells})
    for place in range(len(spec["columns"])):
        column = [row["cells"][place] for row in rows]
        for cell, said in zip(column, with_directions(column), strict=True):
            cell["verdict"] = said
    return {
        "caption": spec["caption"],
        "source": spec["source"],
        "note": spec.get("note", ""),
        "unpublished": spec.get("unpublished", "–" if "published" in spec else ""),
        "columns": list(spec["columns"]),
        "rows": rows,
    }


def _number(spec: Mapping, name: str, title: str, cell: Mapping, evidence: Evidence) -> Number:
    if "mean_of" not in cell:
        return measure(cell, evidence)
    found = mean(
        _scored(spec, name, title, cell), evidence, [on_unit_scale for _, on_unit_scale in parts_of_mean(cell)]
    )
    return found.scaled(cell.get("scale", 1))


def _scored(spec: Mapping, name: str, title: str, cell: Mapping) -> list[dict]:
    """Return the cells with predictions from which a cell is computed: itself, or the parts of a mean."""
    if "mean_of" in cell:
        parts = parts_of_cell(spec, name, title)
        return [one_cell(spec, spec["rows"][row], spec["columns"][column]) for row, column in parts]
    return [dict(cell)] if METRICS[cell["metric"]].is_scored else []


def _contradicted(spec: Mapping, name: str, title: str, digits: int) -> dict | None:
    """Return the first check that a published number fails: its kind, the implied number, and a share's total."""
    failed = (check for check in audit.checks(spec, name, title, digits) if not check.holds)
    return next(({"kind": c.kind, "gives": c.gives, "out_of": c.out_of} for c in failed), None)


def _leaks(cell: Mapping) -> bool:
    return isinstance(cell["threshold"], Mapping) and cell["threshold"].get("leaks", False)
