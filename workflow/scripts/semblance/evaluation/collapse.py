"""Detection of models that give all examples the same score; `evaluation.learning` detects those of one class."""

from collections.abc import Iterable

import numpy as np

from semblance.errors import UserError

SPREAD = 1e-6  # range of 32-bit scores that rounding alone can cause


def require_differences(scored: Iterable[np.ndarray], run: str) -> None:
    """Check that a model's scores differ between the rows of at least one split.

    Args:
        scored: scores of each split, shape (rows,) or (rows, classes). Splits of one row are ignored.
        run: name of the run, for the message.

    Raises:
        UserError: if the scores are equal within every split.
    """
    several = [scores for scores in scored if len(scores) > 1]
    if not several or any(np.ptp(scores, axis=0).max() > SPREAD for scores in several):
        return
    raise UserError(
        f"{run} scores all of {sum(map(len, several))} examples alike, whatever their texts: training has made it "
        "collapse. Lower its learning_rate in the paper's YAML; or, where that is the finding, say `may_collapse: true`"
    )
