"""Sentence embeddings: an encoder with pooling, and what models that encode sentences separately have in common.

The encoder is equivalent to sentence-transformers' Transformer and Pooling, and that library opens its saved folders
(tested). It is implemented here because importing that library takes longer than the training of a small run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer

from semblance.cpu import attention, packed
from semblance.data.rows import Pairs
from semblance.device import choose
from semblance.files import write_json
from semblance.models.task import Task
from semblance.progress import bar
from semblance.specs.run import ModelSpec
from semblance.tokens import PREDICTION_BATCH, ColumnTokens, Tokens, by_length

MODULES = [("0", "", "Transformer"), ("1", "1_Pooling", "Pooling")]


class SentenceEncoder(nn.Module):
    """A transformer with its tokenizer, and pooling of the last layer: mean, max or cls, without padding.

    Args:
        folder: folder of an encoder or of a finished run.
        pooling: ``mean``, ``max`` or ``cls``.
        max_length: highest number of tokens; longer texts are truncated.
        device: ``cpu``, ``cuda`` or ``auto``.
    """

    def __init__(self, folder: Path, pooling: str, max_length: int, device: str):
        super().__init__()
        chosen = choose(device)
        transformer = AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation=attention(chosen))
        self.transformer = transformer.to(chosen)
        # Not on GPUs: there attention is fused, and a step without padding took 1.39 times as long (docs/speed.md).
        if self.device.type == "cpu" and packed.can_pack(transformer):
            transformer.set_attn_implementation(packed.ATTENTION)
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.pooling, self.max_length = pooling, max_length
        self.width = transformer.config.hidden_size

    @property
    def device(self) -> torch.device:
        return self.transformer.device

    def forward(self, inputs: dict[str, Tensor]) -> Tensor:
        """Return the embeddings of n tokenised sentences, shape (n, d)."""
        states = self._hidden_states(inputs)
        mask = inputs["attention_mask"].unsqueeze(-1).to(states.dtype)
        if self.pooling == "cls":
            return states[:, 0]
        if self.pooling == "max":
            return states.masked_fill(mask == 0, -torch.inf).amax(1)
        return (states * mask).sum(1) / mask.sum(1)

    def _hidden_states(self, inputs: dict[str, Tensor]) -> Tensor:
        if packed.is_packed(self.transformer):
            return packed.hidden_states(self.transformer, inputs)
        return self.transformer(**inputs).last_hidden_state

    @torch.inference_mode()
    def encode(self, sentences: Sequence[str]) -> Tensor:
        """Return the float32 embeddings of n sentences in their order, shape (n, d)."""
        self.eval()
        tokens = Tokens(self.tokenizer, sentences, max_length=self.max_length)
        vectors = torch.empty(len(sentences), self.width, device=self.device)
        for indices in bar(by_length(tokens.lengths, PREDICTION_BATCH), what="encoding", unit="batch"):
            inputs = {name: tensor.to(self.device) for name, tensor in tokens.batch(indices).items()}
            vectors[torch.from_numpy(indices).to(self.device)] = self(inputs)
        return vectors

    def save(self, folder: Path) -> None:
        """Save the encoder as a folder that ``SentenceTransformer(folder)`` opens."""
        self.transformer.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        kinds = [
            {"idx": number, "name": name, "path": path, "type": f"sentence_transformers.models.{kind}"}
            for number, (name, path, kind) in enumerate(MODULES)
        ]
        write_json(folder / "modules.json", kinds)
        write_json(folder / "sentence_bert_config.json", {"max_seq_length": self.max_length, "do_lower_case": False})
        pooled = {"word_embedding_dimension": self.width, "pooling_mode": self.pooling}
        write_json(folder / "1_Pooling" / "config.json", pooled)


class SentenceModel:
    """A model of embeddings; a subclass defines `network` and `HEAD`.

    Attributes:
        network: class of its network. That has a `SentenceEncoder` in `sentences`, a module or None in `head`, and the
            functions `output`, for training, and `scores` of a kind of label and the embeddings of each column.
        HEAD: name of the file of the head's weights.
    """

    network: Callable[[SentenceEncoder, ModelSpec], nn.Module]
    HEAD: str

    def __init__(self, spec: ModelSpec, module: nn.Module):
        self.spec, self.module = spec, module

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, device: str) -> SentenceModel:
        """Open an encoder or a finished run. A head without saved weights is initialised at random."""
        module = cls.network(SentenceEncoder(folder, spec.pooling, spec.max_length, device), spec)
        if module.head and (folder / cls.HEAD).exists():
            module.head.load_state_dict(load_file(folder / cls.HEAD))
        return cls(spec, module)

    def task(self, examples) -> SentenceTask:
        """Return the engine's view of the model and of `examples`, which have `columns` of sentences and `targets`."""
        return SentenceTask(self, examples)

    def save(self, folder: Path) -> None:
        self.module.sentences.save(folder)
        if self.module.head:
            save_file(self.module.head.state_dict(), folder / self.HEAD)

    @torch.inference_mode()
    def score(self, pairs: Pairs) -> np.ndarray:
        """Return the scores of n examples, see `scores` of the model's network. Each sentence is encoded once."""
        self.module.eval()
        sentences, where = pairs.distinct_sentences()
        vectors = self.module.sentences.encode(sentences)
        return self.module.scores(pairs.kind, tuple(vectors[column] for column in where.T)).cpu().numpy()


class SentenceTask(Task):
    """A `SentenceModel` and its training examples.

    Args:
        model: the model.
        examples: object with k `columns` of n sentences and n `targets`.
    """

    def __init__(self, model: SentenceModel, examples):
        sentences: SentenceEncoder = model.module.sentences
        tokens = ColumnTokens(sentences.tokenizer, examples.columns, max_length=sentences.max_length)
        super().__init__(model.module, tokens, examples.targets)
        self._columns, self._kind = len(examples.columns), getattr(examples, "kind", None)

    @property
    def encoder(self) -> SentenceEncoder:
        return self.module.sentences

    def forward(self, inputs: dict[str, Tensor]) -> Tensor | tuple[Tensor, ...]:
        """Return the `output` of the network for the k columns, which are embedded in one pass of the encoder."""
        return self.module.output(self._kind, self.module.sentences(inputs).chunk(self._columns))
