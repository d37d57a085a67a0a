"""The extended stress suite: pairs of eight perturbation types that word overlap cannot tell apart (stl, section IV-C).

In a suite whose negatives are minimal edits and whose positives are free rewordings, "pairs that differ more are
equivalent" beats any model. Here the label is crossed with the wording, and each equivalent pair comes with a
perturbed one of the same kind of sentence and of nearly the same word overlap, as in HANS (McCoy et al. 2019) and
PAWS (Zhang et al. 2019).
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator

from semblance.data.generator.corpora import Pair, Source, tell
from semblance.data.generator.grammar import Voice, sentence
from semblance.data.groups import of_kind
from semblance.data.overlap import overlap
from semblance.errors import UserError

TYPES = ("negation", "inc-dec", "comparative", "role-swap", "numeric", "quantifier", "modal", "direction")
CANDIDATES = 48  # perturbed pairs from which the one nearest in overlap is taken
TRIES = 500  # draws in a row that give nothing new
LOWER = 0.01  # which, of two equally near, is the one of less overlap: edits leave most words in place


def stress(source: Source, per_type: int) -> list[Pair]:
    """Statement pairs of each perturbation type, half equivalent (1), half perturbed (0), its frames in turn.

    Within a type, half of the pairs of either label are told in the same form, the others in any form. No sentence
    is in two pairs. Raises UserError when the grammar has no more.
    """
    pairs: list[Pair] = []
    for kind in TYPES:
        said: set[str] = set()
        turns = deque((frame, same_form) for same_form in (True, False) for frame in source.grammar.frames_of(kind))
        wanted = len(pairs) + per_type // 2 * 2
        while len(pairs) < wanted:
            if not turns:
                raise UserError(f"the generator's grammar has too few sentences of {kind}: ask for fewer `rows`")
            frame, same_form = turns.popleft()
            if found := _twins(source, frame, kind, same_form, said):  # one that has no more is not asked again
                turns.append((frame, same_form))
                pairs += found
    return pairs


def _twins(source: Source, frame: str, kind: str, same_form: bool, said: set[str]) -> list[Pair]:
    """An equivalent and a perturbed pair of one frame, of sentences that were not `said` before and are afterwards.

    None where the frame has no more.
    """

    def drawn(label: int, seen: set[str]) -> Iterator[Pair]:
        for _ in range(TRIES):
            pair = _pair(source, frame, kind, label, same_form)
            if len(found := _sentences(pair)) == 2 and not found & seen:
                yield pair

    equivalent = next(drawn(1, said), None)
    if equivalent is None:
        return []
    seen, wanted = said | _sentences(equivalent), overlap(equivalent.sentence1, equivalent.sentence2) - LOWER
    candidates = list(itertools.islice(drawn(0, seen), CANDIDATES))
    if not candidates:
        return []
    nearest = min(candidates, key=lambda pair: abs(overlap(pair.sentence1, pair.sentence2) - wanted))
    said |= seen | _sentences(nearest)
    return [equivalent, nearest]


def _pair(source: Source, frame: str, kind: str, label: int, same_form: bool) -> Pair:
    grammar, rng = source.grammar, source.rng
    meaning = source.draw(frame, adjunct=0.2)
    if label:
        clauses = tell(source, meaning, meaning, parallel=same_form)
    elif same_form:
        # In one voice, or with other wordings of what is not perturbed, as an equivalent pair has them.
        form, voice, edited = rng.randrange(len(grammar.forms(meaning))), Voice(rng), grammar.edited(meaning, rng)
        other = voice if rng.random() < 0.5 else Voice(rng)
        clauses = grammar.say(meaning, voice, form), grammar.say(edited, other, grammar.edited_form(meaning, form))
    else:
        clauses = tell(source, meaning, grammar.edited(meaning, rng), parallel=False)
    return Pair(*map(sentence, clauses), float(label), of_kind(kind, frame))


def _sentences(pair: Pair) -> set[str]:
    return {pair.sentence1.lower(), pair.sentence2.lower()}
