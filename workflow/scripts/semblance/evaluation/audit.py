"""Consistency checks of published numbers against other numbers in the same paper."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from semblance.contradictions import Audit, Check, Contradiction
from semblance.registry import METRICS
from semblance.specs.cells import CellSpec, TableSpec

MEAN, F1, SHARE, SUM, ALWAYS, MAJORITY = "mean", "f1", "share", "sum", "always-positive", "majority"
CERTAIN = (MEAN, F1, SUM)  # checks that assume nothing about how a number was made
SLACK = 1e-9  # tolerance for floating-point errors
TUNED_ELSEWHERE = 0.01  # what a score may lose because its threshold was tuned on other rows


def audited(papers: Mapping[str, Mapping[str, TableSpec]]) -> Audit:
    """Check every published number.

    Args:
        papers: the tables, by paper and name. A number is checked once if it is printed again for the same run, split,
            metric and time in training, or in several rows that compare readings of one published row.
    """
    made: dict[tuple, tuple[str, str, str, str, int]] = {}
    for paper, tables in papers.items():
        for table in tables.values():
            for row, column in ((row, column) for row in table.rows for column in table.columns):
                first, cell = table.first_reading(row), table.cells[row][column]
                score = table.cells[first][column]
                number = (score.run, score.on, score.metric, score.during) if score.run else (first, column)
                for check in checks(table, row, column):
                    made.setdefault((paper, number, check), (paper, table.source, row, column, cell.digits))
    return Audit(
        checks=dict(Counter(check.kind for *_, check in made)),
        failed=tuple(
            Contradiction(*place, check.kind, check.printed, check.gives, check.out_of)
            for (*_, check), place in made.items()
            if not check.holds
        ),
    )


def checks(table: TableSpec, row: str, column: str) -> Iterator[Check]:
    """Yield the checks that apply to one published number of a table.

    - A cell with `mean_of` must equal the mean of its parts.
    - An F1 must equal the harmonic mean of the published precision and recall of the same run and split.
    - A share with `out_of` must be a whole number of that many examples.
    - The rows of several splits must be the sum of theirs.
    - An F1 at the threshold that maximises it must not be below that of always predicting the positive class, and an
      accuracy not below that of always predicting the more frequent class.

    Each published number may be rounded by half a unit of its last digit.

    Args:
        table: the table.
        row: row of the number.
        column: its column.
    """
    printed, cell = table.number(row, column), table.cells[row][column]
    if printed is None:
        return
    half = 0.5 * 10**-cell.digits + SLACK
    if cell.mean_of:
        yield from _mean(table, cell, printed, half)
    elif cell.metric == "rows" and "+" in cell.split:
        yield from _sum(table, row, cell, printed, half)
    elif cell.metric == "f1":
        yield from _f1(table, row, column, printed, half)
        if cell.positives and _maximises(cell):
            always = 2 * cell.positives / (1 + cell.positives)
            yield _least(ALWAYS, printed, always * cell.scale, cell.scale)
    elif METRICS[cell.metric].is_share and not cell.minus:
        if cell.metric == "accuracy" and cell.positives and _maximises(cell):
            yield _least(MAJORITY, printed, max(cell.positives, 1 - cell.positives) * cell.scale, cell.scale)
        if not cell.out_of:
            return
        nearest = round(printed / cell.scale * cell.out_of) / cell.out_of * cell.scale
        yield Check(SHARE, printed, nearest, abs(nearest - printed) <= half, cell.out_of)


def _least(check: str, printed: float, always: float, scale: float) -> Check:
    """Return the check that a score is as high as that of the same answer for all rows."""
    return Check(check, printed, always, printed >= always - TUNED_ELSEWHERE * scale)


def _maximises(cell: CellSpec) -> bool:
    """Return whether the threshold maximises the metric, without limits."""
    return cell.rule is not None and cell.rule.maximise == cell.metric and not cell.rule.between


def _mean(table: TableSpec, cell: CellSpec, printed: float, half: float) -> Iterator[Check]:
    parts = [(table.number(part.row, part.column), part.on_unit_scale) for part in cell.mean_of]
    known = [(value + 1) / 2 if unit else value for value, unit in parts if value is not None]
    if len(known) == len(parts):
        mean = sum(known) / len(known)
        yield Check(MEAN, printed, mean, abs(mean - printed) <= 2 * half)


def _sum(table: TableSpec, row: str, cell: CellSpec, printed: float, half: float) -> Iterator[Check]:
    parts = [
        table.number(row, column)
        for split in cell.split.split("+")
        for column in table.columns
        if table.cells[row][column] == replace(cell, split=split)
    ]
    known = [value for value in parts if value is not None]
    if len(known) == len(cell.split.split("+")):
        yield Check(SUM, printed, sum(known), abs(sum(known) - printed) <= half)


def _f1(table: TableSpec, row: str, column: str, printed: float, half: float) -> Iterator[Check]:
    near = [(row, name) for name in table.columns] + [(name, column) for name in table.rows]
    found: dict[str, float | None] = {}
    for place in near:
        other = table.cells[place[0]][place[1]]
        if replace(other, metric="f1") == table.cells[row][column]:
            found.setdefault(other.metric, table.number(*place))
    precision, recall = found.get("precision"), found.get("recall")
    if precision and recall:
        low, gives, high = (_harmonic(precision + off, recall + off) for off in (-half, 0, half))
        yield Check(F1, printed, gives, low - half <= printed <= high + half)


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)
