"""What a preset's results say: measured tables and lists, judged claims, and what runs learned.

Evaluation makes them, JSON files keep them (`dataclasses.asdict` and `specs.typed`), and reporting shows them.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from semblance.contradictions import Check
from semblance.files import read_json, write_json
from semblance.registry import METRICS
from semblance.specs.typed import typed
from semblance.vocabulary import CANNOT_BE_JUDGED, DECIDED, UNJUDGED

Limits = tuple[float | None, float | None]  # both ends of a 95% interval; None if undefined
Interval = tuple[float, float]
Finding = TypeVar("Finding")
PROVENANCE = ("preset", "versions")  # keys of a finding's file besides its own


def _interval(low: float | None, high: float | None) -> Interval | None:
    """Return both ends of an interval; None if one is undefined."""
    return None if low is None or high is None else (low, high)


@dataclass(frozen=True)
class MeasuredCell:
    """A number of a table beside the published one.

    Attributes:
        value: mean over seeds; None if undefined or not read.
        low: lower end of the 95% interval; None for counts and times, and if undefined.
        high: upper end.
        published: the published number; None if there is none.
        verdict: a `Printed`, `Printed.NOT_COMPARABLE` with the reason; None if no number is published.
        digits: digits after the decimal point.
        examples: number of examples; None for counts and times.
        clusters: number of clusters of dependent examples; None for counts and times.
        seeds: number of seeds, or repeated timings.
        per_seed: value of each seed.
        thresholds: threshold of each seed; empty if the metric needs none.
        missing: what the cell shows without a value.
        undefined: whether the value is undefined.
        learned: verdict on its run, the worst of several; None if nothing was trained.
        timed: whether it is a time or a rate, which differs from run to run.
        machine: the GPUs, or else CPUs, on which a time, rate or memory was measured; empty for other numbers.
        single_seed: whether a run behind it is random and has one seed.
        threshold_tuned_on_scored_rows: whether the rows that it scores also tuned its threshold.
        selected_on_scored_rows: whether the rows that it scores also selected the epoch or stage of its run.
        contradicted: the first check that the published number fails; None if it fails none.
        score_of_one: what the cell shows for a score of 1: 1, or 100 for percent; None if it shows no score.
        runs: the runs whose scores or costs it shows, each once; not those that divide it or select its rows.
    """

    value: float | None
    low: float | None
    high: float | None
    published: float | None
    verdict: str | None
    digits: int
    examples: int | None = None
    clusters: int | None = None
    seeds: int = 1
    per_seed: tuple[float | None, ...] = ()
    thresholds: tuple[float | None, ...] = ()
    missing: str = "–"
    undefined: bool = False
    learned: str | None = None
    timed: bool = False
    machine: str = ""
    single_seed: bool = False
    threshold_tuned_on_scored_rows: bool = False
    selected_on_scored_rows: bool = False
    contradicted: Check | None = None
    score_of_one: float | None = None
    runs: tuple[str, ...] = ()

    @property
    def interval(self) -> Interval | None:
        """Both ends of the 95% interval; None if it has none."""
        return _interval(self.low, self.high)


@dataclass(frozen=True)
class MeasuredRow:
    """A row of a table, with one cell per column."""

    name: str
    cells: tuple[MeasuredCell, ...]

    @property
    def run(self) -> str | None:
        """The run that all cells show; None if there are several or none."""
        runs = {run for cell in self.cells for run in cell.runs}
        return runs.pop() if len(runs) == 1 else None


@dataclass(frozen=True)
class MeasuredTable:
    """A measured table.

    Attributes:
        paper: name of the paper.
        name: name of the table.
        about: what the preset's numbers are worth.
        caption: what it shows.
        source: the table or section of the paper.
        note: what the reader must know.
        unpublished: shown where no number is published; empty if the table has none at all.
        columns: names of the columns.
        rows: the rows.
    """

    paper: str
    name: str
    about: str
    caption: str
    source: str
    note: str
    unpublished: str
    columns: tuple[str, ...]
    rows: tuple[MeasuredRow, ...]

    @property
    def cells(self) -> list[MeasuredCell]:
        """All cells, row by row."""
        return [cell for row in self.rows for cell in row.cells]

    @property
    def by_row(self) -> dict[str, list[MeasuredCell]]:
        """The cells by the name of their row."""
        return {row.name: list(row.cells) for row in self.rows}

    @property
    def by_column(self) -> dict[str, list[MeasuredCell]]:
        """The cells by the name of their column."""
        return {name: [row.cells[place] for row in self.rows] for place, name in enumerate(self.columns)}


@dataclass(frozen=True)
class Outcome:
    """The effect of a claim, both ends of its interval (None if undefined), and the verdict."""

    effect: float | None
    low: float | None
    high: float | None
    verdict: str


@dataclass(frozen=True, kw_only=True)
class JudgedClaim:
    """A claim of a paper with its verdict.

    Attributes:
        paper: name of the paper.
        claim: name of the claim.
        part_of: name of the claim that sums it up with others, if there is one.
        statement: what is claimed.
        source: where the paper claims it.
        contradicted: what else in the paper contradicts it; empty if nothing does.
        better: runs on the side that is claimed to be better.
        than: runs on the other side; empty if it is a number.
        metric: the compared metric.
        unit: the unit of the effect if it is not the metric's.
        within: margin of a claim that both sides are equivalent.
        spread: size of the groups whose standard deviations are compared.
        effect: how much better the first side is, above 0 in favour of the claim; None if undefined.
        low: lower end of its 95% interval; None if it has none.
        high: upper end.
        verdict: a `Verdict`, at a false discovery rate of 5% among the paper's claims.
        by_itself: the verdict by its interval alone; another one only if that rate leaves it open.
        examples: number of examples; 0 if it is not measured on any.
        clusters: number of clusters of dependent examples.
        seeds: number of seeds, or repeated timings; 0 if it was not measured.
        each_seed: what each seed alone gives; empty with one seed.
        single_seed: whether a run is random and has one seed.
        selected_on_scored_rows: whether the compared rows also selected the epoch or stage of a compared run.
        threshold_tuned_on_scored_rows: whether they also tuned a threshold.
        not_trained: compared runs that did not learn, and runs from which they started that are not better than the
            majority baseline.
        exact: whether it compares counts that no other measurement would change, and so always passes.
        limited_by_seeds: whether it is inconclusive because the differences between seeds alone make it so.
        seeds_needed: number of seeds that could decide it; None if none could.
        examples_needed: number of examples that could decide it; None if none could.
        definition: digest of what is compared and how.
        chosen_on: split on which the run of each side that has several was chosen; empty if none was.
    """

    paper: str
    claim: str
    part_of: str | None
    statement: str
    source: str
    contradicted: str
    better: tuple[str, ...]
    than: tuple[str, ...]
    metric: str
    unit: str | None
    within: float | None
    spread: int | None
    effect: float | None
    low: float | None
    high: float | None
    verdict: str
    by_itself: str
    examples: int
    clusters: int
    seeds: int
    each_seed: tuple[Outcome, ...]
    single_seed: bool
    selected_on_scored_rows: bool
    threshold_tuned_on_scored_rows: bool
    not_trained: tuple[str, ...]
    exact: bool
    limited_by_seeds: bool
    seeds_needed: int | None
    examples_needed: int | None
    definition: str
    chosen_on: str = ""

    @property
    def interval(self) -> Interval | None:
        """Both ends of the 95% interval; None if it has none."""
        return _interval(self.low, self.high)

    @property
    def is_decided(self) -> bool:
        """Whether it is supported or refuted."""
        return self.verdict in DECIDED

    @property
    def is_decided_only_by_itself(self) -> bool:
        """Whether its interval alone decides it, but not at a false discovery rate of 5%."""
        return self.by_itself in DECIDED and not self.is_decided

    @property
    def is_timed(self) -> bool:
        """Whether it is about times or memory, which depend on the machine and its load."""
        return METRICS[self.metric].is_timed

    @property
    def kind(self) -> str:
        """Its verdict; `UNJUDGED` if it is one of `CANNOT_BE_JUDGED`."""
        return UNJUDGED if self.verdict in CANNOT_BE_JUDGED else self.verdict


@dataclass(frozen=True)
class JudgedClaims:
    """The judged claims of a paper; `about` says what the preset's numbers are worth."""

    paper: str
    about: str
    claims: tuple[JudgedClaim, ...]


