"""Figures over all papers: the effect of each claim about scores, and measured scores against published ones."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

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
            out; arrows point at those beyond the axis.
    """
    shown = {one["paper"]: [claim for claim in one["claims"] if _is_drawn(claim)] for one in papers}
    shown = shown or {"": []}
    rows = max(1, *map(len, shown.values()))
    size = (3.6 * len(shown), 0.8 + 0.15 * rows)
    figure, axes = plt.subplots(1, len(shown), figsize=size, squeeze=False, layout="constrained")
    for panel, (paper, claims) in zip(axes.flat, shown.items(), strict=True):
        _effects(panel, claims, rows)
        panel.set_yticks(range(len(claims)), [claim["claim"].replace("-", " ") for claim in claims], fontsize=6)
        panel.set_title(paper)
    _legend(figure, axes.flat[0])
    return figure


def headlines(claims: Sequence[Mapping]) -> plt.Figure:
    """The effects of some papers' main claims with their statements and presets, like `forest`."""
    claims = [claim for claim in claims if _is_drawn(claim)]
    figure, axis = plt.subplots(figsize=(7.4, 0.9 + 0.36 * len(claims)), layout="constrained")
    _effects(axis, claims, len(claims))
    axis.set_yticks(range(len(claims)), [_statement(claim) for claim in claims])
    _legend(figure, axis)
    return figure


def _statement(claim: Mapping) -> str:
    """Return what a claim says, its metric, and what weakens its verdict, in lines of a label."""
    decided = claim["verdict"] in (SUPPORTED, REFUTED)
    notes = ["mean of scores" if claim["unit"] == OVERALL else claim["metric"]]
    notes += ["one seed"] if claim["single_seed"] else []
    notes += ["not at 5% FDR"] if decided and not claim["passes_fdr"] else []
    said = f"{claim['paper']}, {claim['preset']}: {claim['statement']}"
    return "\n".join(wrap(f"{said} [{', '.join(notes)}]", 64))


def _effects(axis: plt.Axes, claims: Sequence[Mapping], rows: int) -> None:
    """Draw one effect in each of the first rows, of which there may be more than claims."""
    axis.axvline(0, color="0.8", linewidth=1, zorder=0)
    for row, claim in enumerate(claims):
        colour, marker, fill = VERDICTS.get(claim["verdict"], LEAVES_OPEN)
        low, effect, high = (min(max(claim[key], -LIMIT), LIMIT) for key in ("low", "effect", "high"))
        axis.plot([low, high], [row, row], color=colour, linewidth=1.4, solid_capstyle="butt")
        axis.plot(effect, row, marker, color=colour, markerfacecolor=fill, markersize=4)
        for beyond, end, arrow in ((claim["low"] < -LIMIT, -LIMIT, "<"), (claim["high"] > LIMIT, LIMIT, ">")):
            if beyond:
                axis.plot(end * 1.06, row, arrow, color=colour, markersize=3)
    axis.set_ylim(rows - 0.5, -0.5)
    axis.set_xlim(-LIMIT * 1.1, LIMIT * 1.1)
    axis.set_xlabel("effect: difference of scores")


def _legend(figure: plt.Figure, axis: plt.Axes) -> None:
    for label, (colour, marker, fill) in LEGEND.items():
        axis.plot([], [], marker, color=colour, markerfacecolor=fill, markersize=4, label=label)
    figure.legend(*axis.get_legend_handles_labels(), loc="outside upper left", ncols=len(LEGEND))


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


def _scores(table: Mapping) -> list[Mapping]:
    """Return the cells of a table that show a measured and a published score."""
    cells = (cell for row in table["rows"] for cell in row["cells"])
    known = ("score_of_one", "published", "value", "low", "high")
    return [cell for cell in cells if None not in (cell[key] for key in known)]
