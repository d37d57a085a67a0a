"""Figures of tables: heatmaps, dots with intervals, spreads, and fronts of quality against cost."""

import math
from collections.abc import Sequence
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, NullFormatter

from semblance.evaluation.figures import Spread, Tradeoffs
from semblance.findings import MeasuredCell, MeasuredTable
from semblance.reporting.figures.style import COLOURS, style
from semblance.reporting.notes import MARKS, WORDS
from semblance.specs.cells import FigureSpec

DARK = 0.85  # shade of a heatmap from which numbers are white


def table_heatmap(spec: FigureSpec, data: MeasuredTable) -> plt.Figure:
    """A table as a heatmap with its numbers, darker if higher in their column; undefined numbers are blank."""
    rows, columns = data.rows, data.columns
    values = np.array([list(map(_value, row.cells)) for row in rows])
    lowest, highest = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    shades = (values - lowest) / np.maximum(highest - lowest, 0.05)  # small differences have similar shades
    size = (1.5 * len(columns) + 2.5, 0.34 * len(rows) + 1)
    figure, axis = plt.subplots(figsize=size, layout="constrained")
    axis.imshow(shades, cmap="Blues", vmin=0, vmax=1.4, aspect="auto")
    for place, row in np.ndindex(values.shape):
        if not math.isnan(values[place, row]):
            mark = MARKS.get(rows[place].cells[row].learned, "")
            ink = "white" if shades[place, row] > DARK else "black"
            axis.text(row, place, f"{values[place, row]:.3f}{mark}", ha="center", va="center", color=ink)
    axis.set_xticks(range(len(columns)), columns)
    axis.xaxis.tick_top()
    axis.set_yticks(range(len(rows)), [row.name for row in rows])
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    verdicts = {cell.learned for cell in data.cells}
    axis.set_xlabel("; ".join(f"{mark} {WORDS[verdict]}" for verdict, mark in MARKS.items() if verdict in verdicts))
    return figure


def table_dots(spec: FigureSpec, data: MeasuredTable) -> plt.Figure:
    """One line per row of a table, with a dot and its interval for each column."""
    rows, columns = data.rows, data.columns
    # Between the last line of a row and the first of the next, the space of a line and a half.
    figure, axes = plt.subplots(figsize=(7, 0.1 * len(rows) * (len(columns) + 1.5) + 1), layout="constrained")
    for number in range(len(columns)):
        shift = (number - (len(columns) - 1) / 2) / (len(columns) + 1.5)
        for place, row in enumerate(rows):
            cell, height = row.cells[number], len(rows) - 1 - place - shift
            axes.plot(_ends(cell), [height] * 2, color=COLOURS[number % len(COLOURS)], linewidth=1.5)
            _dot(axes, _value(cell), height, number, cell)
    axes.set_yticks(range(len(rows)), [row.name for row in reversed(rows)])
    axes.axvline(0.5, color="0.7", linewidth=0.8, zorder=0)
    axes.set_xlim(0, 1.02)
    axes.set_xlabel(spec.quantity)
    _legend(figure, columns)
    return figure


def table_panels(spec: FigureSpec, data: MeasuredTable) -> plt.Figure:
    """One panel per column of a table, with a dot and its interval for each row."""
    rows, columns = data.rows, data.columns
    size = (2.1 * len(columns) + 1, 0.3 * len(rows) + 1.1)
    figure, axes = plt.subplots(1, len(columns), figsize=size, sharey=True, squeeze=False, layout="constrained")
    for number, (axis, column) in enumerate(zip(axes.flat, columns)):
        for place, row in enumerate(rows):
            cell, height = row.cells[number], len(rows) - 1 - place
            axis.plot(_ends(cell), [height] * 2, color=COLOURS[0], linewidth=1.5)
            _dot(axis, _value(cell), height, 0, cell)
        axis.set_title(column)
        axis.set_xlabel(spec.quantity)
    axes.flat[0].set_yticks(range(len(rows)), [row.name for row in reversed(rows)])
    _legend(figure, [])
    return figure


def table_spread(spec: FigureSpec, data: Spread) -> plt.Figure:
    """Dots for the columns of each row of a table, with lines for their mean and range."""
    rows, columns = data.table.rows, data.table.columns
    figure, axis = plt.subplots(figsize=(0.85 * len(rows) + 1, 3.4), layout="constrained")
    values = data.values
    for place, (mean, low, high) in enumerate(zip(values.mean, values.lowest, values.highest, strict=True)):
        axis.plot([place] * 2, [low, high], color="0.6", linewidth=1, zorder=0)
        axis.plot([place - 0.25, place + 0.25], [mean] * 2, color="0.2", linewidth=1.5)
    for number in range(len(columns)):
        shift = (number - (len(columns) - 1) / 2) * 0.1
        for place, cell in enumerate(row.cells[number] for row in rows):
            _dot(axis, place + shift, _value(cell), number, cell)
    axis.set_xticks(range(len(rows)), [row.name.replace(", ", ",\n") for row in rows])
    axis.set_ylabel(spec.quantity)
    _legend(figure, columns)
    return figure