@dataclass(frozen=True)
class Answer:
    """The score of an example, and whether the decision on it is correct."""

    score: float
    right: bool


@dataclass(frozen=True)
class ListedExample:
    """An example of a list, with the answers by the run's title; `same`: whether its sentences are equivalent."""

    id: str
    group: str | None
    sentence1: str
    sentence2: str
    same: bool
    answers: Mapping[str, Answer]


@dataclass(frozen=True)
class ErrorCounts:
    """A run's threshold, and how many equivalent pairs it misses and others it accepts, in numbers and as shares."""

    threshold: float
    missed: int
    accepted: int
    missed_share: float | None
    accepted_share: float | None


@dataclass(frozen=True)
class MeasuredList:
    """A list of examples with the answers of runs.

    Attributes:
        paper: name of the paper.
        name: name of the list.
        about: what the preset's numbers are worth.
        caption: what it shows.
        source: the section of the paper.
        note: what the reader must know.
        worst: number of errors of each kind that are shown; 0 for all examples.
        seeds: number of seeds, of which the first is shown.
        same: number of equivalent pairs.
        different: number of other pairs.
        runs: counts of their errors by title.
        rows: the examples.
    """

    paper: str
    name: str
    about: str
    caption: str
    source: str
    note: str
    worst: int
    seeds: int
    same: int
    different: int
    runs: Mapping[str, ErrorCounts]
    rows: tuple[ListedExample, ...]


