"""Figures of training curves, metrics by step, tables and similarity matrices.

Each function draws one kind of figure from its spec, data files and recorded results; see `draw`.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from semblance.curve import ENDS
from semblance.evaluation.cells import by_step
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.pareto import front
from semblance.files import read_json, whole_file
from semblance.specs.cells import FigureSpec

STYLE = {
    "svg.hashsalt": "semblance",  # bit-identical files
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "legend.frameon": False,
}
# The palette of Okabe and Ito for colour-blind readers. The markers distinguish series in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "D", "^", "v", "P")


def draw(spec: FigureSpec, data: Sequence[str], evidence: Evidence, outputs) -> None:
    """Draw a figure.

    Args:
        spec: spec of the figure; `kind` is a key of `KINDS`.
        data: a rendered table or similarity matrices as JSON, if the kind needs one.
        evidence: the recorded results of the figure's runs.
        outputs: has the paths svg and png.
    """
    with matplotlib.rc_context(STYLE):
        figure = KINDS[spec.kind](spec, data, evidence)
        for path in (outputs.svg, outputs.png):
            kind = Path(path).suffix[1:]
            with whole_file(path) as part:
                metadata = {"Date": None} if kind == "svg" else {"Software": None}
                figure.savefig(part, format=kind, dpi=150, bbox_inches="tight", metadata=metadata)
        plt.close(figure)


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


def _draw_series(
    panel: plt.Axes, run: str, evidence: Evidence, shown: Callable[[str], bool] = lambda name: True, **how
) -> None:
    """Draw the series of a run's curves whose names pass `shown`: one colour and marker each, one line per seed."""
    for curves, alpha in _each_seed(run, evidence, **how):
        for number, (name, points) in enumerate(curves.items()):
            if shown(name):
                look = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
                panel.plot(*points, **look, alpha=alpha, markersize=4, linewidth=1.2, label=name)
    panel.set_title(_named(run, evidence))
    panel.xaxis.set_major_locator(MaxNLocator(integer=True))


def _named(run: str, evidence: Evidence) -> str:
    seeds = len(evidence.curves(run))
    return run if seeds == 1 else f"{run} ({seeds} seeds)"


def _once_each(panel: plt.Axes) -> tuple[list, list[str]]:
    """Return a panel's legend with one entry per name, not one per seed."""
    named = dict(zip(*reversed(panel.get_legend_handles_labels())))
    return list(named.values()), list(named)


def _table(data: Sequence[str]) -> dict:
    """Return a rendered table, with nan in the place of missing values and ends of intervals."""
    table = read_json(data[0])
    for cell in (cell for row in table["rows"] for cell in row["cells"]):
        cell |= {key: math.nan for key in ("value", "low", "high") if cell.get(key) is None}
    return table


