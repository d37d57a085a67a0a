"""Figures over all papers: the effect of each claim about scores, and measured scores against published ones."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt

from semblance.evaluation.comparisons import CANNOT_BE_JUDGED, OVERALL, REFUTED, SUPPORTED
from semblance.evaluation.verdicts import NOT_COMPARABLE
from semblance.reporting.claims import LIMIT
from semblance.reporting.figures.style import COLOURS, MARKERS

GREY = "0.55"
# Colour, marker and filling of a verdict.
SUPPORTS, REFUTES = (COLOURS[2], "o", COLOURS[2]), (COLOURS[1], "D", COLOURS[1])
LEAVES_OPEN, UNJUDGED = (GREY, "o", "white"), (GREY, "x", GREY)
VERDICTS = {SUPPORTED: SUPPORTS, REFUTED: REFUTES, **dict.fromkeys(CANNOT_BE_JUDGED, UNJUDGED)}
LEGEND = {"supported": SUPPORTS, "refuted": REFUTES, "inconclusive": LEAVES_OPEN, "cannot be judged": UNJUDGED}


def forest(papers: Sequence[Mapping]) -> plt.Figure:
    """One panel per paper: each claim's effect with its 95% interval, and its verdict by colour and marker.

    Args:
        papers: judged claims, see `reporting.claims`. Effects that are no differences of scores are left
            out; those beyond the axis are drawn at its ends.
    """
    shown = {one["paper"]: [claim for claim in one["claims"] if _is_drawn(claim)] for one in papers}
    shown = shown or {"": []}
    rows = max(1, *map(len, shown.values()))
    size = (3.6 * len(shown), 0.8 + 0.15 * rows)
    figure, axes = plt.subplots(1, len(shown), figsize=size, squeeze=False, layout="constrained")
    for panel, (paper, claims) in zip(axes.flat, shown.items(), strict=True):
        panel.axvline(0, color="0.8", linewidth=1, zorder=0)
        for row, claim in enumerate(claims):
            colour, marker, fill = VERDICTS.get(claim["verdict"], LEAVES_OPEN)
            low, effect, high = (_inside(claim[key]) for key in ("low", "effect", "high"))
            panel.plot([low, high], [row, row], color=colour, linewidth=1.4, solid_capstyle="butt")
            panel.plot(effect, row, marker, color=colour, markerfacecolor=fill, markersize=4)
        panel.set_yticks(range(len(claims)), [claim["claim"].replace("-", " ") for claim in claims], fontsize=6)
        panel.set_ylim(rows - 0.5, -0.5)
        panel.set_xlim(-LIMIT * 1.05, LIMIT * 1.05)
        panel.set_title(paper)
        panel.set_xlabel("effect")
    for label, (colour, marker, fill) in LEGEND.items():
        axes.flat[0].plot([], [], marker, color=colour, markerfacecolor=fill, markersize=4, label=label)
    figure.legend(*axes.flat[0].get_legend_handles_labels(), loc="outside upper left", ncols=len(LEGEND))
    return figure


def scatter(tables: Sequence[Mapping]) -> plt.Figure:
    """Measured against published scores with 95% intervals; hollow where the two are not comparable.

    Args:
        tables: built tables, see `evaluation.tables.measured`. Cells that show no score are left out.
    """
    figure, axis = plt.subplots(figsize=(5.4, 5.2), layout="constrained")
    lowest = 0.0
    for number, paper in enumerate(dict.fromkeys(table["paper"] for table in tables)):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        cells = [cell for table in tables if table["paper"] == paper for cell in _scores(table)]
        for cell in cells:
            published, value, low, high = (
                cell[key] / cell["score_of_one"] for key in ("published", "value", "low", "high")
            )
            comparable = not cell["verdict"].startswith(NOT_COMPARABLE)
            fill = colour if comparable else "none"
            lowest = min(lowest, published, value)
            axis.plot([published] * 2, [low, high], color=colour, linewidth=0.8, alpha=0.4)
            axis.plot(published, value, marker, color=colour, markerfacecolor=fill, markersize=5, alpha=0.8)
        if cells:
            axis.plot([], [], marker, color=colour, label=f"{paper} ({len(cells)})")
    axis.axline((0, 0), slope=1, color="0.8", linewidth=1, zorder=0)
    axis.set(xlim=(lowest - 0.05, 1.05), ylim=(lowest - 0.05, 1.05))  # intervals may go beyond
    axis.set_xlabel("published")
    axis.set_ylabel("measured here")
    axis.set_aspect("equal")
    if axis.get_legend_handles_labels()[0]:
        axis.legend(loc="upper left")
    return figure


def _is_drawn(claim: Mapping) -> bool:
    return claim["unit"] in (None, OVERALL) and None not in (claim["effect"], claim["low"])


def _inside(value: float) -> float:
    return min(max(value, -LIMIT), LIMIT)


def _scores(table: Mapping) -> list[Mapping]:
    """Return the cells of a table that show a measured and a published score."""
    cells = (cell for row in table["rows"] for cell in row["cells"])
    known = ("score_of_one", "published", "value", "low", "high")
    return [cell for cell in cells if None not in (cell[key] for key in known)]
