"""What a figure shows: the points of training curves, of metrics by step, of tables, and similarities of tokens.

Each kind of data (`registry.FIGURES`) is a function with the arguments of `measured`.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from semblance import findings
from semblance.curve import ENDS, LOSS, PENALTY
from semblance.errors import UserError
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import worst
from semblance.evaluation.scored import Scored
from semblance.files import read_json
from semblance.findings import MeasuredTable
from semblance.registry import FIGURES
from semblance.specs.cells import CellSpec, FigureSpec
from semblance.specs.typed import typed

Points = Sequence[tuple[float | None, float | None]]  # an epoch and a number each
TASK = "task"  # name of a series that is not in the curve


def measured(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> Any:
    """Return the data of a figure.

    Args:
        spec: the figure; its kind is a key of `registry.FIGURES`.
        files: the file of a measured table or of similarity matrices, if the kind needs one.
        evidence: the recorded results of the figure's runs.

    Returns:
        What the function of its kind returns.
    """
    return globals()[FIGURES[spec.kind].data](spec, files, evidence)


@dataclass(frozen=True)
class Series:
    """Values in the course of a training, over seeds, or along the rows of a table, over its columns.

    Attributes:
        at: steps, epochs or stages, which continue over all stages, or numbers of rows.
        mean: mean over the values that are there: seeds can stop early.
        lowest: the lowest of them.
        highest: the highest of them.
    """

    at: Sequence[float]
    mean: Sequence[float]
    lowest: Sequence[float]
    highest: Sequence[float]

    @classmethod
    def over(cls, seeds: pd.DataFrame, skipna: bool = True) -> "Series":
        """Return the series of seeds: one column for each, by step, epoch or stage; `skipna` skips undefined values."""
        found = (getattr(seeds, over)(axis=1, skipna=skipna) for over in ("mean", "min", "max"))
        return cls(seeds.index.to_list(), *(one.to_list() for one in found))


@dataclass(frozen=True)
class RunCurves:
    """The training curves of a run: its verdict on learning, number of seeds, and series by name."""

    name: str
    learned: str | None
    seeds: int
    series: Mapping[str, Series]


def _along(along: str, ends: bool = False) -> Callable[[FigureSpec, Sequence[str], Evidence], list[RunCurves]]:
    """Return a function that returns the curves of each run of a figure, or with `ends` its scores after stages."""
    return lambda spec, files, evidence: [_curves(run, evidence, along, ends) for run in spec.runs]


curves, curves_by_epoch, curves_by_stage = _along("step"), _along("epoch"), _along("step", ends=True)


def _curves(run: str, evidence: Evidence, along: str, ends: bool) -> RunCurves:
    seeds = [series(file, ends) for file in evidence.curves(run)]
    found = {name: _over_seeds([one[name] for one in seeds if name in one], along) for name in seeds[0]}
    return RunCurves(run, worst(evidence.learned(run)), len(seeds), found)


def _over_seeds(seeds: Sequence[pd.DataFrame], along: str) -> Series:
    return Series.over(pd.concat([one.groupby(along)["value"].last() for one in seeds], axis=1))


def series(file: Path, ends: bool = False) -> dict[str, pd.DataFrame]:
    """Return the series of a curve by name: those during the stages, or with `ends` those after each stage.

    `TASK` is the task's part of a loss with a penalty.
    """
    points = pd.read_csv(file)
    points = points[(points["stage"] == ENDS) == ends]
    for along in ("step", "epoch"):
        lasts = points.groupby("stage", sort=False)[along].last()
        points[along] += points["stage"].map(lasts.cumsum() - lasts)
    found = {str(name): rows.reset_index() for name, rows in points.groupby("series", sort=False)}
    if LOSS in found:
        loss = found[LOSS].set_index("step")["value"]
        if PENALTY in found:  # in some stages, perhaps
            loss = loss.sub(found[PENALTY].set_index("step")["value"].reindex(loss.index, fill_value=0))
        found[TASK] = found[LOSS].assign(value=loss.to_numpy())
    return found


@dataclass(frozen=True)
class MetricsByStep:
    """Metrics in the course of a run's training.

    Attributes:
        panels: the measured metrics by name, by title of their panel.
        published: published epochs with a published number, by name of a metric.
        steps_per_epoch: steps of an epoch, for a second axis.
        seeds: number of seeds of the run.
        learned: verdict on whether it learned.
    """

    panels: Mapping[str, Mapping[str, Series]]
    published: Mapping[str, Points]
    steps_per_epoch: float
    seeds: int
    learned: str | None


def metrics_by_step(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> MetricsByStep:
    """Return the metrics of a figure at each evaluation in training, and the published ones of its table."""
    panels = spec.lines.items()
    on = next(cell.on for lines in spec.lines.values() for cell in lines.values())
    evaluations = evidence.evaluations(spec.run, on)[0]
    if not evaluations:
        raise UserError(f"{spec.run} has too few steps to be scored on {on} in training: lower its watch_every")
    last = evaluations[-1]
    return MetricsByStep(
        panels={title: {name: by_step(cell, evidence) for name, cell in lines.items()} for title, lines in panels},
        published=_published(findings.read(files[0], MeasuredTable)) if files else {},
        steps_per_epoch=last.step / last.epoch,
        seeds=len(evidence.curves(spec.run)),
        learned=worst(evidence.learned(spec.run)),
    )


def by_step(cell: CellSpec, evidence: Evidence) -> Series:
    """Return a cell's metric (or threshold) by epoch, at each evaluation in training."""
    found = {}
    # With `patience`, a seed may stop earlier than another; then the series ends, too.
    for evaluations in zip(*evidence.evaluations(cell.run, cell.on)):
        epoch = evaluations[0].epoch
        scored = Scored(replace(cell, epoch=epoch), evidence)
        found[epoch] = [scored.metric(seed) for seed in range(scored.seed_count)]
    return Series.over(pd.DataFrame.from_dict(found, orient="index", dtype=float), skipna=False)


