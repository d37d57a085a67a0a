"""Figures of similarity matrices of tokens."""

from collections.abc import Sequence

import matplotlib.pyplot as plt

from semblance.evaluation.figures import ComparedTokens
from semblance.specs.cells import FigureSpec


def similarity_matrices(spec: FigureSpec, pairs: Sequence[ComparedTokens]) -> plt.Figure:
    """Similarity matrices of tokens, one row per pair and one column per network; darker is more similar."""
    longest = max(len(side) for pair in pairs for side in pair.tokens)
    size = (0.24 * longest + 1.2) * len(spec.titles), (0.2 * longest + 1.4) * len(pairs)
    figure, axes = plt.subplots(len(pairs), len(spec.titles), figsize=size, squeeze=False, layout="constrained")
    for row, pair in zip(axes, pairs):
        for axis, title, matrix in zip(row, spec.titles, pair.matrices):
            drawn = axis.imshow(matrix, cmap="Blues", aspect="auto")
            down, across = pair.tokens
            axis.set_yticks(range(len(down)), down, fontsize=7)
            axis.set_xticks(range(len(across)), across, fontsize=7, rotation=90)
            axis.set_title(f"{title}, {pair.id}")
            axis.spines[["top", "right"]].set_visible(True)
            figure.colorbar(drawn, ax=axis, fraction=0.04, pad=0.02).ax.tick_params(labelsize=6)
    return figure
