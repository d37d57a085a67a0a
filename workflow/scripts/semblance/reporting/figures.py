"""Figures: training curves, and tables drawn as dots with intervals."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from semblance.files import read_json, whole_file

STYLE = {
    "svg.hashsalt": "semblance",  # the same bytes every time
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "legend.frameon": False,
}
# Okabe and Ito's colours, told apart by colour-blind readers, each with a marker for readers in grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "D", "^", "v", "P")


def draw(spec: Mapping, data: Sequence[str], outputs) -> None:
    """Draw a figure of the spec's `kind` from its data files to `outputs`, which has paths svg and png."""
    with matplotlib.rc_context(STYLE):
        figure = {"training-curves": training_curves, "table-dots": table_dots}[spec["kind"]](spec, data)
        for path in (outputs.svg, outputs.png):
            kind = Path(path).suffix[1:]
            with whole_file(path) as part:
                metadata = {"Date": None} if kind == "svg" else {"Software": None}
                figure.savefig(part, format=kind, dpi=150, bbox_inches="tight", metadata=metadata)
        plt.close(figure)


def training_curves(spec: Mapping, data: Sequence[str]) -> plt.Figure:
    """One panel a run: training loss by step on the left axis, dev score by step on the right one.

    `data` are the runs' curve.csv files, in the order of `spec["runs"]`.
    """
    columns = min(3, len(data))
    rows = math.ceil(len(data) / columns)
    figure, axes = plt.subplots(rows, columns, figsize=(3.4 * columns, 2.4 * rows), squeeze=False, layout="constrained")
    for panel, run, path in zip(axes.flat, spec["runs"], data):
        series = _series(Path(path))
        panel.set_title(run)
        panel.set_xlabel("step")
        panel.set_ylabel("training loss", color=COLOURS[0])
        panel.plot(*series.pop("loss"), color=COLOURS[0], linewidth=1)
        panel.set_ylim(bottom=0)
        for name, points in series.items():
            score = panel.twinx()
            score.plot(*points, color=COLOURS[1], marker="o", markersize=3, linewidth=1, linestyle="--")
            score.set_ylabel(name, color=COLOURS[1])
            score.spines["right"].set_visible(True)
    for panel in axes.flat[len(data) :]:
        panel.set_visible(False)
    return figure


def table_dots(spec: Mapping, data: Sequence[str]) -> plt.Figure:
    """A table's rows as lines of dots, one dot a column, each with its interval."""
    table = read_json(data[0])
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
    axes.set_xlabel("accuracy")
    figure.legend(loc="outside upper center", ncols=min(4, len(columns)))
    return figure


def _series(path: Path) -> dict[str, tuple[list[int], list[float]]]:
    """The points of every series of a curve, stages end to end."""
    points: dict[str, tuple[list[int], list[float]]] = defaultdict(lambda: ([], []))
    offset, last, stage = 0, 0, None
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["stage"] != stage:
                offset, stage = offset + last, row["stage"]
            last = int(row["step"])
            points[row["series"]][0].append(offset + last)
            points[row["series"]][1].append(float(row["value"]))
    return dict(points)
