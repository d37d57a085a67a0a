"""Names of what findings can say: verdicts, units of effects, and whether a run learned."""

from enum import StrEnum


class Verdict(StrEnum):
    """The verdict on a claim; those with a colon say why it cannot be judged, whatever the interval."""

    SUPPORTED = "supported"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"
    NOT_TRAINED = "inconclusive: not trained enough"
    NOTHING_TO_LOSE = "inconclusive: nothing learned that could be lost"
    NOT_REACHED = "inconclusive: not evaluated near the epoch"
    SAME_SCORES = "inconclusive: both sides give the same scores"  # a preset can use one encoder for both
    STANDS_IN = "inconclusive: another encoder stands in for an untrained one"  # its scores are that encoder's alone
    OTHER_MACHINE = "inconclusive: measured on different machines"


DECIDED = (Verdict.SUPPORTED, Verdict.REFUTED)
UNJUDGED = "cannot be judged"
CANNOT_BE_JUDGED = tuple(verdict for verdict in Verdict if ":" in verdict)


class Unit(StrEnum):
    """The unit of an effect that is not in the unit of the metric."""

    EPOCHS = "epochs"  # of the selected epoch
    RELATIVE = "relative"  # of times, memory and counts
    OVERALL = "overall"  # of the mean of several scores
    OF_PAIRS = "pairs"  # of a claim about most of several comparisons: the share of them, less a half


HALF = 0.5  # of all pairs; a claim about most of them is about more


class Printed(StrEnum):
    """The verdict on a published number; the last two compare nothing with it."""

    REPRODUCED = "reproduced"
    NEAR = "near"
    DIRECTION = "direction only"
    DIFFERS = "differs"
    NOT_COMPARABLE = "not comparable"
    NOT_RUN = "not run"
    UNDEFINED = "undefined"


class Learned(StrEnum):
    """Whether a run learned its own task, from the worst; `COLLAPSED` is a reason for `NO`."""

    COLLAPSED = "collapsed"
    NO = "no"
    NOT_CLEAR = "not clear"
    YES = "yes"
