"""The names of the metrics, for those who only need to know which there are.

The Snakefile checks the configuration in Snakemake's own environment, which need not have numpy.
"""

NEEDS_THRESHOLD = frozenset({"accuracy", "precision", "recall", "f1"})
METRICS = NEEDS_THRESHOLD | {"pearson", "spearman", "roc-auc", "mean-absolute-error"}
LOWER_IS_BETTER = frozenset({"mean-absolute-error"})
