"""Unsupervised SimCSE: identify each sentence under another dropout mask within the batch (SimCSE, equation 4).

The loss is that of in-batch ranking: its scale of 20 is the temperature of 0.05.
"""

from semblance.data.triplets import twins as examples  # noqa: F401  (see objectives.examples)
from semblance.objectives.in_batch_ranking import loss  # noqa: F401