def table_heatmap(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """A table as a heatmap with its numbers, darker if higher in their column; undefined numbers are blank."""
    table = _table(data)
    rows, columns = table["rows"], table["columns"]
    values = np.array([[cell["value"] for cell in row["cells"]] for row in rows])
    lowest, highest = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    shades = (values - lowest) / np.maximum(highest - lowest, 0.05)  # small differences have similar shades
    size = (1.5 * len(columns) + 2.5, 0.34 * len(rows) + 1)
    figure, axis = plt.subplots(figsize=size, layout="constrained")
    axis.imshow(shades, cmap="Blues", vmin=0, vmax=1.4, aspect="auto")
    for place, row in np.ndindex(values.shape):
        if not math.isnan(values[place, row]):
            axis.text(row, place, f"{values[place, row]:.3f}", ha="center", va="center")
    axis.set_xticks(range(len(columns)), columns)
    axis.xaxis.tick_top()
    axis.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    return figure


def table_dots(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """One line per row of a table, with a dot and its interval for each column."""
    table = _table(data)
    rows, columns = table["rows"], table["columns"]
    figure, axes = plt.subplots(figsize=(7, 0.55 * len(rows) + 1), layout="constrained")
    for number, column in enumerate(columns):
        shift = (number - (len(columns) - 1) / 2) * 0.16
        for place, row in enumerate(rows):
            cell, height = row["cells"][number], len(rows) - 1 - place - shift
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            label = column if place == 0 else None
            axes.plot([cell["low"], cell["high"]], [height] * 2, color=colour, linewidth=1.5)
            axes.plot(cell["value"], height, marker=marker, color=colour, markersize=5, linestyle="", label=label)
    axes.set_yticks(range(len(rows)), [row["name"] for row in reversed(rows)])
    axes.axvline(0.5, color="0.7", linewidth=0.8, zorder=0)
    axes.set_xlim(0, 1.02)
    axes.set_xlabel(spec.quantity)
    figure.legend(loc="outside upper center", ncols=min(4, len(columns)))
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
        axis.set_xlabel(f"epoch\n{title}" + (f", means over {seeds} seeds" if seeds > 1 else ""))
    np.atleast_1d(axes)[0].plot([], [], color="0.4", marker="o", markerfacecolor="none", ls="", label="published")
    figure.legend(*np.atleast_1d(axes)[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    return figure


def _printed(table: Mapping) -> dict[str, tuple[list[float], list[float]]]:
    """Return for each column of a table the published epochs and the published numbers."""
    epochs = [row["cells"][table["columns"].index("Epoch")]["published"] for row in table["rows"]]
    return {
        name: (epochs, [row["cells"][number]["published"] for row in table["rows"]])
        for number, name in enumerate(table["columns"])
    }


def table_panels(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """One panel per column of a table, with a dot and its interval for each row."""
    table = _table(data)
    rows, columns = table["rows"], table["columns"]
    size = (2.1 * len(columns) + 1, 0.3 * len(rows) + 1.1)
    figure, axes = plt.subplots(1, len(columns), figsize=size, sharey=True, squeeze=False, layout="constrained")
    for number, (axis, column) in enumerate(zip(axes.flat, columns)):
        for place, row in enumerate(rows):
            cell, height = row["cells"][number], len(rows) - 1 - place
            axis.plot([cell["low"], cell["high"]], [height] * 2, color=COLOURS[0], linewidth=1.5)
            axis.plot(cell["value"], height, color=COLOURS[0], marker=MARKERS[0], markersize=5)
        axis.set_title(column)
        axis.set_xlabel(spec.quantity)
    axes.flat[0].set_yticks(range(len(rows)), [row["name"] for row in reversed(rows)])
    return figure


def table_spread(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """Dots for the columns of each row of a table, with lines for their mean and range."""
    table = _table(data)
    rows, columns = table["rows"], table["columns"]
    figure, axis = plt.subplots(figsize=(0.85 * len(rows) + 1, 3.4), layout="constrained")
    for place, row in enumerate(rows):
        values = [cell["value"] for cell in row["cells"] if not math.isnan(cell["value"])] or [math.nan]
        axis.plot([place] * 2, [min(values), max(values)], color="0.6", linewidth=1, zorder=0)
        axis.plot([place - 0.25, place + 0.25], [np.mean(values)] * 2, color="0.2", linewidth=1.5)
    for number, column in enumerate(columns):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        values = [row["cells"][number]["value"] for row in rows]
        shift = (number - (len(columns) - 1) / 2) * 0.1
        places = [place + shift for place in range(len(rows))]
        axis.plot(places, values, color=colour, marker=marker, markersize=5, linestyle="", label=column)
    axis.set_xticks(range(len(rows)), [row["name"].replace(", ", ",\n") for row in rows])
    axis.set_ylabel(spec.quantity)
    figure.legend(loc="outside upper center", ncols=len(columns))
    return figure


def table_pareto(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """One panel per column of quality against the column of cost, with the rows of the Pareto front named."""
    table = _table(data)
    columns = [table["columns"].index(name) for name in (spec.cost, *spec.qualities)]
    across = min(2, len(spec.qualities))
    down = math.ceil(len(spec.qualities) / across)
    figure, axes = plt.subplots(down, across, figsize=(5.4 * across, 3.8 * down), squeeze=False, layout="constrained")
    for axis, quality, column in zip(axes.flat, spec.qualities, columns[1:]):
        cells = {row["name"]: (row["cells"][columns[0]], row["cells"][column]) for row in table["rows"]}
        both = {name: (cost["value"], good["value"]) for name, (cost, good) in cells.items()}
        points = {name: values for name, values in both.items() if not any(map(math.isnan, values))}
        groups = list(dict.fromkeys(name.partition(":")[0] for name in cells))
        for name, (cost, value) in points.items():
            group = groups.index(name.partition(":")[0])
            low, high = (cells[name][1][end] for end in ("low", "high"))
            axis.plot([cost, cost], [low, high], color=COLOURS[group % len(COLOURS)], linewidth=0.8, alpha=0.5)
            axis.plot(cost, value, color=COLOURS[group % len(COLOURS)], marker=MARKERS[group % len(MARKERS)], ms=5)
        best = front(points)
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
    marks = [
        plt.Line2D([], [], color=COLOURS[n % len(COLOURS)], marker=MARKERS[n % len(MARKERS)], linestyle="")
        for n in range(len(groups))
    ]
    figure.legend(marks, groups, loc="outside upper center", ncols=len(groups))
    return figure


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


def similarity_matrices(spec: FigureSpec, data: Sequence[str], evidence: Evidence) -> plt.Figure:
    """Similarity matrices of tokens, one row per pair and one column per network; darker is more similar."""
    pairs = read_json(data[0])
    longest = max(len(side) for pair in pairs for side in pair["tokens"])
    size = (0.24 * longest + 1.2) * len(spec.titles), (0.2 * longest + 1.4) * len(pairs)
    figure, axes = plt.subplots(len(pairs), len(spec.titles), figsize=size, squeeze=False, layout="constrained")
    for row, pair in zip(axes, pairs):
        for axis, title, matrix in zip(row, spec.titles, pair["matrices"]):
            drawn = axis.imshow(matrix, cmap="Blues", aspect="auto")
            down, across = pair["tokens"]
            axis.set_yticks(range(len(down)), down, fontsize=7)
            axis.set_xticks(range(len(across)), across, fontsize=7, rotation=90)
            axis.set_title(f"{title}, {pair['id']}")
            axis.spines[["top", "right"]].set_visible(True)
            figure.colorbar(drawn, ax=axis, fraction=0.04, pad=0.02).ax.tick_params(labelsize=6)
    return figure


KINDS = {
    "training-curves": training_curves,
    "scores-by-epoch": scores_by_epoch,
    "scores-by-stage": scores_by_stage,
    "table-heatmap": table_heatmap,
    "table-dots": table_dots,
    "table-panels": table_panels,
    "table-spread": table_spread,
    "metrics-by-step": metrics_by_step,
    "similarity-matrices": similarity_matrices,
    "table-pareto": table_pareto,
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
