"""Figures of training curves, metrics by step, tables and similarity matrices.

Each kind of figure is a function of its spec and of its data, which `evaluation.figures` measures.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from semblance.files import whole_file
from semblance.reporting.figures.curves import metrics_by_step, scores_by_epoch, scores_by_stage, training_curves
from semblance.reporting.figures.matrices import similarity_matrices
from semblance.reporting.figures.style import STYLE
from semblance.reporting.figures.tables import table_dots, table_heatmap, table_panels, table_pareto, table_spread
from semblance.specs.cells import FigureSpec

_KINDS = (
    training_curves,
    scores_by_epoch,
    scores_by_stage,
    metrics_by_step,
    table_heatmap,
    table_dots,
    table_panels,
    table_spread,
    table_pareto,
    similarity_matrices,
)
KINDS = {function.__name__.replace("_", "-"): function for function in _KINDS}


def draw(spec: FigureSpec, data: Mapping, outputs) -> None:
    """Draw a figure.

    Args:
        spec: spec of the figure; `kind` is one of `registry.FIGURES`.
        data: what the figure shows; see `evaluation.figures.measured`.
        outputs: has the paths svg and png.
    """
    save(lambda: KINDS[spec.kind](spec, data), outputs.svg, outputs.png)


def save(drawn: Callable[[], plt.Figure], *paths: str) -> None:
    """Draw a figure in the common style and write it to `paths`, in the format of each one's suffix."""
    with matplotlib.rc_context(STYLE):
        figure = drawn()
        for path in paths:
            kind = Path(path).suffix[1:]
            with whole_file(path) as part:
                metadata = {"Date": None} if kind == "svg" else {"Software": None}
                figure.savefig(part, format=kind, dpi=150, bbox_inches="tight", metadata=metadata)
        plt.close(figure)
