"""The marks of numbers whose run did not learn."""

from semblance.evaluation.learning import COLLAPSED, NO, NOT_CLEAR

MARKS = {COLLAPSED: "⊘", NO: "○", NOT_CLEAR: "≈"}  # by the verdict on the run behind a number
WORDS = {COLLAPSED: "collapsed", NO: "did not learn", NOT_CLEAR: "no clear gain"}
