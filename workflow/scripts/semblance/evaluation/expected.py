"""Comparison of a preset's key scores with the expected ranges in tests/expected/{preset}.yaml."""

from collections.abc import Mapping
from dataclasses import dataclass

from semblance.errors import UserError


@dataclass(frozen=True)
class Check:
    """A key score: its name, the value found (None if undefined), and the expected range, inclusive."""

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
    """Compare the results of a preset with the expected ranges.

    Args:
        expected: contents of tests/expected/{preset}.yaml. `runs` maps paper/run to the `value` on the run's own task
            and a tolerance `within`. `cells` maps paper/table and "row | column" to the same. `learned` is the minimum
            share of trained runs that learned.
        results: contents of results.json, see config/schema/results.yaml. The score of a run is its mean over seeds.

    Raises:
        UserError: if the results lack an expected run or cell.
    """
    found = [_of_run(name, wanted, results) for name, wanted in expected.get("runs", {}).items()]
    for table, cells in expected.get("cells", {}).items():
        found += [_of_cell(table, cell, wanted, results) for cell, wanted in cells.items()]
    judged = [run["learned"] for run in results["runs"]]
    if "learned" in expected:
        share = judged.count("yes") / len(judged)
        found.append(Check("share of trained runs that learned", share, expected["learned"], 1))
    return found


def _of_run(name: str, wanted: Mapping, results: Mapping) -> Check:
    paper, run = name.split("/")
    values = [one["value"] for one in results["runs"] if (one["paper"], one["run"]) == (paper, run)]
    if not values:
        raise UserError(f"the results have no run {name}, of which a score is expected")
    return _check(name, None if None in values else sum(values) / len(values), wanted)


def _of_cell(table: str, cell: str, wanted: Mapping, results: Mapping) -> Check:
    row, column = cell.split(" | ")
    for one in results["tables"]:
        if f"{one['paper']}/{one['name']}" == table:
            for number in one["numbers"]:
                if (number["row"], number["column"]) == (row, column):
                    return _check(f"{table}: {cell}", number["value"], wanted)
    raise UserError(f"the results have no cell {cell!r} of {table}, of which a score is expected")


def _check(name: str, found: float | None, wanted: Mapping) -> Check:
    return Check(name, found, wanted["value"] - wanted["within"], wanted["value"] + wanted["within"])
