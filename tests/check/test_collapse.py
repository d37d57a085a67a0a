"""A run that gives all examples the same score is refused."""

import numpy as np
import pytest

from semblance.errors import UserError
from semblance.evaluation.collapse import require_differences


@pytest.mark.parametrize(
    "scored",
    [
        [np.full(4, 0.7)],
        [np.full(4, 0.7), np.full(2, 0.3)],  # two heads
        [np.float32([0.99999994, 1.0, 0.9999998])],  # cosines of a vector with itself, with rounding errors
        [np.array([[0.2, 0.8]] * 3)],  # class probabilities
    ],
)
def test_scores_that_are_one_are_refused(scored):
    with pytest.raises(UserError, match="a-run scores all of .* examples alike.*may_collapse"):
        require_differences(scored, "a-run")


@pytest.mark.parametrize(
    "scored",
    [
        [np.array([0.7, 0.70001])],
        [np.full(4, 0.7), np.array([0.1, 0.2])],  # one split with constant scores, one without
        [np.array([[0.2, 0.8], [0.3, 0.7]])],  # the same class with different probabilities
        [np.array([0.7])],
        [],
    ],
)
def test_scores_that_differ_and_single_ones_are_not(scored):
    require_differences(scored, "a-run")
