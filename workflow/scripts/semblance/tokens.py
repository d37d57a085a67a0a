"""Tokenised texts and their padded batches."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

import numpy as np
import torch
from torch import Tensor

from semblance.data.rows import each_once

AT_ONCE = 2**13  # texts per call of a tokenizer
PREDICTION_BATCH = 64  # sequences


class Tokens:
    """Tokenised texts, or pairs of texts joined in one sequence, without padding.

    Each input of the encoder is one array with the tokens of all texts. The output of a fast tokenizer takes many times
    the memory, so it gets only `AT_ONCE` texts at a time.

    Args:
        tokenizer: a fast tokenizer of transformers.
        texts: n texts.
        pairs: n texts to be joined with the first ones, if any.
        max_length: maximum number of tokens of a sequence.

    Attributes:
        lengths: number of tokens of each text, shape (n,).
    """

    def __init__(self, tokenizer, texts: Sequence[str], pairs: Sequence[str] | None = None, *, max_length: int):
        parts: list[dict[str, np.ndarray]] = []
        lengths: list[int] = []
        with _left_as_it_is(tokenizer):
            for start in range(0, len(texts), AT_ONCE):
                columns = [list(column[start : start + AT_ONCE]) for column in (texts, pairs) if column is not None]
                encoded = tokenizer(*columns, truncation=True, max_length=max_length, return_attention_mask=False)
                lengths += map(len, encoded["input_ids"])
                parts.append({name: np.fromiter(chain(*found), dtype=np.int32) for name, found in encoded.items()})
        self._columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        self._padding = {name: tokenizer.pad_token_id if name == "input_ids" else 0 for name in parts[0]}
        self.lengths = np.array(lengths)
        self._starts = np.cumsum(self.lengths) - self.lengths

    def __len__(self) -> int:
        return len(self.lengths)

    def of(self, index: int) -> np.ndarray:
        """Return the token ids of one text."""
        start = self._starts[index]
        return self._columns["input_ids"][start : start + self.lengths[index]]

    def batch(self, indices: Sequence[int]) -> dict[str, Tensor]:
        """Return padded tensors and their attention mask, shape (len(indices), length of the longest of them)."""
        lengths = self.lengths[indices]
        along = np.arange(lengths.max())
        mask = along < lengths[:, None]
        places = (self._starts[indices][:, None] + along)[mask]
        tensors = {"attention_mask": torch.from_numpy(mask.astype(np.int64))}
        for name, padding in self._padding.items():
            padded = np.full(mask.shape, padding, dtype=np.int64)
            padded[mask] = self._columns[name][places]
            tensors[name] = torch.from_numpy(padded)
        return tensors


class ColumnTokens:
    """Tokenised columns of sentences; each distinct sentence is tokenised once.

    Args:
        tokenizer: a fast tokenizer of transformers.
        columns: k columns of n sentences.
        max_length: maximum number of tokens of a sentence.

    Attributes:
        lengths: number of tokens of each row's longest sentence, shape (n,).
    """

    def __init__(self, tokenizer, columns: Sequence[Sequence[str]], *, max_length: int):
        sentences, self._where = each_once(columns)
        self._tokens = Tokens(tokenizer, sentences, max_length=max_length)
        self.lengths = self._tokens.lengths[self._where].max(axis=1)

    def of(self, index: int) -> list[np.ndarray]:
        """Return the token ids of each sentence of one row."""
        return [self._tokens.of(sentence) for sentence in self._where[index]]

    def batch(self, indices: np.ndarray) -> dict[str, Tensor]:
        """Return m rows as one batch of k·m padded sequences, column by column."""
        return self._tokens.batch(self._where[indices].T.reshape(-1))


@contextmanager
def _left_as_it_is(tokenizer) -> Iterator[None]:
    """Restore a fast tokenizer's truncation, which each call changes and which is saved with the tokenizer."""
    backend = tokenizer.backend_tokenizer
    before = backend.truncation
    try:
        yield
    finally:
        backend.enable_truncation(**before) if before else backend.no_truncation()


def by_length(lengths: np.ndarray, batch_size: int) -> list[np.ndarray]:
    """Return batches for prediction, longest examples first, so that a lack of memory shows immediately."""
    order = np.argsort(-lengths, kind="stable")
    return [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
