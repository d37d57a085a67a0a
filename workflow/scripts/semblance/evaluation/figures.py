"""What a figure shows: the points of training curves, of metrics by step, and of tables."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from semblance import findings
from semblance.curve import ENDS, LOSS, PENALTY
from semblance.evaluation import metrics
from semblance.evaluation.cells import rows_and_thresholds
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import worst
from semblance.files import read_json
from semblance.findings import MeasuredTable
from semblance.registry import FIGURES
from semblance.specs.cells import CellSpec, FigureSpec

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


def curves(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> dict:
    """Return `runs`: for each run its `name`, verdict `learned`, number of `seeds`, and `series` by name.

    A series has arrays `at` (steps, or epochs if the figure is by epoch; both continue over all stages), `mean`,
    `lowest` and `highest` over seeds. Seeds can stop early: a mean is over those that are still there.
    """
    along = "epoch" if spec.kind == "scores-by-epoch" else "step"
    runs = []
    for run in spec.runs:
        seeds = [series(file, ends=spec.kind == "scores-by-stage") for file in evidence.curves(run)]
        found = {name: _over_seeds([one[name] for one in seeds if name in one], along) for name in seeds[0]}
        runs.append({"name": run, "learned": worst(evidence.learned(run)), "seeds": len(seeds), "series": found})
    return {"runs": runs}


def _over_seeds(seeds: Sequence[pd.DataFrame], along: str) -> dict[str, list[float]]:
    values = pd.concat([one.groupby(along)["value"].last() for one in seeds], axis=1)
    over = {"mean": values.mean(axis=1), "lowest": values.min(axis=1), "highest": values.max(axis=1)}
    return {"at": values.index.to_list(), **{name: found.to_list() for name, found in over.items()}}


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
        penalty = found[PENALTY]["value"] if PENALTY in found else 0
        found[TASK] = found[LOSS].assign(value=found[LOSS]["value"] - penalty)
    return found


def metrics_by_step(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> dict:
    """Return the lines of each panel as points, see `by_step`, and a table's `published` numbers by epoch.

    `seeds` is the number of seeds of the run, `learned` its verdict.
    """
    panels = spec.lines.items()
    return {
        "panels": {title: {name: by_step(cell, evidence) for name, cell in lines.items()} for title, lines in panels},
        "published": _published(findings.read(files[0], MeasuredTable)) if files else {},
        "seeds": len(evidence.curves(spec.run)),
        "learned": worst(evidence.learned(spec.run)),
    }


@dataclass(frozen=True)
class Point:
    """A value at an evaluation in training: mean, lowest and highest over seeds."""

    step: int
    epoch: float
    mean: float
    lowest: float
    highest: float


def by_step(cell: CellSpec, evidence: Evidence) -> list[Point]:
    """Return a cell's metric (or threshold) at each evaluation in training."""
    points = []
    # With `patience`, a seed may stop earlier than another; then the mean ends, too.
    for evaluations in zip(*evidence.evaluations(cell.run, cell.on)):
        step, epoch = evaluations[0].step, evaluations[0].epoch
        seeds, thresholds = rows_and_thresholds(replace(cell, epoch=epoch), evidence)
        values = thresholds
        if cell.metric != "threshold":
            both = zip(seeds, thresholds)
            values = [metrics.compute(cell.metric, s.target, s.score, threshold) for s, threshold in both]
        found = np.array(values, dtype=float)
        points.append(Point(step, epoch, float(found.mean()), float(found.min()), float(found.max())))
    return points


def _published(table: MeasuredTable) -> dict[str, list[tuple[float | None, float | None]]]:
    """Return for each column of a table its published numbers with the published epochs."""
    epochs = [cell.published for cell in table.by_column["Epoch"]]
    return {
        name: list(zip(epochs, (cell.published for cell in cells), strict=True))
        for name, cells in table.by_column.items()
    }


@dataclass(frozen=True)
class DrawnTable:
    """The data of a figure that shows a table.

    Attributes:
        table: the table.
        over: mean, lowest and highest value of each row, without missing ones.
        fronts: for each column of quality, the rows on its Pareto front, cheapest first.
    """

    table: MeasuredTable
    over: Mapping[str, tuple[float, float, float]]
    fronts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def table(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> DrawnTable:
    """Return a table as it is drawn."""
    [file] = files
    found = findings.read(file, MeasuredTable)
    values = {row.name: pd.Series([cell.value for cell in row.cells], dtype=float) for row in found.rows}
    return DrawnTable(found, {name: (one.mean(), one.min(), one.max()) for name, one in values.items()})


def pareto(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> DrawnTable:
    """Return a table as it is drawn, with its fronts; see `front`."""
    found = table(spec, files, evidence)
    rows = found.table.by_row
    values = pd.DataFrame(
        [[cell.value for cell in cells] for cells in rows.values()],
        index=list(rows),
        columns=found.table.columns,
        dtype=float,
    )
    return replace(found, fronts={one: front(values[spec.cost], values[one]) for one in spec.qualities})


def front(cost: pd.Series, quality: pd.Series) -> list[str]:
    """Return the names on the Pareto front, cheapest first: nothing is cheaper without a lower quality."""
    points = pd.DataFrame({"cost": cost, "quality": quality}).dropna()
    points = points.sort_values(["cost", "quality"], ascending=[True, False])
    best_before = points["quality"].cummax().shift(fill_value=-math.inf)
    return points.index[points["quality"] > best_before].tolist()


def matrices(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> dict:
    """Return `pairs` of sentences with their tokens and the similarity matrix of each run."""
    return {"pairs": read_json(files[0])}
