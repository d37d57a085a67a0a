"""Figures over all papers: the effect of each claim about scores, and measured scores against published ones."""

from collections.abc import Sequence
from itertools import groupby
from textwrap import wrap

import matplotlib.pyplot as plt

from semblance.findings import JudgedClaim, MeasuredCell, MeasuredTable
from semblance.reporting.claims import LIMIT
from semblance.reporting.figures.style import COLOURS, MARKERS
from semblance.vocabulary import CANNOT_BE_JUDGED, Printed, Unit, Verdict

Drawn = tuple[JudgedClaim, tuple[float, float, float]]  # a claim, and its effect between the ends of its interval
GREY = "0.55"
# Colour, marker and filling of a verdict.
SUPPORTS, REFUTES = (COLOURS[2], "o", COLOURS[2]), (COLOURS[1], "D", COLOURS[1])
LEAVES_OPEN, UNJUDGED = (GREY, "o", "white"), (GREY, "x", GREY)
VERDICTS: dict[str, tuple[str, str, str]] = {
    Verdict.SUPPORTED: SUPPORTS,
    Verdict.REFUTED: REFUTES,
    **dict.fromkeys(CANNOT_BE_JUDGED, UNJUDGED),
}
LEGEND = {"supported": SUPPORTS, "refuted": REFUTES, "inconclusive": LEAVES_OPEN, "cannot be judged": UNJUDGED}


def effects(claims: Sequence[tuple[str, JudgedClaim]]) -> plt.Figure:
    """The effects of claims with their 95% intervals, and their verdicts by colour and marker, under headings.

    Args:
        claims: the claims, each after its heading. Those with the same heading follow each other. Effects that are no
            differences of scores are left out; arrows point at those beyond the axis.
    """
    shown: list[tuple[str, Drawn | None]] = []  # headings have no effect
    for heading, group in groupby(claims, lambda one: one[0]):
        drawn = [(_statement(claim), found) for _, claim in group if (found := _drawn(claim))]
        shown += [(heading, None), *drawn] if drawn else []
    heights = [0.85 + label.count("\n") if found else 1.2 for label, found in shown]  # in lines of text
    places = [sum(heights[:number]) + height / 2 - 0.5 for number, height in enumerate(heights)]
    figure, axis = plt.subplots(figsize=(8, 0.9 + 0.19 * sum(heights)), layout="constrained")
    marks = [(place, found) for place, (_, found) in zip(places, shown, strict=True) if found]
    _mark(axis, marks, max(1, sum(heights)))
    axis.set_yticks(places, [label for label, _ in shown])
    for tick, (_, found) in zip(axis.yaxis.get_major_ticks(), shown, strict=True):
        if not found:
            tick.label1.set_fontweight("bold")
            tick.tick1line.set_visible(False)
    axis.tick_params(top=True, labeltop=True)
    _legend(figure, axis)
    return figure


def _statement(claim: JudgedClaim) -> str:
    """Return what a claim says, its metric, and what weakens its verdict, in lines of a label."""
    notes = ["mean of scores" if claim.unit == Unit.OVERALL else claim.metric]
    notes += ["one seed"] if claim.single_seed else []
    return "\n".join(wrap(f"{claim.statement} [{', '.join(notes)}]", 84, break_on_hyphens=False))


def _drawn(claim: JudgedClaim) -> Drawn | None:
    """Return a claim with its effect between the ends of its interval; None if it is no difference of scores."""
    if claim.unit not in (None, Unit.OVERALL) or claim.effect is None or claim.interval is None:
        return None
    low, high = claim.interval
    return claim, (low, claim.effect, high)


def _mark(axis: plt.Axes, marks: Sequence[tuple[float, Drawn]], height: float) -> None:
    """Draw effects at their places, from the top.

    Those that their intervals alone decide are hollow. An arrow stands for an effect beyond the axis, a small one for
    the end of an interval there.
    """
    axis.axvline(0, color="0.8", linewidth=1, zorder=0)
    for place, (claim, ends) in marks:
        colour, marker, fill = VERDICTS.get(claim.by_itself, LEAVES_OPEN)
        low, effect, high = (min(max(end, -LIMIT), LIMIT) for end in ends)
        axis.plot([low, high], [place, place], color=colour, linewidth=1.4, solid_capstyle="butt")
        fill = "white" if claim.is_decided_only_by_itself else fill
        if effect == ends[1]:
            axis.plot(effect, place, marker, color=colour, markerfacecolor=fill, markersize=4)
        for sign, arrow in ((-1, "<"), (1, ">")):
            if max(sign * ends[0], sign * ends[2]) > LIMIT:
                inside, size = (fill, 5) if sign * ends[1] > LIMIT else (colour, 3)
                axis.plot(sign * LIMIT * 1.06, place, arrow, color=colour, markerfacecolor=inside, markersize=size)
    axis.set_ylim(height - 0.5, -0.5)
    axis.set_xlim(-LIMIT * 1.1, LIMIT * 1.1)


def _legend(figure: plt.Figure, axis: plt.Axes) -> None:
    hollow = "hollow green or orange: decided by the interval alone, not at a false discovery rate of 5%"
    figure.supxlabel(f"effect: difference of scores\n{hollow}", size="medium")
    for label, (colour, marker, fill) in LEGEND.items():
        axis.plot([], [], marker, color=colour, markerfacecolor=fill, markersize=4, label=label)
    figure.legend(*axis.get_legend_handles_labels(), loc="outside upper left", ncols=len(LEGEND))


def scatter(tables: Sequence[MeasuredTable]) -> plt.Figure:
    """Measured against published scores with 95% intervals; hollow where the two are not comparable.

    Args:
        tables: measured tables. Cells that show no score are left out.
    """
    figure, axis = plt.subplots(figsize=(5.4, 5.2), layout="constrained")
    shown: list[float] = []
    for number, paper in enumerate(dict.fromkeys(table.paper for table in tables)):
        colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
        cells = [found for table in tables if table.paper == paper for cell in table.cells if (found := _score(cell))]
        for cell, scores in cells:
            published, value, low, high = scores
            fill = colour if cell.verdict and not cell.verdict.startswith(Printed.NOT_COMPARABLE) else "none"
            shown += [published, value]
            axis.plot([published] * 2, [low, high], color=colour, linewidth=0.8, alpha=0.4)
            axis.plot(published, value, marker, color=colour, markerfacecolor=fill, markersize=5, alpha=0.8)
        if cells:
            axis.plot([], [], marker, color=colour, label=f"{paper} ({len(cells)})")
    axis.axline((0, 0), slope=1, color="0.8", linewidth=1, zorder=0)
    limits = (min(shown, default=0) - 0.05, max(shown, default=1) + 0.05)  # intervals may go beyond
    axis.set(xlim=limits, ylim=limits)
    axis.set_xlabel("published")
    axis.set_ylabel("measured here")
    axis.set_aspect("equal")
    if axis.get_legend_handles_labels()[0]:
        axis.legend(loc="upper left")
    return figure


def _score(cell: MeasuredCell) -> tuple[MeasuredCell, list[float]] | None:
    """Return a cell and its published and measured score with its interval, in units of 1; None if it lacks one."""
    if cell.score_of_one is None or cell.published is None or cell.value is None or cell.interval is None:
        return None
    return cell, [one / cell.score_of_one for one in (cell.published, cell.value, *cell.interval)]
