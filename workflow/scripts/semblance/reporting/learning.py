"""The marks of numbers whose run did not learn."""

from semblance.findings import COLLAPSED, NO, NOT_CLEAR

MARKS: dict[str | None, str] = {COLLAPSED: "⊘", NO: "○", NOT_CLEAR: "≈"}  # by the verdict on the run behind a number
WORDS: dict[str | None, str] = {COLLAPSED: "collapsed", NO: "did not learn", NOT_CLEAR: "no clear gain"}
