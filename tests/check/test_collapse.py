"""A run that scores everything alike is refused; one that tells anything apart is not."""

import numpy as np
import pytest

from semblance.errors import UserError
from semblance.evaluation.collapse import require_differences


@pytest.mark.parametrize(
    "scored",
    [
        [np.full(4, 0.7)],
        [np.full(4, 0.7), np.full(2, 0.3)],  # of two heads
        [np.float32([0.99999994, 1.0, 0.9999998])],  # cosines of one vector with itself, as they are rounded
        [np.array([[0.2, 0.8]] * 3)],  # classes' probabilities
    ],
)
def test_scores_that_are_one_are_refused(scored):
    with pytest.raises(UserError, match="a-run scores all of .* examples alike.*may_collapse"):
        require_differences(scored, "a-run")


@pytest.mark.parametrize(
    "scored",
    [
        [np.array([0.7, 0.70001])],
        [np.full(4, 0.7), np.array([0.1, 0.2])],  # a small split that says nothing, beside another
        [np.array([[0.2, 0.8], [0.3, 0.7]])],  # the same class of both, with another probability
        [np.array([0.7])],
        [],
    ],
)
def test_scores_that_differ_and_single_ones_are_not(scored):
    require_differences(scored, "a-run")
