"""Generated sentence pairs for pre-training."""

from semblance.data.generator import reviews
from semblance.data.generator.corpora import Pair, Source, question_kind, questions, tell
from semblance.data.generator.grammar import Meaning, sentence

REVIEWS = 0.06  # share of pairs from film reviews
QUESTIONS = 0.3  # share of questions among the other pairs
OTHER_KIND = 0.2  # share of question pairs with one meaning that ask different kinds of question


def text(source: Source, count: int) -> list[Pair]:
    """Generate sentence pairs; the label is 1 if the second sentence restates the first, else 0.

    With label 0, the second sentence has a similar or perturbed meaning, asks another kind of question, or is
    unrelated. This is BERT's next-sentence task with harder negatives.
    """
    return [reviews.restated(source) if source.rng.random() < REVIEWS else _pair(source) for _ in range(count)]


def _pair(source: Source) -> Pair:
    rng, meaning = source.rng, source.draw()
    other, group = _second(source, meaning)
    if rng.random() >= QUESTIONS:
        return Pair(*map(sentence, tell(source, meaning, other)), float(other == meaning), group)
    kind, kinds = question_kind(source)
    if other == meaning and rng.random() < OTHER_KIND:
        another = rng.choice([k for k in kinds if k != kind])
        return questions(source, meaning, other, kind, another, 0.0, "question kind")
    return questions(source, meaning, other, kind, kind, float(other == meaning), group)


def _second(source: Source, meaning: Meaning) -> tuple[Meaning, str]:
    draw = source.rng.random()
    if draw < 0.45:
        return meaning, "restated"
    if draw < 0.60:
        return source.near(meaning), "near"
    if draw < 0.85:
        return source.grammar.edited(meaning, source.rng), "contradicted"
    return source.draw(), "elsewhere"
