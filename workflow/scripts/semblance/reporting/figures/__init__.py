"""Figures of training curves, metrics by step, tables and similarity matrices.

Each kind of figure is a function of its spec and of its data, which `evaluation.figures` measures.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from semblance.files import whole_file
from semblance.registry import FIGURES
from semblance.reporting.figures import curves, matrices, tables
from semblance.reporting.figures.style import STYLE
from semblance.specs.cells import FigureSpec

KINDS = {name: (vars(curves) | vars(matrices) | vars(tables))[name.replace("-", "_")] for name in FIGURES}


def draw(spec: FigureSpec, data: Any, outputs: Any) -> None:
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
