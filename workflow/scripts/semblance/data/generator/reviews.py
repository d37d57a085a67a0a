"""Generated film reviews with sentiment in five classes (SST-like) or two classes (CFIMDB-like).

The meaning of a review is a film and a verdict from -2 to 2 on one or more aspects (`sides`) of it. The label follows
from the meaning. Each combination of film and aspects belongs to one split, like the meanings in `corpora`.
"""

import hashlib
import itertools

from semblance.data.generator.corpora import PARTITIONS, Pair, Source, distinct
from semblance.data.generator.grammar import sentence

GROUP = "review"


def sentiment(source: Source, count: int) -> list[Pair]:
    """Generate sentences about one or two aspects of a film.

    The label is the mean verdict as a class, from 0 (negative) to 4 (positive). Classes alternate.
    """
    turns = itertools.cycle(range(-2, 3))

    def one() -> Pair:
        degree = next(turns)
        film, sides = _subject(source, source.rng.choice([1, 2]))
        # Two verdicts lie at the same distance above and below their mean.
        apart = source.rng.choice([0, 1]) if abs(degree) < 2 else 0
        degrees = [degree] if len(sides) == 1 else [degree + apart, degree - apart]
        clauses = [_clause(source, film, side, d) for side, d in zip(sides, degrees, strict=True)]
        joined = f" {'and' if len(set(degrees)) == 1 else 'but'} ".join(clauses)
        return Pair(sentence(joined), "", degree + 2.0, GROUP)

    return distinct(one, count)


def polarity(source: Source, count: int) -> list[Pair]:
    """Generate reviews of three to five sentences; the label is 1 (positive) or 0 (negative). Classes alternate."""
    turns = itertools.cycle([-1, 1])

    def one() -> Pair:
        sign = next(turns)
        film, sides = _subject(source, source.rng.choice([3, 4, 5]))
        # One weak verdict is opposite to all others.
        degrees = [-sign, *(sign * source.rng.choice([1, 2]) for _ in sides[1:])]
        source.rng.shuffle(degrees)
        sentences = [sentence(_clause(source, film, side, d)) for side, d in zip(sides, degrees, strict=True)]
        return Pair(" ".join(sentences), "", float(sign > 0), GROUP)

    return distinct(one, count)


def restated(source: Source) -> Pair:
    """Return two sentences on one aspect of a film, for pre-training: the label is 1 if the verdicts agree, else 0."""
    rng = source.rng
    film, [side] = _subject(source, 1)
    degree = rng.randrange(-2, 3)
    other = degree if rng.random() < 0.5 else rng.choice([d for d in range(-2, 3) if d != degree])
    first = second = _clause(source, film, side, degree)
    while second == first:
        second = _clause(source, film, side, other)
    return Pair(sentence(first), sentence(second), float(other == degree), GROUP)


def _subject(source: Source, count: int) -> tuple[str, list[str]]:
    """Draw a film and `count` of its aspects that belong to this split."""
    reviews = source.grammar.reviews
    for _ in range(10_000):
        film = source.rng.choice(reviews["films"])
        sides = source.rng.sample(reviews["sides"], count)
        key = hashlib.sha256("|".join([film, *sorted(sides)]).encode()).digest()
        if int.from_bytes(key[:8], "big") % 100 in PARTITIONS[source.partition]:
            return film, sides
    raise RuntimeError(f"no film falls into the partition {source.partition!r}")


def _clause(source: Source, film: str, side: str, degree: int) -> str:
    reviews = source.grammar.reviews
    form = source.rng.choice(reviews["forms"])
    return form.format(film=film, side=side, verdict=source.rng.choice(reviews["verdicts"][degree]))