def _published(table: MeasuredTable) -> dict[str, Points]:
    """Return for each column of a table its published numbers with the published epochs."""
    epochs = [cell.published for cell in table.by_column["Epoch"]]
    return {
        name: list(zip(epochs, (cell.published for cell in cells), strict=True))
        for name, cells in table.by_column.items()
    }


def table(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> MeasuredTable:
    """Return the table that the figure shows."""
    return findings.read(files[0], MeasuredTable)


@dataclass(frozen=True)
class Spread:
    """A table, and the values of its columns along its rows; nan of a row without values."""

    table: MeasuredTable
    values: Series


def spread(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> Spread:
    """Return the table that the figure shows, with how far the values of each row spread."""
    shown = findings.read(files[0], MeasuredTable)
    values = pd.DataFrame([[cell.value for cell in row.cells] for row in shown.rows], dtype=float)
    return Spread(shown, Series.over(values))


@dataclass(frozen=True)
class Tradeoff:
    """Rows of a table by cost and quality, if their costs were measured on the machine that most rows share.

    Attributes:
        points: cost and quality of each row that has both, by name.
        front: the rows on the Pareto front, cheapest first.
    """

    points: Mapping[str, tuple[float, float]]
    front: Sequence[str]


@dataclass(frozen=True)
class Tradeoffs:
    """A table, its rows by their cost and by each of several qualities, and those that another machine measured."""

    table: MeasuredTable
    by_quality: Mapping[str, Tradeoff]
    left_out: Sequence[str] = ()


def tradeoffs(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> Tradeoffs:
    """Return the table that the figure shows, with the Pareto front of each quality."""
    shown = findings.read(files[0], MeasuredTable)
    columns, names = shown.by_column, list(shown.by_row)
    machines = [cell.machine for cell in columns[spec.cost]]
    [(machine, _)] = Counter(cell.machine for cell in columns[spec.cost] if cell.value is not None).most_common(1)
    found = {}
    for quality in spec.qualities:
        both = zip(names, columns[spec.cost], columns[quality], strict=True)
        points = {
            name: (cost.value, good.value)
            for name, cost, good in both
            if cost.value is not None and good.value is not None and cost.machine == machine
        }
        found[quality] = Tradeoff(points, front(points))
    return Tradeoffs(shown, found, [name for name, other in zip(names, machines) if other != machine])


def front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the names on the Pareto front, cheapest first: nothing is cheaper without a lower quality.

    Args:
        points: cost and quality by name.
    """
    found, highest = [], -math.inf
    for name, (_, quality) in sorted(points.items(), key=lambda one: (one[1][0], -one[1][1])):
        if quality > highest:
            found.append(name)
            highest = quality
    return found


@dataclass(frozen=True)
class ComparedTokens:
    """How similar the tokens of a pair of sentences are to networks.

    Attributes:
        id: the pair's id.
        tokens: the tokens of both sentences.
        matrices: similarities by network, with a row for each token of the first sentence.
    """

    id: str
    tokens: tuple[Sequence[str], Sequence[str]]
    matrices: Sequence[Sequence[Sequence[float]]]


def matrices(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> list[ComparedTokens]:
    """Return pairs of sentences with their tokens and the similarity matrix of each run."""
    return [typed(ComparedTokens, pair) for pair in read_json(files[0])]
