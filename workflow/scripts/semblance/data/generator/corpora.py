"""Generated corpora of labelled pairs: duplicates (QQP-like), graded similarity (STS-B-like), inference (SNLI-like).

Splits are disjoint by meaning: a meaning and all its perturbations belong to one of 100 partitions, and each partition
belongs to one split. Therefore no pair, paraphrase or perturbation of a pair occurs in two splits, or in both a
training corpus and the stress suite.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass

from semblance.data.generator.grammar import Grammar, Meaning, Voice, sentence
from semblance.errors import UserError

PARTITIONS = {
    "train": range(56),
    "dev": range(56, 63),
    "validation": range(63, 71),
    "test": range(71, 79),
    "stress-dev": range(79, 86),
    "stress-test": range(86, 100),
}
GIVE_UP = 10_000  # consecutive draws without a new pair
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)


@dataclass(frozen=True)
class Pair:
    """A generated sentence pair; `label` is in the unit of its corpus."""

    sentence1: str
    sentence2: str
    label: float
    group: str


@dataclass
class Source:
    """A grammar, a random generator, and the split whose partitions meanings are drawn from."""

    grammar: Grammar
    rng: random.Random
    partition: str

    def draw(self, frame: str | None = None, **options) -> Meaning:
        """Draw a random meaning of this split, from `frame` or from any frame; `options` go to `Grammar.draw`."""
        for _ in range(10_000):
            meaning = self.grammar.draw(self.rng, frame, **options)
            if self._owns(meaning):
                return meaning
        raise RuntimeError(f"no meaning of frame {frame!r} falls into the partition {self.partition!r}")

    def near(self, meaning: Meaning) -> Meaning:
        """Return `meaning` with one or two slots changed, or else a random meaning of the same frame.

        The changed slots are not those of the frame's perturbation, unless the perturbation swaps two slots.
        """
        grammar, rng = self.grammar, self.rng
        swaps = "swap" in grammar.frames[meaning.frame]["edit"]
        fixed = () if swaps else grammar.edited_slots(meaning)
        slots = [s for s, _ in meaning.slots if s not in fixed and not self._governs_others(meaning.frame, s)]

        def change() -> Meaning:
            other = meaning
            for slot in rng.sample(slots, min(len(slots), rng.choice([1, 1, 2]))):
                other = grammar.redrawn(other, slot, rng)
            return other

        for _ in range(100):
            other = change()
            if self._owns(other):
                return other
        return self.draw(meaning.frame)

    def _owns(self, meaning: Meaning) -> bool:
        return self.grammar.partition(meaning) in PARTITIONS[self.partition]

    def _governs_others(self, frame: str, slot: str) -> bool:
        specs = self.grammar.frames[frame]["slots"].values()
        return any(isinstance(s, str) and s.startswith(f"@{slot}.") for s in specs)


def duplicates(source: Source, count: int) -> list[Pair]:
    """Generate question pairs; the label is 1 if both ask the same kind of question about the same meaning, else 0.

    37% are duplicates, as in QQP (stl, section IV-A). About a quarter of the others are perturbations.
    """

    def one() -> Pair:
        rng, meaning = source.rng, source.draw()
        kind, kinds = question_kind(source)
        draw = rng.random()
        if draw < 0.37:
            return questions(source, meaning, meaning, kind, kind, 1.0, "paraphrase")
        if draw < 0.54:
            edited = source.grammar.edited(meaning, rng)
            return questions(source, meaning, edited, kind, kind, 0.0, source.grammar.type_of(meaning))
        if draw < 0.62:
            other = rng.choice([k for k in kinds if k != kind])
            return questions(source, meaning, meaning, kind, other, 0.0, "question kind")
        if draw < 0.84:
            return questions(source, meaning, source.near(meaning), kind, kind, 0.0, "other detail")
        return questions(source, meaning, source.draw(), kind, rng.choice(kinds), 0.0, "unrelated")

    return distinct(one, count)


def graded(source: Source, count: int) -> list[Pair]:
    """Generate statement pairs across the scale from 0 to 5, scored by the `similarity` of their meanings."""

    def one() -> Pair:
        rng, a = source.rng, source.draw(adjunct=0.5)
        draw = rng.random()
        if draw < 0.20:
            b = a
        elif draw < 0.35:
            b = a.without_adjunct() if a.adjunct else source.near(a)
        elif draw < 0.55:
            b = source.grammar.edited(a, rng)
        elif draw < 0.75:
            b = source.near(a)
        else:
            b = source.draw(a.frame if rng.random() < 0.5 else None, adjunct=0.5)
        if a.adjunct and rng.random() < 0.1:
            b = b.without_adjunct()
        return Pair(*map(sentence, tell(source, a, b)), similarity(source.grammar, a, b), source.grammar.type_of(a))

    return distinct(one, count)


def inference(source: Source, count: int) -> list[Pair]:
    """Generate premises with three hypotheses each: entailed (label 0), neutral (1) and contradicted (2).

    An entailed hypothesis has the meaning of the premise, with or without its time adverbial. A neutral one changes a
    detail, or is a perturbation that the grammar marks as neutral. A contradicted one is a perturbation that the
    grammar marks as a contradiction.
    """
    waiting: list[Pair] = []

    def one() -> Pair:
        if not waiting:
            waiting.extend(_premise_and_hypotheses(source))
        return waiting.pop()

    return distinct(one, count)


def _premise_and_hypotheses(source: Source) -> list[Pair]:
    for _ in range(1000):
        premise = source.draw(adjunct=0.5)
        hypotheses = [_hypothesis(source, premise, label) for label in (ENTAILMENT, NEUTRAL, CONTRADICTION)]
        if None not in hypotheses:
            texts = [tell(source, premise, hypothesis) for hypothesis in hypotheses]
            first = sentence(texts[0][0])
            kind = source.grammar.type_of(premise)
            return [Pair(first, sentence(second), float(label), kind) for label, (_, second) in enumerate(texts)]
    raise RuntimeError("the grammar has no meaning with a hypothesis of each class")


def _hypothesis(source: Source, premise: Meaning, label: int) -> Meaning | None:
    """Draw a meaning with the inference class `label` given the premise; return None if this draw has another one."""
    grammar, rng = source.grammar, source.rng
    if label == ENTAILMENT:
        return premise.without_adjunct() if premise.adjunct and rng.random() < 0.5 else premise
    if label == NEUTRAL and rng.random() < 0.5:
        other = source.near(premise)
        # Another amount of the same event contradicts the premise, as most perturbations do.
        differ = {k for k, v in premise.slots if other[k] != v}
        return None if differ <= {"amount"} or grammar.perturbs(premise, other) else other
    other = grammar.edited(premise, rng)
    return other if grammar.inference(premise, other) == label else None


def similarity(grammar: Grammar, a: Meaning, b: Meaning) -> float:
    """Return the similarity of two meanings from 0 to 5, after the STS-B scale.

    5: equivalent; about 4: only the time differs; about 3: one important detail differs; 2: a perturbation, which
    keeps the topic and reverses the message; about 1: only the topic is shared; 0: nothing is shared.
    """
    if a.frame != b.frame:
        shared = {v for _, v in a.slots} & {v for _, v in b.slots}
        return 0.6 if shared else 0.0
    differ = {k for k, v in a.slots if b[k] != v}
    score = 5.0
    if grammar.perturbs(a, b):
        score = 2.0
    elif differ:
        score = max(3.2 - 1.2 * (len(differ) - 1), 0.6)
    if a.adjunct != b.adjunct:
        score -= 0.6 if None in (a.adjunct, b.adjunct) else 1.0
    return round(max(score, 0.0), 2)


def tell(source: Source, a: Meaning, b: Meaning, parallel: bool | None = None) -> tuple[str, str]:
    """Return clauses that express two meanings.

    Args:
        source: grammar and random generator.
        a: first meaning.
        b: second meaning.
        parallel: whether both clauses have the same form, if the meanings share a frame. By default, half of the
            calls use the same form. A perturbation in the same form also keeps the wording of all unedited slots.
    """
    grammar, rng = source.grammar, source.rng
    form, voice = rng.randrange(len(grammar.forms(a))), Voice(rng)
    parallel = rng.random() < 0.5 if parallel is None else parallel
    first = grammar.say(a, voice, form)
    if parallel and a.frame == b.frame and grammar.perturbs(a, b):
        return first, grammar.say(b, voice, grammar.edited_form(a, form))
    same_form = min(form, len(grammar.forms(b)) - 1) if parallel and a.frame == b.frame else None
    second = grammar.say(b, Voice(rng), same_form)
    while second == first:  # some meanings have only one wording in a form
        second = grammar.say(b, Voice(rng))
    return first, second


def question_kind(source: Source) -> tuple[str, list[str]]:
    """Draw a kind of question; return it and the list of all kinds."""
    kinds = list(source.grammar.words["question_kinds"])
    return source.rng.choice(kinds), kinds


def questions(source: Source, a: Meaning, b: Meaning, kind_a: str, kind_b: str, label: float, group: str) -> Pair:
    """Return a pair of questions of the given kinds about two meanings.

    Args:
        source: grammar and random numbers.
        a: first meaning.
        b: second meaning.
        kind_a: kind of the first question, in `question_kinds` of the grammar.
        kind_b: kind of the second.
        label: the pair's label.
        group: name of the group of dependent pairs.
    """
    openings = source.grammar.words["question_kinds"]
    sides = [
        sentence(f"{source.rng.choice(openings[kind][''])} {clause}", "?")
        for kind, clause in zip((kind_a, kind_b), tell(source, a, b), strict=True)
    ]
    return Pair(*sides, label, group)


def distinct(draw: Callable[[], Pair], count: int) -> list[Pair]:
    """Draw `count` pairs of two different sentences, of which no two have the same two in any order.

    Raises:
        UserError: if `GIVE_UP` consecutive draws give no new pair.
    """
    found: list[Pair] = []
    seen: set[frozenset[str]] = set()
    in_vain = 0
    while len(found) < count:
        pair = draw()
        sentences = frozenset((pair.sentence1.lower(), pair.sentence2.lower()))
        if len(sentences) == 2 and sentences not in seen:
            seen.add(sentences)
            found.append(pair)
            in_vain = 0
        elif (in_vain := in_vain + 1) == GIVE_UP:
            raise UserError(
                f"the generator's grammar has {len(found)} such examples, not {count}: ask for fewer `rows`"
            )
    return found