def table_pareto(spec: FigureSpec, data: Tradeoffs) -> plt.Figure:
    """One panel per column of quality against the column of cost, with the rows of the Pareto front named."""
    columns, names = data.table.by_column, list(data.table.by_row)
    groups = list(dict.fromkeys(name.partition(":")[0] for name in names))
    across = min(2, len(spec.qualities))
    down = math.ceil(len(spec.qualities) / across)
    figure, axes = plt.subplots(down, across, figsize=(5.4 * across, 3.8 * down), squeeze=False, layout="constrained")
    for axis, (quality, found) in zip(axes.flat, data.by_quality.items()):
        cells, points, best = dict(zip(names, columns[quality], strict=True)), found.points, found.front
        for name, (cost, value) in points.items():
            group = groups.index(name.partition(":")[0])
            axis.plot([cost, cost], _ends(cells[name]), color=COLOURS[group % len(COLOURS)], linewidth=0.8, alpha=0.5)
            _dot(axis, cost, value, group, cells[name])
        axis.step(*zip(*(points[name] for name in best)), where="post", color="0.4", linewidth=1, zorder=0)
        for number, name in enumerate(best, start=1):
            axis.plot([], [], linestyle="", label=f"{number}  {name.partition(': ')[2]}")
        axis.legend(handlelength=0, handletextpad=0, fontsize=7, loc="best")
        axis.set_xscale("log")
        axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.xaxis.set_major_formatter(lambda cost, _: f"{cost:g}")
        axis.xaxis.set_minor_formatter(NullFormatter())
        axis.set_xlabel(spec.cost)
        axis.set_title(quality)
        axis.margins(y=0.15)  # room for the numbers
        _number(axis, [points[name] for name in best])
    for axis in axes.flat[len(spec.qualities) :]:
        axis.set_visible(False)
    _legend(figure, groups)
    if data.left_out:
        named = ", ".join(name.partition(": ")[2] or name for name in data.left_out)
        figure.supxlabel(fill(f"Measured on another machine, not shown: {named}", 100), fontsize=8)
    return figure


def _value(cell: MeasuredCell) -> float:
    """Return a cell's value; nan, which is not drawn, if it is missing."""
    return math.nan if cell.value is None else cell.value


def _ends(cell: MeasuredCell) -> tuple[float, float]:
    """Return both ends of a cell's interval; nan, which is not drawn, if it has none."""
    return cell.interval or (math.nan, math.nan)


def _dot(axis: plt.Axes, x: float, y: float, number: int, cell: MeasuredCell) -> None:
    """Draw a cell's value in the colour and marker of a series; hollow if its run did not clearly learn."""
    hollow = {"markerfacecolor": "none"} if cell.learned in MARKS else {}
    axis.plot(x, y, **_style(number), **hollow)


def _style(number: int) -> dict:
    return {**style(number), "markersize": 5, "linestyle": ""}


def _legend(figure: plt.Figure, names: Sequence[str]) -> None:
    """Name the series, and explain hollow markers if there are any."""
    marks = {name: plt.Line2D([], [], **_style(number)) for number, name in enumerate(names)}
    if any(line.get_markerfacecolor() == "none" for axis in figure.axes for line in axis.lines):
        hollow = {"color": "0.4", "marker": "o", "markerfacecolor": "none", "linestyle": ""}
        marks["hollow: did not learn, or no clear gain"] = plt.Line2D([], [], **hollow)
    if marks:
        figure.legend(marks.values(), marks.keys(), loc="outside upper center", ncols=min(4, len(marks)))


def _number(axis: plt.Axes, points: Sequence[tuple[float, float]]) -> None:
    """Number points that rise from left to right; a number without room is moved up and connected to its point."""
    right, top = -math.inf, -math.inf  # edges of the last number, in pixels
    size = axis.figure.dpi / 72  # pixels per typographic point
    for number, point in enumerate(points, start=1):
        x, y = axis.transData.transform(point)
        lifted = max(4, (top - y) / size + 1) if x < right else 4
        tie = {"arrowstyle": "-", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 2} if lifted > 4 else None
        axis.annotate(str(number), point, (4, lifted), textcoords="offset points", fontweight="bold", arrowprops=tie)
        right, top = x + 9 * size, y + (lifted + 10) * size
