"""Triplets made of labelled pairs: an anchor, a sentence that says the same, one that does not; and twins."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from semblance.data.rows import CLASSES, Pairs, distinct_sentences
from semblance.errors import UserError


@dataclass(frozen=True)
class Triplets:
    """Three columns of one length: each anchor's positive means the same, its negative does not."""

    anchor: list[str]
    positive: list[str]
    negative: list[str]

    def __len__(self) -> int:
        return len(self.anchor)

    @property
    def columns(self) -> tuple[list[str], ...]:
        return self.anchor, self.positive, self.negative

    @property
    def targets(self) -> np.ndarray:
        """None is needed: the columns say it all."""
        return np.zeros(len(self))


@dataclass(frozen=True)
class Twins:
    """The same sentences in two columns, to be told apart by dropout alone."""

    sentence: list[str]

    @property
    def columns(self) -> tuple[list[str], ...]:
        return self.sentence, self.sentence

    @property
    def targets(self) -> np.ndarray:
        return np.zeros(len(self.sentence))


def twins(pairs: Pairs, seed: int) -> Twins:
    """Every distinct sentence of the pairs, twice."""
    return Twins(distinct_sentences([pairs]))


def of_inference(pairs: Pairs, seed: int) -> Triplets:
    """Every premise with each hypothesis it entails and each that contradicts it (smart, listing B.1).

    Premises that lack either, and neutral hypotheses, are left out. Raises UserError when nothing is left.
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
    return Triplets(*map(list, zip(*rows, strict=True)))


def _hypotheses(pairs: Pairs, wanted: str) -> dict[str, list[str]]:
    """By premise, the hypotheses of one class."""
    found, label = defaultdict(list), CLASSES["inference"].index(wanted)
    for premise, hypothesis, given in zip(pairs.sentence1, pairs.sentence2, pairs.label, strict=True):
        if given == label:
            found[premise].append(hypothesis)
    return found


def draw(pairs: Pairs, seed: int) -> Triplets:
    """Two triplets for each positive pair, either sentence once the anchor.

    The negative is a sentence that the corpus itself sets against the anchor, where there is one; else a
    random sentence of the negative pairs, none that a positive pair binds to either of the two. Raises
    UserError when there is no such sentence.
    """
    rng = random.Random(f"triplets/{seed}")
    bound, against = _partners(pairs, positive=True), _partners(pairs, positive=False)
    strangers = list(against)
    rows = []
    for first, second, target in zip(pairs.sentence1, pairs.sentence2, pairs.targets, strict=True):
        for anchor, partner in ((first, second), (second, first)) if target > 0.5 else ():
            kin = {anchor, partner, *bound[anchor], *bound[partner]}
            rows.append((anchor, partner, _other_than(kin, against.get(anchor), strangers, rng)))
    return Triplets(*map(list, zip(*rows, strict=True)))


def _partners(pairs: Pairs, positive: bool) -> dict[str, list[str]]:
    """By sentence, those it is paired with, in positive or in negative pairs."""
    found = defaultdict(list)
    for first, second, target in zip(pairs.sentence1, pairs.sentence2, pairs.targets, strict=True):
        if (target > 0.5) == positive:
            found[first].append(second)
            found[second].append(first)
    return found


def _other_than(kin: set[str], preferred: list[str] | None, strangers: list[str], rng: random.Random) -> str:
    for group in (preferred or [], rng.sample(strangers, min(20, len(strangers)))):
        allowed = [text for text in group if text not in kin]
        if allowed:
            return rng.choice(allowed)
    raise UserError("no negative can be drawn for a triplet: the training split needs pairs labelled 0 as well")
