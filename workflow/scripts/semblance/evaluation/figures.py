"""What a figure shows: the points of training curves, of metrics by step, and of tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

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


@dataclass(frozen=True)
class Series:
    """Values in the course of a training, over seeds.

    Attributes:
        at: steps, epochs or stages; all continue over all stages.
        mean: mean over the seeds that are still there: they can stop early.
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


def curves(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> list[dict]:
    """Return for each run its `name`, verdict `learned`, number of `seeds`, and `series` by name."""
    along = "epoch" if spec.kind == "scores-by-epoch" else "step"
    runs = []
    for run in spec.runs:
        seeds = [series(file, ends=spec.kind == "scores-by-stage") for file in evidence.curves(run)]
        found = {name: _over_seeds([one[name] for one in seeds if name in one], along) for name in seeds[0]}
        runs.append({"name": run, "learned": worst(evidence.learned(run)), "seeds": len(seeds), "series": found})
    return runs


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
        penalty = found[PENALTY]["value"] if PENALTY in found else 0
        found[TASK] = found[LOSS].assign(value=found[LOSS]["value"] - penalty)
    return found


def metrics_by_step(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> dict:
    """Return the lines of each panel, see `by_step`, and a table's `published` numbers by epoch.

    `seeds` is the number of seeds of the run, `learned` its verdict, `steps_per_epoch` those of its last evaluation.
    """
    panels = spec.lines.items()
    on = next(cell.on for lines in spec.lines.values() for cell in lines.values())
    last = evidence.evaluations(spec.run, on)[0][-1]
    return {
        "panels": {title: {name: by_step(cell, evidence) for name, cell in lines.items()} for title, lines in panels},
        "steps_per_epoch": last.step / last.epoch,
        "published": _published(findings.read(files[0], MeasuredTable)) if files else {},
        "seeds": len(evidence.curves(spec.run)),
        "learned": worst(evidence.learned(spec.run)),
    }


def by_step(cell: CellSpec, evidence: Evidence) -> Series:
    """Return a cell's metric (or threshold) by epoch, at each evaluation in training."""
    found = {}
    # With `patience`, a seed may stop earlier than another; then the series ends, too.
    for evaluations in zip(*evidence.evaluations(cell.run, cell.on)):
        epoch = evaluations[0].epoch
        seeds, thresholds = rows_and_thresholds(replace(cell, epoch=epoch), evidence)
        values = thresholds
        if cell.metric != "threshold":
            both = zip(seeds, thresholds)
            values = [
                metrics.compute(cell.metric, s.target, s.compared(cell.metric), threshold) for s, threshold in both
            ]
        found[epoch] = values
    return Series.over(pd.DataFrame.from_dict(found, orient="index", dtype=float), skipna=False)


def _published(table: MeasuredTable) -> dict[str, list[tuple[float | None, float | None]]]:
    """Return for each column of a table its published numbers with the published epochs."""
    epochs = [cell.published for cell in table.by_column["Epoch"]]
    return {
        name: list(zip(epochs, (cell.published for cell in cells), strict=True))
        for name, cells in table.by_column.items()
    }


def table(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> MeasuredTable:
    """Return the table that the figure shows."""
    return findings.read(files[0], MeasuredTable)


def matrices(spec: FigureSpec, files: Sequence[str], evidence: Evidence) -> list[dict]:
    """Return pairs of sentences with their tokens and the similarity matrix of each run."""
    return read_json(files[0])
