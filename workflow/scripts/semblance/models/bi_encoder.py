"""A bi-encoder: each sentence through the encoder alone, pooled, and then compared (SBERT, figures 1 and 2).

Two embeddings are compared by their cosine, or by logistic regression on features of them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from torch import Tensor, nn

from semblance.data.rows import Pairs, each_once
from semblance.models.features import of_pair
from semblance.training.batches import Tokens
from semblance.training.device import attention, choose

PREDICTION_BATCH = 64
HEAD = "pair_head.safetensors"


class Network(nn.Module):
    """A SentenceTransformer of two modules, encoder and pooling, and a linear head where `features` are named."""

    def __init__(self, sentences: SentenceTransformer, features: list[str]):
        super().__init__()
        self.sentences, self.features = sentences, features
        width = len(features) * sentences.get_embedding_dimension()
        self.head = nn.Linear(width, 1, device=sentences.device) if features else None

    def logits(self, u: Tensor, v: Tensor) -> Tensor:
        """Of n pairs, shape (n,), from embeddings of shape (n, d)."""
        return self.head(torch.cat(of_pair(self.features, u, v), dim=-1)).squeeze(-1)


class Model:
    """`spec` has the `pooling` of tokens (mean, max or cls), and the `features` a head sees, if there is one."""

    def __init__(self, spec: dict, module: Network):
        self.spec, self.module = spec, module

    @classmethod
    def open(cls, spec: dict, folder: Path, device: str) -> Model:
        """The encoder or finished run in `folder`; a head that was not trained yet is a fresh one."""
        kwargs = {"attn_implementation": attention(), "dtype": torch.float32}
        encoder = Transformer(str(folder), max_seq_length=spec["max_length"], model_kwargs=kwargs)
        pooling = Pooling(encoder.get_embedding_dimension(), pooling_mode=spec["pooling"])
        sentences = SentenceTransformer(modules=[encoder, pooling], device=choose(device))
        network = Network(sentences, spec.get("features", []))
        if network.head and (folder / HEAD).exists():
            network.head.load_state_dict(load_file(folder / HEAD))
        return cls(spec, network)

    def task(self, examples) -> _Task:
        """`examples` have `columns`, sentences to embed together, and their `targets`."""
        return _Task(self, examples)

    @torch.inference_mode()
    def score(self, pairs: Pairs) -> np.ndarray:
        """Cosines on [-1, 1], or the head's probabilities, shape (len(pairs),); each sentence is encoded once."""
        self.module.eval()
        sentences, where = pairs.distinct_sentences()
        by_cosine = self.module.head is None
        vectors = self.module.sentences.encode(
            sentences,
            batch_size=PREDICTION_BATCH,
            normalize_embeddings=by_cosine,
            show_progress_bar=False,
            convert_to_numpy=by_cosine,
            convert_to_tensor=not by_cosine,
        )
        u, v = vectors[where[:, 0]], vectors[where[:, 1]]
        return np.einsum("nd,nd->n", u, v) if by_cosine else self.module.logits(u, v).sigmoid().cpu().numpy()

    def save(self, folder: Path) -> None:
        self.module.sentences.save(str(folder), create_model_card=False)
        if self.module.head:
            save_file(self.module.head.state_dict(), folder / HEAD)


class _Task:
    """A bi-encoder and what it is to learn, as the engine wants them."""

    def __init__(self, model: Model, examples):
        sentences, self._where = each_once(examples.columns)
        self._model = model
        self._tokens = Tokens(model.module.sentences.tokenizer, sentences, max_length=model.spec["max_length"])
        self._targets = torch.tensor(examples.targets, dtype=torch.float32)
        self.lengths = self._tokens.lengths[self._where].max(axis=1)

    @property
    def module(self):
        return self._model.module

    @module.setter
    def module(self, module) -> None:
        self._model.module = module

    @property
    def encoder(self) -> nn.Module:
        return self.module.sentences

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], Tensor]:
        # All columns in one batch: one pass of the encoder instead of one each.
        together = self._where[indices].T.reshape(-1)
        return self._tokens.batch(together), self._targets[indices]

    def forward(self, inputs: dict[str, Tensor]) -> Tensor | tuple[Tensor, ...]:
        """The head's logits of n pairs, or the k columns' embeddings, (n, d) each."""
        columns = self.module.sentences(inputs)["sentence_embedding"].chunk(self._where.shape[1])
        return columns if self.module.head is None else self.module.logits(*columns)
