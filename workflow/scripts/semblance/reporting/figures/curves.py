"""Figures of training: losses, dev scores and metrics by step, epoch or stage."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogFormatter, MaxNLocator

from semblance.curve import LOSS, PROXIMITY, SMOOTHNESS
from semblance.evaluation.figures import TASK, MetricsByStep, RunCurves, Series
from semblance.reporting.figures.style import COLOURS, style
from semblance.reporting.notes import WORDS
from semblance.specs.cells import FigureSpec

PARTS = {"Task's loss": TASK, "Smoothness term": SMOOTHNESS, "Proximity term": PROXIMITY}


def training_curves(spec: FigureSpec, runs: Sequence[RunCurves]) -> plt.Figure:
    """One panel per run: training loss by step on the left axis, dev score on the right axis."""
    columns = min(3, len(runs))
    rows = math.ceil(len(runs) / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.4 * columns, 2.4 * rows), squeeze=False, layout="constrained")
    for panel, run in zip(axes.flat, runs):
        panel.set_title(_title(run))
        panel.set_xlabel("step")
        panel.set_ylabel("training loss", color=COLOURS[0])
        _draw_seeds(panel, run.series[LOSS], color=COLOURS[0], linewidth=1)
        for name in [name for name in run.series if name.startswith("dev ")]:
            scores = panel.twinx()
            scores.set_ylabel(name, color=COLOURS[1])
            scores.spines["right"].set_visible(True)
            dashed = {"marker": "o", "markersize": 3, "linewidth": 1, "linestyle": "--"}
            _draw_seeds(scores, run.series[name], color=COLOURS[1], **dashed)
        panel.set_ylim(bottom=0)
    for panel in axes.flat[len(runs) :]:
        panel.set_visible(False)
    return figure


def loss_parts(spec: FigureSpec, runs: Sequence[RunCurves]) -> plt.Figure:
    """One panel per part of the loss, one line per run: the task's loss, and SMART's terms without their factors."""
    figure, axes = plt.subplots(1, len(PARTS), figsize=(3.6 * len(PARTS), 3), layout="constrained")
    for panel, (name, series) in zip(axes, PARTS.items(), strict=True):
        for number, run in enumerate(runs):
            if series in run.series:
                line = {"color": COLOURS[number % len(COLOURS)], "linewidth": 1.2, "label": _title(run)}
                _draw_seeds(panel, run.series[series], **line)
        panel.set_title(name)
        panel.set_xlabel("step")
    for panel in axes[1:]:
        panel.set_yscale("log")  # the variants differ by orders of magnitude
        panel.yaxis.set_major_formatter(LogFormatter())  # the default writes TeX, which STYLE does not read
        panel.yaxis.set_minor_formatter(LogFormatter(labelOnlyBase=False))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    return figure


def scores_by_epoch(spec: FigureSpec, runs: Sequence[RunCurves]) -> plt.Figure:
    """One panel per run: scores on dev and on a sample of training examples after each epoch."""
    figure, axes = plt.subplots(1, len(runs), figsize=(4.2 * len(runs), 3), squeeze=False, layout="constrained")
    for panel, run in zip(axes.flat, runs):
        _draw_series(panel, run, lambda name: name.startswith(("dev ", "train ")))
        panel.set_xlabel("epoch")
        panel.legend()
    return figure


def scores_by_stage(spec: FigureSpec, runs: Sequence[RunCurves]) -> plt.Figure:
    """One panel per run: scores on dev after each stage, without those on rows held out to select one."""
    figure, axes = plt.subplots(
        1, len(runs), figsize=(4 * len(runs), 3.2), sharey=True, squeeze=False, layout="constrained"
    )
    for panel, run in zip(axes.flat, runs):
        _draw_series(panel, run, lambda name: "/selection " not in name)
        panel.set_xlabel("stage")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def metrics_by_step(spec: FigureSpec, data: MetricsByStep) -> plt.Figure:
    """Metrics of a run during training, one panel for each of ``spec.lines``; published values are hollow markers."""
    panels, scale = data.panels.items(), data.steps_per_epoch
    figure, axes = plt.subplots(1, len(panels), figsize=(4.6 * len(panels), 3.8), sharey=True, layout="constrained")
    for axis, (title, lines) in zip(np.atleast_1d(axes), panels):
        for number, (name, series) in enumerate(lines.items()):
            every = max(1, len(series.at) // 8)
            _draw_seeds(axis, series, **style(number), markersize=3.5, markevery=every, linewidth=1, label=name)
            published = zip(*data.published.get(name, []))
            axis.plot(*published, **style(number), markerfacecolor="none", linestyle="")
        above = axis.secondary_xaxis("top", functions=(lambda epoch: epoch * scale, lambda step: step / scale))
        above.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        above.set_xlabel("step")
        remarks = [f"mean and range of {data.seeds} seeds"] * (data.seeds > 1) + _warning(data)
        axis.set_xlabel("\n".join(["epoch", title, *remarks]))
    if any(data.published.values()):
        np.atleast_1d(axes)[0].plot([], [], color="0.4", marker="o", markerfacecolor="none", ls="", label="published")
    figure.legend(*np.atleast_1d(axes)[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def _draw_series(panel: plt.Axes, run: RunCurves, shown: Callable[[str], bool]) -> None:
    """Draw the series of a run whose names pass `shown`, with one colour and marker each."""
    for number, name in enumerate(filter(shown, run.series)):
        _draw_seeds(panel, run.series[name], label=name, markersize=4, linewidth=1.2, **style(number))
    panel.set_title(_title(run))
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))


def _draw_seeds(panel: plt.Axes, series: Series, **line: Any) -> None:
    """Draw a series as its mean over seeds, with a band from the lowest to the highest seed."""
    panel.plot(series.at, series.mean, **line)
    if series.lowest != series.highest:
        panel.fill_between(series.at, series.lowest, series.highest, color=line["color"], alpha=0.2, linewidth=0)


def _title(run: RunCurves) -> str:
    """Return a run's name with the number of its seeds, if several, and whether it collapsed or did not learn."""
    remarks = [f"{run.seeds} seeds"] * (run.seeds > 1) + _warning(run)
    return f"{run.name} ({', '.join(remarks)})" if remarks else run.name


def _warning(run: RunCurves | MetricsByStep) -> list[str]:
    """Return that a run did not learn, as the worst of its seeds did not."""
    with_some = " with some" if run.seeds > 1 else ""
    return [WORDS[run.learned] + with_some] if run.learned in WORDS else []
