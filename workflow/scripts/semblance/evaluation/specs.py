"""What a cell of a table says, put together from the parts that say it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

DIGITS = 3


def one_cell(table: Mapping, row: Mapping, column: Mapping) -> dict:
    """The table's `cell`, the row's and the column's keys together.

    Their subsets narrow one another, and what they `fill` in stands for ``{key}`` in the name of the run.
    """
    parts = (table.get("cell", {}), row, column)
    subset, fill = ({k: v for part in parts for k, v in part.get(key, {}).items()} for key in ("subset", "fill"))
    cell = {key: value for part in parts for key, value in part.items() if key != "fill"}
    for said in (cell, minus := dict(cell.get("minus", {}))):
        if "run" in said:
            said["run"] = re.sub(r"\{(\w+)\}", lambda found: fill.get(found[1], found[0]), said["run"])
    return cell | ({"subset": subset} if subset else {}) | ({"minus": minus} if minus else {})


def subtracted(cell: Mapping) -> dict:
    """The cell that one with ``minus`` is a difference from: what that changes of it, changed."""
    return {**{key: value for key, value in cell.items() if key != "minus"}, **cell["minus"]}


def parts_of_mean(said: Mapping) -> list[tuple[str, bool]]:
    """The rows or columns in ``mean_of``, each with whether it counts as (r + 1) / 2, as a correlation does."""
    return [
        (part["on_unit_scale"], True) if isinstance(part, Mapping) else (part, False)
        for part in said.get("mean_of", [])
    ]


def parts_of_cell(table: Mapping, row: str, column: str) -> list[tuple[str, str]]:
    """Row and column of what a mean is of: other columns of its row, or other rows of its column."""
    across = table["columns"][column]
    if "mean_of" in across:
        return [(row, part) for part, _ in parts_of_mean(across)]
    return [(part, column) for part, _ in parts_of_mean(table["rows"][row])]


def digits_of(table: Mapping, cell: Mapping) -> int:
    """After the decimal point, of a cell's numbers, ours and the published one."""
    return cell.get("digits", table.get("digits", DIGITS))


def published(table: Mapping, row: str, column: str) -> float | None:
    """The number printed in the paper's table; None where there is none."""
    return dict(zip(table["columns"], table.get("published", {}).get(row, []))).get(column)


def cells_of_claim(claim: Mapping) -> tuple[list[dict], list[dict]]:
    """The cells a claim says are better, and those they are better than, for every combination of `over`."""
    over = claim.get("over", {})
    fills = [dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())]
    better, than = (
        [one_cell(claim, part, {"fill": fill}) for fill in fills for part in claim[side]] for side in ("better", "than")
    )
    return better, than
