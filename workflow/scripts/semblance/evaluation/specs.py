"""What a cell of a table says, put together from the parts that say it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping


def one_cell(table: Mapping, row: Mapping, column: Mapping) -> dict:
    """The table's `cell`, the row's and the column's keys together.

    Their subsets narrow one another, and what they `fill` in stands for ``{key}`` in the name of the run.
    """
    parts = (table.get("cell", {}), row, column)
    subset, fill = ({k: v for part in parts for k, v in part.get(key, {}).items()} for key in ("subset", "fill"))
    cell = {key: value for part in parts for key, value in part.items() if key != "fill"}
    if "run" in cell:
        cell["run"] = re.sub(r"\{(\w+)\}", lambda found: fill.get(found[1], found[0]), cell["run"])
    return cell | ({"subset": subset} if subset else {})


def cells_of_claim(claim: Mapping) -> tuple[list[dict], list[dict]]:
    """The cells a claim says are better, and those they are better than, for every combination of `over`."""
    over = claim.get("over", {})
    fills = [dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())]
    return tuple(
        [one_cell(claim, part, {"fill": fill}) for fill in fills for part in claim[side]] for side in ("better", "than")
    )
