"""Pre-training of small encoders: do two sentences belong together, which words were masked, which sentences are alike?

The first two are BERT's (section 3.1). The third ranks and classifies cosines of sentences embedded alone, without
which an encoder of seconds has nothing to offer a bi-encoder.
"""

from typing import NamedTuple

from torch import Tensor
from torch.nn import functional as F

from semblance.objectives import in_batch_ranking

ACROSS_THE_BATCH = True
MASKED_WEIGHT = 0.25  # a tiny encoder learns to compare sentences faster when words weigh less


class Output(NamedTuple):
    """What a network says of n pairs: logits (n,), of m masked tokens (m, vocabulary), of both sides alone (n, d) each;
    `scale` and bias, (2,), make logits of cosines."""

    pairs: Tensor
    words: Tensor | None
    sides: tuple[Tensor, Tensor] | None
    scale: Tensor


class Targets(NamedTuple):
    """Whether n pairs belong together, (n,), and the ids of m masked tokens, (m,)."""

    together: Tensor
    words: Tensor | None


def loss(output: Output, labels: Targets) -> Tensor:
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
