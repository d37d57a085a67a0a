"""A multi-task model: a shared sentence encoder with pooling and dropout, and one head per task (smart, section 3.3).

The kind of label selects the head. For single sentences, a linear layer gives one logit per class. For pairs, a linear
layer on features of the two embeddings gives one value, or one logit per class. A score without a head is the cosine of
the embeddings, rescaled to the range from 0 to 5.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from semblance.errors import UserError
from semblance.models.embedding import SentenceEncoder, SentenceModel
from semblance.models.features import of_pair
from semblance.registry import HIGHEST_SCORE, LABELS
from semblance.specs.run import ModelSpec


class Network(nn.Module):
    """A sentence encoder, dropout on its embeddings, and a linear layer for each kind of label in `heads`."""

    def __init__(self, sentences: SentenceEncoder, spec: ModelSpec):
        super().__init__()
        self.sentences, self.features = sentences, spec.features
        self.dropout = nn.Dropout(spec.dropout)
        sizes = {kind: sentences.width * (1 if LABELS[kind].single else len(spec.features)) for kind in spec.heads}
        outputs = {kind: len(LABELS[kind].classes) or 1 for kind in spec.heads}
        layers = {kind: nn.Linear(sizes[kind], outputs[kind], device=sentences.device) for kind in spec.heads}
        self.head = nn.ModuleDict(layers)

    def output(self, kind: str | None, columns: tuple[Tensor, ...]) -> Tensor | tuple[Tensor, ...]:
        """Apply dropout and the head for one kind of label.

        Args:
            kind: kind of label; None for triplets and twins, which have no labels.
            columns: embeddings of n examples, one tensor of shape (n, d) per sentence.

        Returns:
            Logits of shape (n,) or (n, classes), or scores on the scale from 0 to 5, shape (n,). Without labels, the
            embeddings.

        Raises:
            UserError: if the model has no head for this kind of label.
        """
        columns = tuple(map(self.dropout, columns))
        if kind is None:
            return columns
        if LABELS[kind].is_score and kind not in self.head:
            return (F.cosine_similarity(*columns) + 1) * HIGHEST_SCORE / 2
        if kind not in self.head:
            raise UserError(f"the model has no head for labels that are {kind}: name it in model.heads")
        features = columns[0] if LABELS[kind].single else torch.cat(of_pair(self.features, *columns), dim=-1)
        return self.head[kind](features).squeeze(-1)

    def scores(self, kind: str, columns: tuple[Tensor, ...]) -> Tensor:
        """Return the scores of n examples by their kind of label.

        Returns:
            Probabilities of shape (n,) for binary labels, class probabilities of shape (n, classes) for classes, or
            scores divided by the highest score, shape (n,), for scores.
        """
        output = self.output(kind, columns)
        if LABELS[kind].classes:
            return output.softmax(-1)
        return output / HIGHEST_SCORE if LABELS[kind].is_score else output.sigmoid()


class Model(SentenceModel):
    """A multi-task model.

    `spec` defines `pooling`, `max_length`, `heads` (kinds of labels), `features` of pairs, and `dropout`.
    """

    network = Network
    HEAD = "task_heads.safetensors"
