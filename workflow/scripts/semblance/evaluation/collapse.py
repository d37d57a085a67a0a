"""A network that says the same of everything has learnt nothing, however finite its loss."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from semblance.errors import UserError

SPREAD = 1e-6  # of scores in 32-bit floats: below it, they differ by rounding


def require_differences(scored: Iterable[np.ndarray], run: str) -> None:
    """Raises UserError when in no split a run's scores, (rows,) or (rows, classes), differ from row to row."""
    several = [scores for scores in scored if len(scores) > 1]
    if not several or any(np.ptp(scores, axis=0).max() > SPREAD for scores in several):
        return
    raise UserError(
        f"{run} scores all of {sum(map(len, several))} examples alike, whatever their texts: training has made it "
        "collapse. Lower its learning_rate in the paper's YAML; or, where that is the finding, say `may_collapse: true`"
    )
