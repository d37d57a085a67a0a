"""Tables, claims and figures from the keys of a paper's file: each cell's keys merged from those around it."""

import itertools
import re
from collections.abc import Mapping, Set
from dataclasses import replace

from semblance.errors import UserError, require
from semblance.registry import FIGURES
from semblance.specs.cells import CellSpec, ClaimSpec, FigureSpec, Headline, TableSpec
from semblance.specs.kinds import FigureKind, ModelKind
from semblance.specs.typed import typed

DASH = "–"
OTHER_CELLS = ("minus", "per")  # keys of a cell that name another, with which it is combined


def table(keys: Mapping, where: str) -> TableSpec:
    """Return a table.

    Raises:
        UserError: if published numbers or parts of a mean are of rows or columns that the table lacks.
    """
    rows, columns, published = keys["rows"], keys["columns"], keys.get("published", {})
    for row, values in published.items():
        require(row, rows, "row", f"{where}.published")
        if len(values) > len(columns):
            raise UserError(f"{where}.published.{row}: {len(values)} numbers for {len(columns)} columns")
    return TableSpec(
        caption=keys["caption"],
        source=keys["source"],
        note=keys.get("note", ""),
        published_by_others=keys.get("published_by_others", False),
        unpublished=keys.get("unpublished", DASH if "published" in keys else ""),
        rows=tuple(rows),
        columns=tuple(columns),
        cells={row: {column: _in_table(keys, row, column, where) for column in columns} for row in rows},
        published={
            row: {column: value for column, value in zip(columns, values) if value is not None}
            for row, values in published.items()
        },
    )


def claim(keys: Mapping) -> ClaimSpec:
    """Return a claim, with its cells for each combination of `over`, and with a claim for each of `mean_over`."""
    if "mean_over" in keys:
        single = {key: value for key, value in keys.items() if key != "mean_over"}
        parts = tuple(claim({**single, "cell": {**keys.get("cell", {}), **part}}) for part in keys["mean_over"])
        return replace(parts[0], better=(), than=(), mean_over=parts)
    over = keys.get("over", {})
    fills = [dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())]
    sides: dict[str, tuple[CellSpec, ...]] = {
        side: tuple(cell(cell_keys(keys, part, {"fill": fill})) for fill in fills for part in keys.get(side, []))
        for side in ("better", "than")
    }
    return typed(ClaimSpec, {**keys, **sides}, only_known=True)


def headline(keys: Mapping) -> Headline:
    """Return the headline, with a place for each of its rows; table and column are by default the headline's own."""
    own = {key: keys[key] for key in ("table", "column")}
    rows = keys["rows"].items()
    places = {label: {**own, **(row if isinstance(row, Mapping) else {"row": row})} for label, row in rows}
    return typed(Headline, {**keys, "rows": places})


def figure(keys: Mapping, where: str) -> FigureSpec:
    """Return a figure, with the cells of all lines if it shows metrics by step.

    Raises:
        UserError: it lacks a key of its kind, or has one of another.
    """
    kind = FIGURES[keys["kind"]]
    check_keys(keys.keys(), kind, {"kind", "caption"}, f"{where}: a figure of kind {kind.name}")
    panels, metrics = keys.get("panels", {}), keys.get("metrics", {})
    lines = {
        title: {
            name: cell({"run": keys["run"], "epoch": 0, **panel, "metric": metric}) for name, metric in metrics.items()
        }
        for title, panel in panels.items()
    }
    return typed(FigureSpec, {k: v for k, v in keys.items() if k not in ("panels", "metrics")} | {"lines": lines})


def check_keys(given: Set, kind: ModelKind | FigureKind, common: Set[str], what: str) -> None:
    """Check that an item has the keys that its kind requires, and no others.

    Args:
        given: keys of the item.
        kind: its kind, which says what it requires and allows.
        common: keys that every kind may have.
        what: the item, for messages.
    """
    if missing := sorted(kind.requires - given):
        raise UserError(f"{what} needs {', '.join(missing)}")
    if unknown := sorted(given - kind.requires - kind.allows - common):
        known = sorted(kind.requires | kind.allows | common - {"kind", "caption"})
        raise UserError(f"{what} has no {unknown[0]}; its keys are {', '.join(known)}")


def cell_keys(table: Mapping, row: Mapping, column: Mapping) -> dict:
    """Merge the keys of a table's `cell`, a row and a column into those of one cell.

    The column takes precedence over the row, and the row over the table. The filters in their subsets are merged in the
    same way and apply together. Each ``{key}`` in the name of a run or group is replaced by the value of that key in
    `fill`.

    Args:
        table: keys of the table.
        row: keys of the row.
        column: keys of the column.
    """
    parts = (table.get("cell", {}), row, column)
    subset, fill = ({k: v for part in parts for k, v in part.get(key, {}).items()} for key in ("subset", "fill"))
    found = {key: value for part in parts for key, value in part.items() if key != "fill"}
    others = {key: dict(found[key]) for key in OTHER_CELLS if key in found}
    for keys in (found, subset, *others.values()):
        for key in ("run", "group"):
            if key in keys:
                keys[key] = re.sub(r"\{(\w+)\}", lambda name: fill.get(name[1], name[0]), keys[key])
    return found | ({"subset": subset} if subset else {}) | others


def cell(keys: Mapping) -> CellSpec:
    """Return a cell; the keys of `minus` and `per` are those in which the other cell differs."""
    found = {key: value for key, value in keys.items() if key not in OTHER_CELLS}
    if isinstance(found.get("split"), Mapping):
        found["split"] = found["split"].get(found.get("dataset"), "")
    others = {key: cell({**_inherited(found, keys[key]), **keys[key]}) for key in OTHER_CELLS if key in keys}
    return typed(CellSpec, found | others)


def _inherited(cell: Mapping, other: Mapping) -> dict:
    """Return the keys that another cell shares with a cell: a time in training is only that of the same run."""
    timed = ("epoch", "after_stages", "selected_by") if "run" in other else ()
    return {key: value for key, value in cell.items() if key not in timed}


def _in_table(keys: Mapping, row: str, column: str, where: str) -> CellSpec:
    across, down = keys["columns"][column], keys["rows"][row]
    found = cell_keys(keys, down, across)
    if "mean_of" not in found:
        return cell(found)
    axis, mean_spec = ("columns", across) if "mean_of" in across else ("rows", down)
    parts = []
    for part in mean_spec["mean_of"]:
        unit = isinstance(part, Mapping)
        name = part["on_unit_scale"] if unit else part
        require(name, keys[axis], axis[:-1], f"{where}.{axis}.mean_of")
        if "mean_of" in keys[axis][name]:
            raise UserError(f"{where}.{axis}: {name}, of which there is to be a mean, is a mean itself")
        place = {"row": row, "column": name} if axis == "columns" else {"row": name, "column": column}
        parts.append({**place, "on_unit_scale": unit})
    return typed(CellSpec, {key: found[key] for key in found if key in ("digits", "scale")} | {"mean_of": parts})
