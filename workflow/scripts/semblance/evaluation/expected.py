"""Comparison of a preset's key scores with the expected ranges in tests/expected/{preset}.yaml."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from semblance.errors import UserError
from semblance.results import Results

PARTS = ("runs", "cells", "learned")  # of the expected scores, by paper


@dataclass(frozen=True)
class Check:
    """A key score: its name, its value (None if undefined), and the expected range, inclusive."""

    name: str
    value: float | None
    low: float
    high: float

    @property
    def holds(self) -> bool:
        return self.value is not None and self.low <= self.value <= self.high

    def __str__(self) -> str:
        value = "undefined" if self.value is None else f"{self.value:.3f}"
        return f"{'ok  ' if self.holds else 'FAIL'}  {self.name}: {value}, expected {self.low:.3f} to {self.high:.3f}"


def papers(expected: Mapping) -> set[str]:
    """Return the papers of which scores are expected."""
    return {name.split("/")[0] for part in PARTS for name in expected.get(part, {})}


def checks(expected: Mapping, results: Results) -> list[Check]:
    """Compare the results of a preset with the expected ranges, for the papers that both have.

    Args:
        expected: contents of tests/expected/{preset}.yaml. `runs` maps paper/run to the `value` on the run's own task
            and a tolerance `within`; `on_gpu` is the value there, if it is another one. `cells` maps paper/table and
            "row | column" to the same. `learned` maps a paper to the minimum share of its trained runs that learned.
            `made_with` has the settings of which this is expected.
        results: the results. The score of a run is its mean over seeds.

    Raises:
        UserError: if the results have other settings, no such paper, or lack an expected run or cell.
    """
    for key, wanted in expected.get("made_with", {}).items():
        if (found := results.settings.plain()[key]) != wanted:
            raise UserError(f"scores are expected with {key}={wanted}; these are with {found}")
    if not papers(expected) & results.papers.keys():
        raise UserError(f"the results have none of the papers {', '.join(sorted(papers(expected)))}")
    runs, cells, learned = (_of_papers(expected.get(part, {}), results.papers) for part in PARTS)
    scores = [_of_run(name, wanted, results) for name, wanted in runs.items()]
    scores += [_of_cell(table, cell, wanted, results) for table in cells for cell, wanted in cells[table].items()]
    for paper, least in learned.items():
        judged = [run.learned for run in results.runs_of(paper)]
        share = judged.count("yes") / len(judged) if judged else None
        scores.append(Check(f"{paper}: share of trained runs that learned", share, least, 1))
    return scores


def other_rows(expected: Mapping, results: Results) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the splits that were read from another number of rows than expected, with both numbers."""
    for name, wanted in expected.get("rows_read", {}).items():
        dataset, split = name.split("/")
        found = results.datasets[dataset].read.get(split, wanted) if dataset in results.datasets else wanted
        if found != wanted:
            yield name, (found, wanted)


def _of_papers(expected: Mapping, there: Iterable[str]) -> dict:
    return {name: wanted for name, wanted in expected.items() if name.split("/")[0] in there}


def _of_run(name: str, wanted: Mapping, results: Results) -> Check:
    paper, run = name.split("/")
    values = [one.value for one in results.runs_of(paper) if one.run == run]
    if not values:
        raise UserError(f"the results have no run {name}, of which a score is expected")
    defined = [value for value in values if value is not None]
    return _check(name, sum(defined) / len(values) if len(defined) == len(values) else None, wanted, results)


def _of_cell(table: str, cell: str, wanted: Mapping, results: Results) -> Check:
    row, column = cell.split(" | ")
    for one in results.tables:
        if f"{one.paper}/{one.name}" == table:
            for number in one.numbers:
                if (number.row, number.column) == (row, column):
                    return _check(f"{table}: {cell}", number.value, wanted, results)
    raise UserError(f"the results have no cell {cell!r} of {table}, of which a score is expected")


def _check(name: str, found: float | None, wanted: Mapping, results: Results) -> Check:
    on_cpu = set(results.training.device) <= {"cpu"}
    value = wanted["value"] if on_cpu else wanted.get("on_gpu", wanted["value"])
    return Check(name, found, value - wanted["within"], value + wanted["within"])
