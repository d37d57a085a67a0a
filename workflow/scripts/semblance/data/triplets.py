"""Training examples built from labelled pairs: triplets, and sentences paired with themselves (twins)."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from semblance.data.rows import Pairs
from semblance.errors import UserError
from semblance.registry import LABELS


@dataclass(frozen=True)
class Examples:
    """Training examples without labels, as columns of n sentences.

    Triplets have three: a positive has the meaning of its anchor, a negative does not. Twins are sentences paired with
    themselves: the two embeddings of a pair differ only by dropout.
    """

    columns: tuple[list[str], ...]

    @property
    def targets(self) -> np.ndarray:
        """Zeros, because the losses of such examples do not use targets."""
        return np.zeros(len(self.columns[0]))


def twins(pairs: Pairs, seed: int) -> Examples:
    """Return random sentences of the pairs' triplets, each paired with itself, as many as there are triplets.

    Training on them takes as many steps as training on the triplets.
    """
    triplets = of_inference(pairs, seed).columns
    sentences = list(dict.fromkeys(text for column in triplets for text in column))
    chosen = random.Random(f"twins/{seed}").sample(sentences, min(len(triplets[0]), len(sentences)))
    return Examples((chosen, chosen))


def of_inference(pairs: Pairs, seed: int) -> Examples:
    """Build triplets from inference pairs (smart, listing B.1).

    The anchor is a premise, the positive a hypothesis that it entails, the negative one that contradicts it. The
    result contains all combinations of a premise's hypotheses. It omits neutral hypotheses, and premises without an
    entailed or without a contradicted hypothesis. `seed` is not used.

    Raises:
        UserError: if no triplet is left.
    """
    entailed, contradicted = (_hypotheses(pairs, label) for label in ("entailment", "contradiction"))
    rows = [
        (premise, positive, negative)
        for premise, positives in entailed.items()
        for positive in positives
        for negative in contradicted.get(premise, ())
    ]
    if not rows:
        raise UserError("no premise has both an entailed and a contradicted hypothesis: give it more of the corpus")
    return Examples(tuple(map(list, zip(*rows, strict=True))))


def _hypotheses(pairs: Pairs, wanted: str) -> dict[str, list[str]]:
    """Return the hypotheses of class `wanted`, by premise."""
    found, label = defaultdict(list), LABELS[pairs.kind].classes.index(wanted)
    for premise, hypothesis, given in zip(pairs.sentence1, pairs.sentence2, pairs.label, strict=True):
        if given == label:
            found[premise].append(hypothesis)
    return found


def draw(pairs: Pairs, seed: int) -> Examples:
    """Build two triplets from each positive pair, with either sentence as the anchor.

    The negative is a random partner of the anchor in a negative pair, if there is one. Otherwise it is a random
    sentence of the negative pairs. It is never a sentence that forms a positive pair with the anchor or the positive.

    Args:
        pairs: labelled pairs; a target above 0.5 makes a pair positive.
        seed: seed of the random choices.

    Raises:
        UserError: if there is no positive pair, or no negative for a triplet.
    """
    return _drawn(pairs, seed, lambda rng, anchor, kin, others: rng.sample(others, min(20, len(others))))


def draw_hard(pairs: Pairs, seed: int) -> Examples:
    """Build triplets like `draw`, with the nearest sentence of the negative pairs instead of a random one.

    The nearest sentence is the one with the highest TF-IDF cosine to the anchor.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer

    sentences, vectorizer = list(_partners(pairs, positive=False)), TfidfVectorizer()
    vectors = vectorizer.fit_transform(sentences)

    def hardest(rng: random.Random, anchor: str, kin: set[str], others: list[str]) -> list[str]:
        cosines = (vectors @ vectorizer.transform([anchor]).T).toarray().ravel()
        nearest = (sentences[place] for place in np.argsort(-cosines, kind="stable"))
        return list(islice((text for text in nearest if text not in kin), 1))

    return _drawn(pairs, seed, hardest)


def _drawn(pairs: Pairs, seed: int, candidates: Callable[..., list[str]]) -> Examples:
    """Build triplets; the negative of an anchor without one in a negative pair is one of its `candidates`."""
    rng = random.Random(f"triplets/{seed}")
    bound, against = _partners(pairs, positive=True), _partners(pairs, positive=False)
    others = list(against)
    rows = []
    for first, second, target in zip(pairs.sentence1, pairs.sentence2, pairs.targets, strict=True):
        for anchor, partner in ((first, second), (second, first)) if target > 0.5 else ():
            kin = {anchor, partner, *bound[anchor], *bound[partner]}
            groups = against.get(anchor, []), candidates(rng, anchor, kin, others)
            rows.append((anchor, partner, _other_than(kin, groups, rng)))
    if not rows:
        raise UserError("no triplet can be drawn: the training split needs pairs labelled 1 as well")
    return Examples(tuple(map(list, zip(*rows, strict=True))))


def _partners(pairs: Pairs, positive: bool) -> dict[str, list[str]]:
    """Return the partners of each sentence, in either the positive or the negative pairs."""
    found = defaultdict(list)
    for first, second, target in zip(pairs.sentence1, pairs.sentence2, pairs.targets, strict=True):
        if (target > 0.5) == positive:
            found[first].append(second)
            found[second].append(first)
    return found


def _other_than(kin: set[str], groups: Iterable[list[str]], rng: random.Random) -> str:
    """Return a random text that is not kin, of the first group that has one."""
    for group in groups:
        allowed = [text for text in group if text not in kin]
        if allowed:
            return rng.choice(allowed)
    raise UserError("no negative can be drawn for a triplet: the training split needs pairs labelled 0 as well")
