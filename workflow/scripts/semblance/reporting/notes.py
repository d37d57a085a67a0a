"""Marks and notes that tables and claims share."""

LEAK_MARK = "†"  # of scores on rows that also tuned the threshold
CHOSEN_MARK = "§"  # of scores on rows that also selected the run's epoch or stage
ONE_SEED_NOTE = "One seed: intervals cover the choice of examples, not the variance between seeds."
SEVERAL_SEEDS_NOTE = "Means over {} seeds; intervals cover the choice of examples and the variance between seeds."
