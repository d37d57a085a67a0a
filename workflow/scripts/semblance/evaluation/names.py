"""The names of the metrics, for those who only need to know which there are.

The Snakefile checks the configuration in Snakemake's own environment, which need not have numpy.
"""

NEEDS_THRESHOLD = frozenset({"accuracy", "precision", "recall", "f1", "weighted-f1"})
OF_CLASSES = frozenset({"class-accuracy", "class-weighted-f1"})
SCORED = NEEDS_THRESHOLD | OF_CLASSES | {"pearson", "spearman", "roc-auc", "mean-absolute-error"}
SHARES = frozenset({"accuracy", "class-accuracy"})  # of a whole number of examples
LOWER_IS_BETTER = frozenset({"mean-absolute-error"})

# What a cell may show besides: of predictions the threshold and the number of examples, of an evaluation in
# training where it was taken, of a run or its scoring what it cost, of a corpus its rows.
OF_PREDICTIONS = frozenset({"threshold", "examples"})
OF_EVALUATIONS = frozenset({"step", "epoch"})
OF_TRAINING = frozenset({"training-minutes", "peak-memory-gib", "parameters"})
OF_SCORING = frozenset({"pairs-per-second", "milliseconds-per-pair", "milliseconds-per-pair-from-text"})
OF_CORPORA = frozenset({"rows"})
METRICS = SCORED | OF_PREDICTIONS | OF_EVALUATIONS | OF_TRAINING | OF_SCORING | OF_CORPORA
MEASURED_TIME = OF_SCORING | {"training-minutes", "peak-memory-gib"}  # never twice the same
