"""BERT's pre-training objective: masked tokens, plus whether two sentences belong together (BERT, section 3.1).

`output` is logits of the m masked tokens (m, vocabulary) and of the n pairs (n,); `labels` are the
tokens' ids (m,) and the pairs' labels (n,).
"""

from torch import Tensor
from torch.nn import functional as F

ACROSS_THE_BATCH = True  # its mean is over masked tokens, of which examples have more or fewer
MASKED_WEIGHT = 0.25  # a tiny encoder learns to compare sentences faster when words weigh less


def loss(output: tuple[Tensor, Tensor], labels: tuple[Tensor, Tensor]) -> Tensor:
    tokens, together = output
    return MASKED_WEIGHT * F.cross_entropy(tokens, labels[0]) + F.binary_cross_entropy_with_logits(together, labels[1])
