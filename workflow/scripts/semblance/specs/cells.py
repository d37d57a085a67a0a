"""Specs of cells, merged from those of their table or claim, row and column."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

DIGITS = 3


def one_cell(table: Mapping, row: Mapping, column: Mapping) -> dict:
    """Merge the keys of a table's `cell`, a row and a column into the spec of one cell.

    The column takes precedence over the row, and the row over the table. The filters in their subsets are merged in the
    same way and apply together. Each ``{key}`` in the name of a run is replaced by the value of that key in `fill`.
    """
    parts = (table.get("cell", {}), row, column)
    subset, fill = ({k: v for part in parts for k, v in part.get(key, {}).items()} for key in ("subset", "fill"))
    cell = {key: value for part in parts for key, value in part.items() if key != "fill"}
    for said in (cell, minus := dict(cell.get("minus", {}))):
        if "run" in said:
            said["run"] = re.sub(r"\{(\w+)\}", lambda found: fill.get(found[1], found[0]), said["run"])
    return cell | ({"subset": subset} if subset else {}) | ({"minus": minus} if minus else {})


def subtracted(cell: Mapping) -> dict:
    """Return the cell that a cell with `minus` subtracts: the cell itself with the keys of `minus` changed."""
    return {**{key: value for key, value in cell.items() if key != "minus"}, **cell["minus"]}


def parts_of_mean(said: Mapping) -> list[tuple[str, bool]]:
    """Return the rows or columns in `mean_of`, and whether each value r counts as (r + 1) / 2, as for a correlation."""
    return [
        (part["on_unit_scale"], True) if isinstance(part, Mapping) else (part, False)
        for part in said.get("mean_of", [])
    ]


def parts_of_cell(table: Mapping, row: str, column: str) -> list[tuple[str, str]]:
    """Return row and column of the cells in a mean: other columns of its row, or other rows of its column."""
    across = table["columns"][column]
    if "mean_of" in across:
        return [(row, part) for part, _ in parts_of_mean(across)]
    return [(part, column) for part, _ in parts_of_mean(table["rows"][row])]


def digits_of(table: Mapping, cell: Mapping) -> int:
    """Return the number of digits after the decimal point, for a cell's measured and published number."""
    return cell.get("digits", table.get("digits", DIGITS))


def published(table: Mapping, row: str, column: str) -> float | None:
    """Return the published number of a cell; None if there is none."""
    return dict(zip(table["columns"], table.get("published", {}).get(row, []))).get(column)


def cells_of_claim(claim: Mapping) -> tuple[list[dict], list[dict]]:
    """Return the cells that a claim says are better and those in `than`, for each combination of `over`."""
    over = claim.get("over", {})
    fills = [dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())]
    better, than = (
        [one_cell(claim, part, {"fill": fill}) for fill in fills for part in claim[side]] for side in ("better", "than")
    )
    return better, than
