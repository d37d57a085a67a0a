"""One encoder shared by tasks, with a small head for each: sentences embedded alone, pooled, dropped out (smart, 3.3).

A task is told by its kind of label. Of one sentence, a linear layer gives a logit a class; of a pair, one on
features of the two embeddings gives one logit, or one a class; a score without a head is their cosine, moved
to the scale from 0 to 5.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional as F

from semblance.data.rows import CLASSES, SINGLE, Pairs
from semblance.errors import UserError
from semblance.models.embedding import Columns, SentenceEncoder
from semblance.models.features import of_pair

CHUNK = 10_000  # pairs whose features are made at once: those of all pairs are too wide
HEADS = "task_heads.safetensors"
HIGHEST = 5.0  # score


class Network(nn.Module):
    """An encoder of sentences, dropout on its embeddings, and a linear layer for each kind of label in `heads`."""

    def __init__(self, sentences: SentenceEncoder, heads: list[str], features: list[str], dropout: float):
        super().__init__()
        self.sentences, self.features = sentences, features
        self.dropout = nn.Dropout(dropout)
        sizes = {kind: sentences.width * (1 if kind in SINGLE else len(features)) for kind in heads}
        outputs = {kind: len(CLASSES.get(kind, [None])) for kind in heads}
        layers = {kind: nn.Linear(sizes[kind], outputs[kind], device=sentences.device) for kind in heads}
        self.heads = nn.ModuleDict(layers)

    def output(self, kind: str, columns: tuple[Tensor, ...]) -> Tensor:
        """Of n examples' embeddings, (n, d) a column: logits, (n,) or (n, classes), or scores from 0 to 5, (n,).

        Raises UserError when there is no head for this kind of label.
        """
        columns = tuple(map(self.dropout, columns))
        if kind == "score" and kind not in self.heads:
            return (F.cosine_similarity(*columns) + 1) * HIGHEST / 2
        if kind not in self.heads:
            raise UserError(f"the model has no head for labels that are {kind}: name it in model.heads")
        features = columns[0] if kind in SINGLE else torch.cat(of_pair(self.features, *columns), dim=-1)
        return self.heads[kind](features).squeeze(-1)


class Model:
    """`spec` has the `pooling` of tokens, the `heads` by kind of label, the `features` they see of pairs, `dropout`."""

    def __init__(self, spec: dict, module: Network):
        self.spec, self.module = spec, module

    @classmethod
    def open(cls, spec: dict, folder: Path, device: str) -> Model:
        """The encoder or finished run in `folder`; heads that were not trained yet are fresh ones."""
        sentences = SentenceEncoder(folder, spec["pooling"], spec["max_length"], device)
        network = Network(sentences, spec["heads"], spec["features"], spec["dropout"])
        if (folder / HEADS).exists():
            network.heads.load_state_dict(load_file(folder / HEADS))
        return cls(spec, network)

    def task(self, examples) -> _Task:
        return _Task(self, examples)

    @torch.inference_mode()
    def score(self, pairs: Pairs) -> np.ndarray:
        """Probabilities, (n,) or of classes (n, classes), or scores with 1 the highest, (n,), by the pairs' kind."""
        self.module.eval()
        sentences, where = pairs.distinct_sentences()
        vectors = self.module.sentences.encode(sentences)
        parts = [where[start : start + CHUNK].T for start in range(0, len(pairs), CHUNK)]
        outputs = [self.module.output(pairs.kind, tuple(vectors[column] for column in part)) for part in parts]
        return _as_scores(torch.cat(outputs), pairs.kind).cpu().numpy()

    def save(self, folder: Path) -> None:
        self.module.sentences.save(folder)
        save_file(self.module.heads.state_dict(), folder / HEADS)


def _as_scores(output: Tensor, kind: str) -> Tensor:
    if kind in CLASSES:
        return output.softmax(-1)
    return output.sigmoid() if kind == "binary" else output / HIGHEST


class _Task(Columns):
    """A model of several tasks and the examples of one of them."""

    def __init__(self, model: Model, examples):
        super().__init__(model, examples)
        self._kind = getattr(examples, "kind", None)

    def forward(self, inputs: dict[str, Tensor]) -> Tensor | tuple[Tensor, ...]:
        """What the task's head gives; of triplets and twins, which have no labels, the embeddings."""
        columns = self.embeddings(inputs)
        if self._kind is None:
            return tuple(map(self.module.dropout, columns))
        return self.module.output(self._kind, columns)
