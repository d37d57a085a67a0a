"""Figures of training: losses, dev scores and metrics by step, epoch or stage."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from semblance.curve import ENDS
from semblance.evaluation.cells import by_step
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import COLLAPSED, NO, worst
from semblance.files import read_json
from semblance.reporting.figures.style import COLOURS, MARKERS
from semblance.reporting.learning import WORDS
from semblance.specs.cells import FigureSpec


def training_curves(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """One panel per run: training loss by step on the left axis, dev score on the right axis, one line per seed."""
    runs = spec.runs
    columns = min(3, len(runs))
    rows = math.ceil(len(runs) / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.4 * columns, 2.4 * rows), squeeze=False, layout="constrained")
    for panel, run in zip(axes.flat, runs):
        panel.set_title(_named(run, evidence))
        panel.set_xlabel("step")
        panel.set_ylabel("training loss", color=COLOURS[0])
        scores: dict[str, plt.Axes] = {}
        for series, alpha in _each_seed(run, evidence):
            panel.plot(*series["loss"], color=COLOURS[0], linewidth=1, alpha=alpha)
            for name in [name for name in series if name.startswith("dev ")]:
                if name not in scores:
                    scores[name] = panel.twinx()
                    scores[name].set_ylabel(name, color=COLOURS[1])
                    scores[name].spines["right"].set_visible(True)
                dashed = {"marker": "o", "markersize": 3, "linewidth": 1, "linestyle": "--"}
                scores[name].plot(*series[name], color=COLOURS[1], alpha=alpha, **dashed)
        panel.set_ylim(bottom=0)
    for panel in axes.flat[len(runs) :]:
        panel.set_visible(False)
    return figure


def scores_by_epoch(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """One panel per run: scores on dev and on a sample of training examples after each epoch."""
    runs = spec.runs
    figure, axes = plt.subplots(1, len(runs), figsize=(4.2 * len(runs), 3), squeeze=False, layout="constrained")
    for panel, run in zip(axes.flat, runs):
        _draw_series(panel, run, evidence, lambda name: name.startswith(("dev ", "train ")), along="epoch")
        panel.set_xlabel("epoch")
        panel.legend(*_once_each(panel))
    return figure


def scores_by_stage(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """One panel per run: the dev scores that select its stage, after each stage."""
    runs = spec.runs
    figure, axes = plt.subplots(
        1, len(runs), figsize=(4 * len(runs), 3.2), sharey=True, squeeze=False, layout="constrained"
    )
    for panel, run in zip(axes.flat, runs):
        _draw_series(panel, run, evidence, ends=True)
        panel.set_xlabel("stage")
    figure.legend(*_once_each(axes.flat[0]), loc="outside upper center", ncols=4)
    return figure


def metrics_by_step(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """Metrics of a run during training, one panel for each of ``spec.lines``.

    Hollow markers are the published values of the table in `data`, at the epochs in its column "Epoch".
    """
    panels = spec.lines.items()
    figure, axes = plt.subplots(1, len(panels), figsize=(4.6 * len(panels), 3.8), sharey=True, layout="constrained")
    printed = _printed(read_json(data[0])) if data else {}
    for axis, (title, lines) in zip(np.atleast_1d(axes), panels):
        for number, (name, cell) in enumerate(lines.items()):
            steps, epochs, values = zip(*by_step(cell, evidence))
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            every = max(1, len(steps) // 8)
            axis.plot(epochs, values, color=colour, marker=marker, markersize=3.5, markevery=every, lw=1, label=name)
            axis.plot(*printed.get(name, ([], [])), color=colour, marker=marker, markerfacecolor="none", linestyle="")
        scale = steps[-1] / epochs[-1]
        above = axis.secondary_xaxis("top", functions=(lambda e, s=scale: e * s, lambda n, s=scale: n / s))
        above.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        above.set_xlabel("step")
        seeds = len(evidence.curves(spec.run))
        remarks = [f"means over {seeds} seeds"] * (seeds > 1) + _warning(spec.run, evidence)
        axis.set_xlabel("epoch\n" + ", ".join([title, *remarks]))
    np.atleast_1d(axes)[0].plot([], [], color="0.4", marker="o", markerfacecolor="none", ls="", label="published")
    figure.legend(*np.atleast_1d(axes)[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def _draw_series(
    panel: plt.Axes, run: str, evidence: Evidence, shown: Callable[[str], bool] = lambda name: True, **how
) -> None:
    """Draw the series of a run's curves whose names pass `shown`: one colour and marker each, one line per seed."""
    for curves, alpha in _each_seed(run, evidence, **how):
        for number, (name, points) in enumerate(curves.items()):
            if shown(name):
                marks = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
                panel.plot(*points, **marks, alpha=alpha, markersize=4, linewidth=1.2, label=name)
    panel.set_title(_named(run, evidence))
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))


def _named(run: str, evidence: Evidence) -> str:
    """Return a run's name with the number of its seeds, if several, and whether it collapsed or did not learn."""
    seeds = len(evidence.curves(run))
    remarks = [f"{seeds} seeds"] * (seeds > 1) + _warning(run, evidence)
    return f"{run} ({', '.join(remarks)})" if remarks else run


def _warning(run: str, evidence: Evidence) -> list[str]:
    verdict = worst(evidence.learned(run))
    return [WORDS[verdict]] if verdict in (NO, COLLAPSED) else []


def _once_each(panel: plt.Axes) -> tuple[list, list[str]]:
    """Return a panel's legend with one entry per name, not one per seed."""
    named = dict(zip(*reversed(panel.get_legend_handles_labels())))
    return list(named.values()), list(named)


def _printed(table: Mapping) -> dict[str, tuple[list[float], list[float]]]:
    """Return for each column of a table the published epochs and the published numbers."""
    epochs = [row["cells"][table["columns"].index("Epoch")]["published"] for row in table["rows"]]
    return {
        name: (epochs, [row["cells"][number]["published"] for row in table["rows"]])
        for number, name in enumerate(table["columns"])
    }


def _each_seed(run: str, evidence: Evidence, **how) -> list[tuple[dict, float]]:
    """Return the series of each seed of a run, see `_series`, and their opacity, which is lower with several seeds."""
    files = evidence.curves(run)
    return [(_series(file, **how), 1.0 if len(files) == 1 else 0.5) for file in files]


def _series(path: Path, along: str = "step", ends: bool = False) -> dict[str, tuple[list[float], list[float]]]:
    """Return the points of each series of a curve.

    Args:
        path: file of the curve.
        along: ``step`` or ``epoch``, which continues over all stages.
        ends: whether to return the points after stages instead of those during stages.

    Returns:
        Positions and values of each series.
    """
    points: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    offset, last, stage = 0.0, 0.0, None
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["stage"] == ENDS) != ends:
                continue
            if row["stage"] != stage:
                offset, stage = offset + last, row["stage"]
            last = float(row[along])
            points[row["series"]][0].append(offset + last)
            points[row["series"]][1].append(float(row["value"]))
    return dict(points)
