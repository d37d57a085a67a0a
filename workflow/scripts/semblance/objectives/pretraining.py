"""Pre-training loss of small encoders: pair classification, masked tokens, and similarity of sentence embeddings.

The first two parts are BERT's (BERT, section 3.1). The third part classifies and ranks cosines of separately embedded
sentences. Without it, an encoder pre-trained for seconds is not useful in a bi-encoder.
"""

from typing import NamedTuple

from torch import Tensor
from torch.nn import functional as F

from semblance.objectives import in_batch_ranking

MASKED_WEIGHT = 0.25  # below 1, because a tiny encoder then learns faster to compare sentences


class Output(NamedTuple):
    """Outputs of a network for n pairs.

    Attributes:
        pairs: logits of the pairs, shape (n,).
        words: logits of m masked tokens, shape (m, vocabulary), or None.
        sides: embeddings of the first and second sentences, shape (n, d) each, or None.
        scale: factor and bias that turn cosines into logits, shape (2,).
    """

    pairs: Tensor
    words: Tensor | None
    sides: tuple[Tensor, Tensor] | None
    scale: Tensor


class Targets(NamedTuple):
    """Targets of n pairs.

    Attributes:
        together: 1.0 if a pair belongs together, else 0.0, shape (n,).
        words: ids of m masked tokens, shape (m,), or None.
    """

    together: Tensor
    words: Tensor | None


def loss(output: Output, labels: Targets) -> Tensor:
    """Return the sum of the mean losses of all parts that `output` contains; masked tokens have `MASKED_WEIGHT`."""
    found = F.binary_cross_entropy_with_logits(output.pairs, labels.together)
    if output.words is not None and len(output.words):
        found = found + MASKED_WEIGHT * F.cross_entropy(output.words, labels.words)
    if output.sides is not None:
        u, v = output.sides
        together = labels.together == 1
        logits = output.scale[0] * F.cosine_similarity(u, v) + output.scale[1]
        found = found + F.binary_cross_entropy_with_logits(logits, labels.together)
        if together.any():
            found = found + in_batch_ranking.loss((u[together], v[together]), labels.together[together])
    return found
