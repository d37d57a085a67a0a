"""Key scores of a preset held against those that a sound pipeline reaches: tests/expected/{preset}.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from semblance.errors import UserError


@dataclass(frozen=True)
class Check:
    """One key score: its name, what was found (None where it is undefined), and the range it is expected in."""

    name: str
    found: float | None
    low: float
    high: float

    @property
    def holds(self) -> bool:
        return self.found is not None and self.low <= self.found <= self.high

    def __str__(self) -> str:
        found = "undefined" if self.found is None else f"{self.found:.3f}"
        return f"{'ok  ' if self.holds else 'FAIL'}  {self.name}: {found}, expected {self.low:.3f} to {self.high:.3f}"


def checks(expected: Mapping, results: Mapping) -> list[Check]:
    """Hold a preset's results.json against what is expected of it.

    Args:
        expected: `runs`, by paper/run the value on its own task and a tolerance; `cells`, by paper/table the same by
            "row | column"; `learned`, the share of trained runs that learned, at least.
        results: what config/schema/results.yaml describes; several seeds of a run count as their mean.

    Raises:
        UserError: the results have no such run or cell.
    """
    found = [_of_run(name, said, results) for name, said in expected.get("runs", {}).items()]
    for table, cells in expected.get("cells", {}).items():
        found += [_of_cell(table, cell, said, results) for cell, said in cells.items()]
    judged = [run["learned"] for run in results["runs"]]
    if "learned" in expected:
        share = judged.count("yes") / len(judged)
        found.append(Check("share of trained runs that learned", share, expected["learned"], 1))
    return found


def _of_run(name: str, said: Mapping, results: Mapping) -> Check:
    paper, run = name.split("/")
    values = [one["value"] for one in results["runs"] if (one["paper"], one["run"]) == (paper, run)]
    if not values:
        raise UserError(f"the results have no run {name}, of which a score is expected")
    return _check(name, None if None in values else sum(values) / len(values), said)


def _of_cell(table: str, cell: str, said: Mapping, results: Mapping) -> Check:
    row, column = cell.split(" | ")
    for one in results["tables"]:
        if f"{one['paper']}/{one['name']}" == table:
            for number in one["numbers"]:
                if (number["row"], number["column"]) == (row, column):
                    return _check(f"{table}: {cell}", number["value"], said)
    raise UserError(f"the results have no cell {cell!r} of {table}, of which a score is expected")


def _check(name: str, found: float | None, said: Mapping) -> Check:
    return Check(name, found, said["value"] - said["within"], said["value"] + said["within"])
