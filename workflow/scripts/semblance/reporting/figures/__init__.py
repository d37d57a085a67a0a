"""Figures of training curves, metrics by step, tables and similarity matrices.

Each kind of figure is a function of its spec and of its data, which `evaluation.figures` measures.
"""

from collections.abc import Mapping
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from semblance.files import whole_file
from semblance.reporting.figures import curves, matrices, tables
from semblance.reporting.figures.style import STYLE
from semblance.specs.cells import FigureSpec

KINDS = {
    "training-curves": curves.training_curves,
    "scores-by-epoch": curves.scores_by_epoch,
    "scores-by-stage": curves.scores_by_stage,
    "table-heatmap": tables.table_heatmap,
    "table-dots": tables.table_dots,
    "table-panels": tables.table_panels,
    "table-spread": tables.table_spread,
    "metrics-by-step": curves.metrics_by_step,
    "similarity-matrices": matrices.similarity_matrices,
    "table-pareto": tables.table_pareto,
}


def draw(spec: FigureSpec, data: Mapping, outputs) -> None:
    """Draw a figure.

    Args:
        spec: spec of the figure; `kind` is a key of `KINDS`.
        data: what the figure shows; see `evaluation.figures.measured`.
        outputs: has the paths svg and png.
    """
    with matplotlib.rc_context(STYLE):
        figure = KINDS[spec.kind](spec, data)
        for path in (outputs.svg, outputs.png):
            kind = Path(path).suffix[1:]
            with whole_file(path) as part:
                metadata = {"Date": None} if kind == "svg" else {"Software": None}
                figure.savefig(part, format=kind, dpi=150, bbox_inches="tight", metadata=metadata)
        plt.close(figure)
