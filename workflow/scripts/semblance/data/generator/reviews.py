"""The generator's film reviews: sentiment in five classes (SST-like) and in two (CFIMDB-like).

A review's meaning is a film and what is thought of some of its sides, each from -2 to 2; the label follows
from the meaning. Splits own their films and sides, as they own their meanings in `corpora`.
"""

from __future__ import annotations

import hashlib
import itertools

from semblance.data.generator.corpora import PARTITIONS, Pair, Source, distinct
from semblance.data.generator.grammar import sentence

GROUP = "review"


def sentiment(source: Source, count: int) -> list[Pair]:
    """One sentence about one side of a film, or two: class 0 (negative) to 4, in turn, by what it thinks on average."""
    turns = itertools.cycle(range(-2, 3))

    def one() -> Pair:
        degree = next(turns)
        film, sides = _subject(source, source.rng.choice([1, 2]))
        # Two sides a whole number apart from their mean, on either side of it.
        apart = source.rng.choice([0, 1]) if abs(degree) < 2 else 0
        degrees = [degree] if len(sides) == 1 else [degree + apart, degree - apart]
        clauses = [_clause(source, film, side, d) for side, d in zip(sides, degrees, strict=True)]
        joined = f" {'and' if len(set(degrees)) == 1 else 'but'} ".join(clauses)
        return Pair(sentence(joined), "", degree + 2.0, GROUP)

    return distinct(one, count)


def polarity(source: Source, count: int) -> list[Pair]:
    """Three to five sentences about a film: 1 where it is liked more than disliked, else 0, in turn."""
    turns = itertools.cycle([-1, 1])

    def one() -> Pair:
        sign = next(turns)
        film, sides = _subject(source, source.rng.choice([3, 4, 5]))
        # One side is against the others, and less strongly.
        degrees = [-sign, *(sign * source.rng.choice([1, 2]) for _ in sides[1:])]
        source.rng.shuffle(degrees)
        told = [sentence(_clause(source, film, side, d)) for side, d in zip(sides, degrees, strict=True)]
        return Pair(" ".join(told), "", float(sign > 0), GROUP)

    return distinct(one, count)


def restated(source: Source) -> Pair:
    """Two sentences on one side of a film: of one opinion (label 1), or of two (label 0). For pre-training."""
    rng = source.rng
    film, [side] = _subject(source, 1)
    degree = rng.randrange(-2, 3)
    other = degree if rng.random() < 0.5 else rng.choice([d for d in range(-2, 3) if d != degree])
    first = second = _clause(source, film, side, degree)
    while second == first:
        second = _clause(source, film, side, other)
    return Pair(sentence(first), sentence(second), float(other == degree), GROUP)


def _subject(source: Source, count: int) -> tuple[str, list[str]]:
    """A film and some of its sides that this split owns."""
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
