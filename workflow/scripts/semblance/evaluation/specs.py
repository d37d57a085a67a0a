"""What a cell of a table says, put together from the parts that say it."""

from __future__ import annotations

from collections.abc import Mapping


def one_cell(table: Mapping, row: Mapping, column: Mapping) -> dict:
    """The table's `cell`, the row's and the column's keys together; their subsets narrow one another."""
    parts = (table.get("cell", {}), row, column)
    subset = {name: value for part in parts for name, value in part.get("subset", {}).items()}
    return {key: value for part in parts for key, value in part.items()} | ({"subset": subset} if subset else {})
