"""From per-example predictions to numbers: metrics, thresholds, intervals."""
