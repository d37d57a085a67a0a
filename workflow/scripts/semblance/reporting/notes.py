"""Marks and notes that tables, claims and figures share."""

from semblance.vocabulary import Learned

LEAK_MARK = "†"  # of scores on rows that also tuned the threshold
CHOSEN_MARK = "§"  # of scores on rows that also selected the run's epoch or stage
ONE_SEED_NOTE = "One seed: intervals cover the choice of examples, not the variance between seeds."
SEVERAL_SEEDS_NOTE = "Means over {} seeds; intervals cover the choice of examples and the variance between seeds."
# By the verdict on the run behind a number.
MARKS: dict[str | None, str] = {Learned.COLLAPSED: "⊘", Learned.NO: "○", Learned.NOT_CLEAR: "≈"}
WORDS: dict[str | None, str] = {
    Learned.COLLAPSED: "collapsed",
    Learned.NO: "did not learn",
    Learned.NOT_CLEAR: "no clear gain",
}
LEARNING_NOTES = {
    Learned.COLLAPSED: "Collapsed, with one seed or more: the run predicts one class for at least 99% of the examples "
    "of its own task.",
    Learned.NO: "Did not learn, with one seed or more: not shown to be better than the majority baseline, or worse "
    "than before training.",
    Learned.NOT_CLEAR: "Not clearly better than before training, with one seed or more: the 95% interval of the "
    "difference includes 0.",
}
