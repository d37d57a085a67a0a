"""Comparison of a preset's key scores with the expected ranges in tests/expected/{preset}.yaml."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from semblance.errors import UserError
from semblance.results import Results
from semblance.vocabulary import Learned

ROUNDING = 1e-9  # of a sum of two decimal fractions


@dataclass(frozen=True)
class Range:
    """An expected score and its tolerance; `on_gpu` is the score on a GPU, if it is another one."""

    value: float
    within: float
    on_gpu: float | None = None


@dataclass(frozen=True)
class Expected:
    """Contents of tests/expected/{preset}.yaml.

    Attributes:
        runs: scores of runs on their own tasks, by paper/run.
        cells: numbers of tables, by paper/table and "row | column".
        learned: minimum shares of trained runs that learned, by paper.
        made_with: settings of which this is expected.
        rows_read: numbers of rows that were read, by dataset/split.
    """

    runs: Mapping[str, Range] = field(default_factory=dict)
    cells: Mapping[str, Mapping[str, Range]] = field(default_factory=dict)
    learned: Mapping[str, float] = field(default_factory=dict)
    made_with: Mapping[str, Any] = field(default_factory=dict)
    rows_read: Mapping[str, int] = field(default_factory=dict)

    @property
    def papers(self) -> set[str]:
        """Papers of which scores are expected."""
        return {name.split("/")[0] for part in (self.runs, self.cells, self.learned) for name in part}


@dataclass(frozen=True)
class Check:
    """A key score: its name, its value (None if undefined), and the expected range, inclusive."""

    name: str
    value: float | None
    low: float
    high: float

    @property
    def holds(self) -> bool:
        return self.value is not None and self.low - ROUNDING <= self.value <= self.high + ROUNDING

    def __str__(self) -> str:
        value = "undefined" if self.value is None else f"{self.value:.3f}" if self.holds else f"{self.value:.6g}"
        return f"{'ok  ' if self.holds else 'FAIL'}  {self.name}: {value}, expected {self.low:.3f} to {self.high:.3f}"


def checks(expected: Expected, results: Results) -> list[Check]:
    """Compare the results of a preset with the expected ranges, for the papers that both have.

    Args:
        expected: the expected scores.
        results: the results. The score of a run is its mean over seeds.

    Raises:
        UserError: if the results have other settings, no such paper, or lack an expected run or cell.
    """
    for key, wanted in expected.made_with.items():
        if (found := results.settings.plain()[key]) != wanted:
            raise UserError(f"scores are expected with {key}={wanted}; these are with {found}")
    if not expected.papers & results.papers.keys():
        raise UserError(f"the results have none of the papers {', '.join(sorted(expected.papers))}")
    runs, cells = _of_papers(expected.runs, results.papers), _of_papers(expected.cells, results.papers)
    scores = [_of_run(name, wanted, results) for name, wanted in runs.items()]
    scores += [_of_cell(table, cell, wanted, results) for table in cells for cell, wanted in cells[table].items()]
    for paper, least in _of_papers(expected.learned, results.papers).items():
        judged = [run.learned for run in results.runs_of(paper)]
        share = judged.count(Learned.YES) / len(judged) if judged else None
        scores.append(Check(f"{paper}: share of trained runs that learned", share, least, 1))
    return scores


def other_rows(expected: Expected, results: Results) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield the splits that were read from another number of rows than expected, with both numbers."""
    for name, wanted in expected.rows_read.items():
        dataset, split = name.split("/")
        found = results.datasets[dataset].read.get(split, wanted) if dataset in results.datasets else wanted
        if found != wanted:
            yield name, (found, wanted)


def _of_papers(expected: Mapping, there: Iterable[str]) -> dict:
    return {name: wanted for name, wanted in expected.items() if name.split("/")[0] in there}


def _of_run(name: str, wanted: Range, results: Results) -> Check:
    paper, run = name.split("/")
    values = [one.value for one in results.runs_of(paper) if one.run == run]
    if not values:
        raise UserError(f"the results have no run {name}, of which a score is expected")
    defined = [value for value in values if value is not None]
    return _check(name, sum(defined) / len(values) if len(defined) == len(values) else None, wanted, results)


def _of_cell(table: str, cell: str, wanted: Range, results: Results) -> Check:
    shown = next((one.numbers for one in results.tables if f"{one.paper}/{one.name}" == table), ())
    for number in shown:
        if f"{number.row} | {number.column}" == cell:
            return _check(f"{table}: {cell}", number.value, wanted, results)
    raise UserError(f"the results have no cell {cell!r} of {table}, of which a score is expected")


def _check(name: str, found: float | None, wanted: Range, results: Results) -> Check:
    on_cpu = set(results.training.device) <= {"cpu"}
    value = wanted.value if on_cpu or wanted.on_gpu is None else wanted.on_gpu
    return Check(name, found, value - wanted.within, value + wanted.within)
