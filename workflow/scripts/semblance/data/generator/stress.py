"""The extended stress suite: eight perturbation types, with word overlap balanced across labels (stl, section IV-C).

If all negatives are minimal edits and all positives are free paraphrases, the rule "pairs with less overlap are
equivalent" beats any model. Here both labels occur with both kinds of wording, and each equivalent pair is matched with
a perturbed pair of the same kind of sentence and of nearly the same word overlap, as in HANS (McCoy et al. 2019) and
PAWS (Zhang et al. 2019).
"""

import itertools
from collections import deque
from collections.abc import Iterator

from semblance.data.generator.corpora import Pair, Source, tell
from semblance.data.generator.grammar import Voice, sentence
from semblance.data.groups import of_kind
from semblance.data.overlap import overlap
from semblance.errors import UserError

TYPES = ("negation", "inc-dec", "comparative", "role-swap", "numeric", "quantifier", "modal", "direction")
CANDIDATES = 48  # perturbed pairs from which the one with the nearest overlap is chosen
TRIES = 500  # draws per search for a new pair
LOWER = 0.01  # prefers less overlap between equally near candidates, because edits keep most words


def stress(source: Source, per_type: int) -> list[Pair]:
    """Generate statement pairs of each perturbation type: half equivalent (label 1), half perturbed (label 0).

    The frames of a type alternate. For each label, half of the pairs use the same form in both sentences and half use
    any form. No sentence occurs in two pairs.

    Args:
        source: grammar, random generator and split.
        per_type: number of pairs per type; odd numbers are rounded down.

    Raises:
        UserError: if the grammar has too few sentences of a type.
    """
    pairs: list[Pair] = []
    for kind in TYPES:
        used: set[str] = set()
        turns = deque((frame, same_form) for same_form in (True, False) for frame in source.grammar.frames_of(kind))
        wanted = len(pairs) + per_type // 2 * 2
        while len(pairs) < wanted:
            if not turns:
                raise UserError(f"the generator's grammar has too few sentences of {kind}: ask for fewer `rows`")
            frame, same_form = turns.popleft()
            if found := _twins(source, frame, kind, same_form, used):  # an exhausted frame is not tried again
                turns.append((frame, same_form))
                pairs += found
    return pairs


def _twins(source: Source, frame: str, kind: str, same_form: bool, used: set[str]) -> list[Pair]:
    """Return an equivalent and a perturbed pair of one frame, or an empty list if the frame has no new sentences.

    The sentences are not in `used` before, and are added to it.
    """

    def drawn(label: int, seen: set[str]) -> Iterator[Pair]:
        for _ in range(TRIES):
            pair = _pair(source, frame, kind, label, same_form)
            if len(found := _sentences(pair)) == 2 and not found & seen:
                yield pair

    equivalent = next(drawn(1, used), None)
    if equivalent is None:
        return []
    seen, wanted = used | _sentences(equivalent), overlap(equivalent.sentence1, equivalent.sentence2) - LOWER
    candidates = list(itertools.islice(drawn(0, seen), CANDIDATES))
    if not candidates:
        return []
    nearest = min(candidates, key=lambda pair: abs(overlap(pair.sentence1, pair.sentence2) - wanted))
    used |= seen | _sentences(nearest)
    return [equivalent, nearest]


def _pair(source: Source, frame: str, kind: str, label: int, same_form: bool) -> Pair:
    grammar, rng = source.grammar, source.rng
    meaning = source.draw(frame, adjunct=0.2)
    if label:
        clauses = tell(source, meaning, meaning, parallel=same_form)
    elif same_form:
        # Half of the pairs vary the wording of unedited slots, as equivalent pairs do.
        form, voice, edited = rng.randrange(len(grammar.forms(meaning))), Voice(rng), grammar.edited(meaning, rng)
        other = voice if rng.random() < 0.5 else Voice(rng)
        clauses = grammar.say(meaning, voice, form), grammar.say(edited, other, grammar.edited_form(meaning, form))
    else:
        clauses = tell(source, meaning, grammar.edited(meaning, rng), parallel=False)
    return Pair(*map(sentence, clauses), float(label), of_kind(kind, frame))


def _sentences(pair: Pair) -> set[str]:
    return {pair.sentence1.lower(), pair.sentence2.lower()}
