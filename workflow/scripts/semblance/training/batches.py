"""Tokenised corpora and the order their batches come in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

POOL = 50  # batches sorted by length together: large enough to cut padding, small enough to stay shuffled


class Tokens:
    """Tokenised texts, or pairs of texts joined in one sequence, unpadded.

    `encoded` is what a fast tokenizer returns for lists of texts without padding.
    """

    def __init__(self, tokenizer, texts: Sequence[str], pairs: Sequence[str] | None = None, *, max_length: int):
        with _left_as_it_is(tokenizer):
            encoded = tokenizer(
                list(texts), list(pairs) if pairs is not None else None, truncation=True, max_length=max_length
            )
        self.names = [n for n in encoded if n != "attention_mask"]
        self.padding = {n: tokenizer.pad_token_id if n == "input_ids" else 0 for n in self.names}
        self.columns = {n: [np.asarray(row, dtype=np.int64) for row in encoded[n]] for n in self.names}
        self.lengths = np.array([len(row) for row in self.columns["input_ids"]])

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, indices: Sequence[int]) -> dict[str, Tensor]:
        """Padded tensors of shape (len(indices), longest of them), with their attention mask."""
        lengths = self.lengths[indices]
        mask = np.arange(lengths.max())[None, :] < lengths[:, None]
        tensors = {"attention_mask": torch.from_numpy(mask.astype(np.int64))}
        for name in self.names:
            padded = np.full(mask.shape, self.padding[name], dtype=np.int64)
            padded[mask] = np.concatenate([self.columns[name][i] for i in indices])
            tensors[name] = torch.from_numpy(padded)
        return tensors


@contextmanager
def _left_as_it_is(tokenizer) -> Iterator[None]:
    """A fast tokenizer keeps how it last cut texts, and is saved with that: so as what was asked of it last."""
    backend = tokenizer.backend_tokenizer
    before = backend.truncation
    try:
        yield
    finally:
        backend.enable_truncation(**before) if before else backend.no_truncation()


def bucketed(lengths: np.ndarray, batch_size: int, rng: np.random.Generator) -> list[np.ndarray]:
    """One epoch of shuffled batches whose members have like length.

    Examples are shuffled, sorted by length within pools of `POOL` batches, cut into batches, and the
    batches shuffled. Every example comes exactly once.
    """
    order = rng.permutation(len(lengths))
    batches = []
    for start in range(0, len(order), POOL * batch_size):
        pool = order[start : start + POOL * batch_size]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[i : i + batch_size] for i in range(0, len(pool), batch_size)]
    return [batches[i] for i in rng.permutation(len(batches))]


def by_length(lengths: np.ndarray, batch_size: int) -> list[np.ndarray]:
    """Batches for prediction: longest first, so that running out of memory shows at once."""
    order = np.argsort(-lengths, kind="stable")
    return [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
