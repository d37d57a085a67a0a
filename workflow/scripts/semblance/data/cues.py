"""What the surface of a sentence pair shows, and how well it alone predicts the labels of a corpus."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

import numpy as np


def words(text: str) -> list[str]:
    """Return the lower-cased words of a text, without punctuation."""
    return re.findall(r"\w+", text.lower())


def overlap(first: str, second: str) -> float:
    """Return the Jaccard similarity of the word sets of two sentences, from 0 (disjoint) to 1 (equal)."""
    one, other = set(words(first)), set(words(second))
    return len(one & other) / len(one | other) if one | other else 0.0


def edit_similarity(first: str, second: str) -> float:
    """Return the share of words that two sentences have in common in the same order, from 0 to 1 (equal)."""
    return SequenceMatcher(None, words(first), words(second), autojunk=False).ratio()


def length_ratio(first: str, second: str) -> float:
    """Return the number of words of the shorter sentence divided by that of the longer one."""
    shorter, longer = sorted([len(first.split()), len(second.split())])
    return shorter / longer


def overlap_auc(first: Sequence[str], second: Sequence[str], positive: np.ndarray) -> float | None:
    """Return the area under the ROC curve of word overlap as a score.

    Args:
        first: first sentences of n pairs.
        second: second sentences of n pairs.
        positive: boolean labels, shape (n,).

    Returns:
        The probability that a positive pair has more overlap than a negative pair, with ties counted as one half.
        0.5 means that overlap does not predict the label; below 0.5, positive pairs have less overlap. None if only
        one label occurs.
    """
    scores = np.array([overlap(a, b) for a, b in zip(first, second, strict=True)])
    ones, zeros = scores[positive], np.sort(scores[~positive])
    if not len(ones) or not len(zeros):
        return None
    below, up_to = (np.searchsorted(zeros, ones, side=side) for side in ("left", "right"))
    return float((below + up_to).mean() / (2 * len(zeros)))
