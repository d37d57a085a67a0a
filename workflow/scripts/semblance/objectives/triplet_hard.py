"""The triplet loss on triplets with hard negatives: the nearest sentence of the negative pairs (metric, ours)."""

from semblance.data.triplets import draw_hard as examples  # noqa: F401  (see objectives.examples)
from semblance.objectives.triplet import loss  # noqa: F401