@dataclass(frozen=True)
class Judgement:
    """Whether a seed of a run learned the run's own task; see `evaluation.learning`.

    Attributes:
        seed: the seed.
        on: the split.
        metric: the metric.
        value: its value; None if undefined.
        start: the value of the model before training.
        majority: value of the same prediction for all examples.
        over_start: 95% interval of the difference from `start`.
        over_majority: 95% interval of the difference from `majority`.
        top_share: share of the most predicted class; None for scores, which have no classes.
        train: value on training rows; None if it was trained on another dataset.
        training_accuracy: accuracy on training rows; None also for scores.
        learned: a `Learned`.
    """

    seed: int
    on: str
    metric: str
    value: float | None
    start: float | None
    majority: float
    over_start: Limits
    over_majority: Limits
    top_share: float | None
    train: float | None
    training_accuracy: float | None
    learned: str


@dataclass(frozen=True, kw_only=True)
class RecordedJudgement(Judgement):
    """A judgement as a run's file has it, with the provenance of the predictions."""

    made_by: Mapping


def write(path: Path | str, finding: Any, provenance: Mapping) -> None:
    """Write a finding, one of the dataclasses above, to a JSON file with the preset and versions that made it."""
    write_json(path, {**provenance, **asdict(finding)})


def read(path: Path | str, kind: type[Finding]) -> Finding:
    """Read a finding of this kind from its file."""
    return parsed(read_json(path), kind)


def parsed(content: Mapping, kind: type[Finding]) -> Finding:
    """Return the finding that the content of a file has."""
    return typed(kind, {key: value for key, value in content.items() if key not in PROVENANCE})


def judgements(content: Mapping, run: str) -> list[RecordedJudgement]:
    """Return what a run learned, by seed, from the content of a file with the judgements of several runs."""
    return [typed(RecordedJudgement, one) for one in content[run]]
