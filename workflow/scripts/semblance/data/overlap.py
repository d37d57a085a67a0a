"""Word overlap: how many words two sentences share, and how well that alone tells a corpus' labels."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np


def words(text: str) -> set[str]:
    """The distinct lower-case words of a text, punctuation aside."""
    return set(re.findall(r"\w+", text.lower()))


def overlap(first: str, second: str) -> float:
    """Jaccard similarity of the words of two sentences, from 0 (none shared) to 1 (the same words)."""
    one, other = words(first), words(second)
    return len(one & other) / len(one | other) if one | other else 0.0


def overlap_auc(first: Sequence[str], second: Sequence[str], positive: np.ndarray) -> float | None:
    """Area under the ROC curve of word overlap as a score of n pairs; None where only one label occurs.

    Args:
        first: first sentences of n pairs.
        second: second sentences.
        positive: whether a pair is labelled 1, shape (n,).

    Returns:
        The chance that a pair labelled 1 has more overlap than one labelled 0, ties counting half: 0.5 where overlap
        says nothing of the label, below that where pairs that differ more are labelled 1.
    """
    scores = np.array([overlap(a, b) for a, b in zip(first, second, strict=True)])
    ones, zeros = scores[positive], np.sort(scores[~positive])
    if not len(ones) or not len(zeros):
        return None
    below, up_to = (np.searchsorted(zeros, ones, side=side) for side in ("left", "right"))
    return float((below + up_to).mean() / (2 * len(zeros)))
