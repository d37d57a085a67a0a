"""Specs of what is measured and shown: cells, tables, claims, lists and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Final, Literal

from semblance import provenance

DIGITS = 3
START: Final = "start"  # time before the first step
OTHER_HALF: Final = "other-half"  # for each half of the rows, the epoch or the stage that the other half selects
LESS_DATA = "less data"  # a reason why a number is not comparable with the published one


@dataclass(frozen=True)
class Hardest:
    """The `fraction` of rows on which a `run` has the largest absolute error."""

    fraction: float
    run: str


@dataclass(frozen=True)
class Characters:
    """Pairs whose shorter sentence has more than `above` characters, or `at_most` that number."""

    above: int | None = None
    at_most: int | None = None


@dataclass(frozen=True)
class Subset:
    """Filters for the rows of a split; a row must pass all that are set. See `evaluation.subsets`."""

    group: str | None = None
    label: float | None = None
    overlap_above: float | None = None
    half: Literal["first", "second"] | None = None
    unseen_in: tuple[str, ...] = ()
    hardest: Hardest | None = None
    characters: Characters | None = None


@dataclass(frozen=True)
class ThresholdRule:
    """How a threshold is tuned.

    Attributes:
        tune_on: the split.
        maximise: the metric.
        folds: number of folds; the threshold is the mean of those that are best on all rows outside one fold.
        between: range of the search; None is the range of the scores.
        subset: the rows of the split.
        leaks: whether it may be tuned on rows that it scores. Tables mark such cells.
    """

    tune_on: str
    maximise: str
    folds: int = 1
    between: tuple[float, float] | None = None
    subset: Subset = Subset()
    leaks: bool = False


@dataclass(frozen=True)
class Part:
    """A cell of the same table in a mean; with `on_unit_scale`, its value r counts as (r + 1) / 2."""

    row: str
    column: str
    on_unit_scale: bool = False


@dataclass(frozen=True)
class CellSpec:
    """What a number is measured from.

    Attributes:
        metric: name of the metric; empty for a mean of other cells.
        run: the run.
        on: the split.
        dataset: dataset of a metric of a corpus.
        split: its split, or several, joined by +.
        epoch: the evaluation during training that is nearest to this epoch; None is the finished run.
        after_stages: the evaluation after so many stages, of a run that selects a stage; None is the finished run.
        selected_by: ``other-half`` scores each half of the rows after the epoch, or the stage, that the other half
            selects, in a run that selects one on these rows; None is the finished run.
        at_start: whether it is measured before the training of the run's own task.
        threshold: a fixed threshold, or how it is tuned.
        subset: the rows of the split.
        minus: the cell that is subtracted.
        per: the cell that divides a time, memory or a number of parameters.
        digits: digits after the decimal point, of the measured and of the published number.
        out_of: number of examples that the paper scored; its shares are multiples of 1 / out_of.
        positives: share of positive examples; a threshold that maximises F1 or accuracy then gives at least that of
            always predicting one class.
        scale: factor of the measured number, e.g. 100 for percent.
        mean_of: the cells of which this is the mean.
    """

    metric: str = ""
    run: str = ""
    on: str = ""
    dataset: str = ""
    split: str = ""
    epoch: float | None = None
    after_stages: int | None = None
    selected_by: Literal["other-half"] | None = None
    at_start: bool = False
    threshold: float | ThresholdRule | None = None
    subset: Subset = Subset()
    minus: CellSpec | None = None
    per: CellSpec | None = None
    digits: int = DIGITS
    out_of: int | None = None
    positives: float | None = None
    scale: float = 1
    mean_of: tuple[Part, ...] = ()

    @property
    def during(self) -> float | Literal["start", "other-half"] | None:
        """When in training it is measured: an epoch, a number of stages, `START` or `OTHER_HALF`; None is after it."""
        if self.at_start:
            return START
        if self.selected_by:
            return OTHER_HALF
        return self.epoch if self.after_stages is None else float(self.after_stages)

    def before(self, start_from: str | None) -> CellSpec | None:
        """Return the cell of the score before training; None if nothing was scored then.

        Training is the whole run or, if the cell is measured after a stage, this stage.

        Args:
            start_from: the run whose weights its run starts from, if any.
        """
        if self.during in (None, OTHER_HALF):
            return replace(self, selected_by=None, at_start=True)
        if self.after_stages == 1:
            return replace(self, run=start_from, after_stages=None) if start_from else None
        return replace(self, after_stages=self.after_stages - 1) if self.after_stages else None

    def to_choose(self, split: str) -> CellSpec:
        """Return the cell by which this one is chosen on a split, whose rows may tune its threshold as well."""
        threshold = replace(self.threshold, leaks=True) if isinstance(self.threshold, ThresholdRule) else self.threshold
        return replace(self, on=split, threshold=threshold)

    @property
    def rule(self) -> ThresholdRule | None:
        """How the threshold is tuned; None for a fixed one."""
        return self.threshold if isinstance(self.threshold, ThresholdRule) else None


@dataclass(frozen=True)
class TableSpec:
    """A table: its cells and published numbers, by row and column.

    Attributes:
        caption: what it shows.
        source: the table or section of the paper.
        rows: names of the rows.
        columns: names of the columns.
        cells: the cells.
        published: the published numbers; a missing one was not published.
        published_by_others: whether the published numbers are quoted from work on other models.
        unpublished: text in the place of a missing published number.
        note: note under the table.
    """

    caption: str
    source: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[str, Mapping[str, CellSpec]]
    published: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    published_by_others: bool = False
    unpublished: str = ""
    note: str = ""

    def number(self, row: str, column: str) -> float | None:
        """Return the published number of a cell; None if there is none."""
        return self.published.get(row, {}).get(column)

    def first_reading(self, row: str) -> str:
        """Return the first row with the same published numbers of the same metrics: both measure one published row."""

        def printed(name: str) -> tuple:
            return self.published.get(name, {}), [cell.metric for cell in self.cells[name].values()]

        return next((other for other in self.rows if printed(other) == printed(row)), row)

    def scored(self, cell: CellSpec) -> list[CellSpec]:
        """Return the cells that are measured for a cell: itself, or the parts of a mean."""
        return [self.cells[part.row][part.column] for part in cell.mean_of] or [cell]


@dataclass(frozen=True)
class ClaimSpec:
    """A claim that some cells are better than others.

    Attributes:
        statement: the claim.
        source: where the paper makes it.
        better: cells that are claimed to be better.
        than: the others.
        than_value: a number in the place of `than`.
        better_the: whether their mean is compared, or the worst of them.
        than_the: whether they are compared with the mean of the others, or with the best.
        choose_on: split on which one cell of each side is chosen, such as one of several learning rates on dev: the one
            whose mean over seeds is best there.
        pairs: compares each of `better` with the cell at the same place of `than`: ``all`` are claimed to be better,
            or ``most``.
        spread: compares standard deviations instead of values, within groups of so many consecutive cells of each side;
            less is better.
        within: margin of a claim of equivalence; None claims that `better` is better.
        retention: whether it is about what is left of something learned. The cells that are subtracted are then of runs
            or stages that just learned it, and must be better than before these and than the majority baseline; at an
            epoch, or without scores before, than the baseline alone. If none is subtracted, `better` is what there was
            before a loss, and must be better than the majority baseline.
        mean_over: claims of the same sides on other metrics or splits; the mean of their effects is judged.
        part_of: the claim of which this is a part.
        contradicted: what else in the paper contradicts the claim.
    """

    statement: str
    source: str
    better: tuple[CellSpec, ...]
    than: tuple[CellSpec, ...] = ()
    than_value: float | None = None
    better_the: Literal["mean", "worst"] = "mean"
    than_the: Literal["mean", "best"] = "mean"
    choose_on: str = ""
    pairs: Literal["all", "most"] | None = None
    spread: int | None = None
    within: float | None = None
    retention: bool = False
    mean_over: tuple[ClaimSpec, ...] = ()
    part_of: str | None = None
    contradicted: str = ""

    @property
    def definition(self) -> str:
        """Digest of what is compared and how, whatever the words of the claim."""
        return provenance.digest(asdict(self._without_words()))

    def _without_words(self) -> ClaimSpec:
        parts = tuple(part._without_words() for part in self.mean_over)
        return replace(self, statement="", source="", contradicted="", part_of=None, mean_over=parts)

    @property
    def cells(self) -> tuple[CellSpec, ...]:
        """All compared cells."""
        return self.better + self.than + tuple(cell for part in self.mean_over for cell in part.cells)

    @property
    def candidates(self) -> tuple[CellSpec, ...]:
        """The cells on `choose_on`, if it is given."""
        return tuple(cell.to_choose(self.choose_on) for cell in self.cells) if self.choose_on else ()

    def runs(self, *sides: str) -> list[str]:
        """Return the runs on the given sides, ``better`` and ``than``, each once; those of both without an argument."""
        cells = [
            cell
            for part in self.mean_over or (self,)
            for side in sides or ("better", "than")
            for cell in getattr(part, side)
        ]
        return list(dict.fromkeys(cell.run for cell in cells if cell.run))


@dataclass(frozen=True)
class ListSpec:
    """A list of examples with the answers of `runs`, by title: all, or the `worst` errors of the first one."""

    caption: str
    source: str
    on: str
    threshold: float | ThresholdRule
    note: str = ""
    runs: Mapping[str, str] = field(default_factory=dict)
    worst: int = 0

    @property
    def cells(self) -> dict[str, CellSpec]:
        """What it is read from, by title of the run."""
        cell = CellSpec("accuracy", on=self.on, threshold=self.threshold)
        return {title: replace(cell, run=run) for title, run in self.runs.items()}


@dataclass(frozen=True)
class FigureSpec:
    """A figure; its `kind` decides which of the other fields it has. See `evaluation.figures`.

    Attributes:
        kind: name of the kind.
        caption: what it shows.
        runs: runs whose training curves it shows.
        table: table that it shows.
        quantity: what the table's numbers are.
        cost: column of the table on the horizontal axis.
        qualities: columns of the table on the vertical axes.
        of: runs whose token similarities it shows.
        titles: their titles.
        on: split of the pairs.
        pairs: texts that select pairs of the split.
        run: run whose metrics it shows by step.
        lines: cells of its lines by title of the panel and name of the line.
    """

    kind: str
    caption: str
    runs: tuple[str, ...] = ()
    table: str = ""
    quantity: str = ""
    cost: str = ""
    qualities: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    on: str = ""
    pairs: tuple[str, ...] = ()
    run: str = ""
    lines: Mapping[str, Mapping[str, CellSpec]] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """Where a cell is: the names of its table, row and column."""

    table: str
    row: str
    column: str


@dataclass(frozen=True)
class Headline:
    """The comparison on the report's first screen: cells of a column of a table, or of others, by label.

    Attributes:
        question: the paper's main question.
        measure: what the numbers measure.
        table: the table.
        column: the column.
        claims: the claims that answer the question.
        rows: the cells by label.
    """

    question: str
    measure: str
    table: str
    column: str
    claims: tuple[str, ...]
    rows: Mapping[str, Place]
