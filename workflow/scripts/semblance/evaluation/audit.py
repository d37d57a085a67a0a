"""Consistency checks of published numbers against other numbers in the same paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from semblance.registry import METRICS
from semblance.specs.cells import digits_of, one_cell, parts_of_cell, parts_of_mean, published

MEAN, F1, SHARE = "mean", "f1", "share"
SLACK = 1e-9  # tolerance for floating-point errors


@dataclass(frozen=True)
class Check:
    """A published number, compared with the value that other published numbers imply.

    Attributes:
        kind: `MEAN`, `F1` or `SHARE`.
        printed: the published number.
        gives: the value that the other numbers imply.
        holds: whether both agree within rounding.
        out_of: for a share, the number of examples that it is a share of.
    """

    kind: str
    printed: float
    gives: float
    holds: bool
    out_of: int | None = None


def audited(papers: Mapping[str, Mapping[str, Mapping]]) -> dict:
    """Check every published number.

    Args:
        papers: specs of the tables, by paper and table. A number that occurs in two tables is checked once.

    Returns:
        `checks`, the number of checks by kind, and `failed`, the list of failed checks.
    """
    made: dict[tuple, dict] = {}
    for paper, tables in papers.items():
        for table in tables.values():
            for row, column in ((row, column) for row in table["rows"] for column in table["columns"]):
                digits = digits_of(table, one_cell(table, table["rows"][row], table["columns"][column]))
                for check in checks(table, row, column, digits):
                    place = {"paper": paper, "source": table["source"], "row": row, "column": column, "digits": digits}
                    made.setdefault((paper, row, column, check), place)
    failed = [
        place | {"check": check.kind, "printed": check.printed, "gives": check.gives, "out_of": check.out_of}
        for (*_, check), place in made.items()
        if not check.holds
    ]
    return {"checks": dict(Counter(check.kind for *_, check in made)), "failed": failed}


def checks(table: Mapping, row: str, column: str, digits: int) -> Iterator[Check]:
    """Yield the checks that apply to one published number of a table.

    - A cell with `mean_of` must equal the mean of its parts.
    - An F1 must equal the harmonic mean of the published precision and recall of the same run and split.
    - A share with `out_of` must be a whole number of that many examples.

    Each published number may be rounded by half a unit of its last digit.

    Args:
        table: spec of the table.
        row: name of the row.
        column: name of the column.
        digits: number of published digits after the decimal point.
    """
    printed = published(table, row, column)
    if printed is None:
        return
    cell, half = one_cell(table, table["rows"][row], table["columns"][column]), 0.5 * 10**-digits + SLACK
    if "mean_of" in cell:
        yield from _mean(table, row, column, printed, half)
    elif cell["metric"] == "f1":
        yield from _f1(table, row, column, cell, printed, half)
    elif "out_of" in cell and METRICS[cell["metric"]].is_share and "minus" not in cell:
        count, scale = cell["out_of"], cell.get("scale", 1)
        nearest = round(printed / scale * count) / count * scale
        yield Check(SHARE, printed, nearest, abs(nearest - printed) <= half, count)


def _mean(table: Mapping, row: str, column: str, printed: float, half: float) -> Iterator[Check]:
    wanted = parts_of_cell(table, row, column)
    parts = [part for place in wanted if (part := published(table, *place)) is not None]
    if len(parts) == len(wanted):
        said = {**table["rows"][row], **table["columns"][column]}
        scales = [on_unit_scale for _, on_unit_scale in parts_of_mean(said)]
        mean = sum((p + 1) / 2 if unit else p for p, unit in zip(parts, scales, strict=True)) / len(parts)
        yield Check(MEAN, printed, mean, abs(mean - printed) <= 2 * half)


def _f1(table: Mapping, row: str, column: str, cell: Mapping, printed: float, half: float) -> Iterator[Check]:
    near = [(row, name) for name in table["columns"]] + [(name, column) for name in table["rows"]]
    said: dict[str, float | None] = {}
    for place in near:
        other = one_cell(table, table["rows"][place[0]], table["columns"][place[1]])
        if {**other, "metric": "f1"} == cell:
            said.setdefault(other["metric"], published(table, *place))
    precision, recall = said.get("precision"), said.get("recall")
    if precision and recall:
        low, gives, high = (_harmonic(precision + off, recall + off) for off in (-half, 0, half))
        yield Check(F1, printed, gives, low - half <= printed <= high + half)


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)
