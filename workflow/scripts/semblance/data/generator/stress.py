"""The extended stress suite: eight perturbation types, balanced on the surface across labels (stl, section IV-C).

If all negatives are minimal edits and all positives are free paraphrases, the rule "pairs with less overlap are
equivalent" beats any model. Here both labels occur with both kinds of wording, and each equivalent pair is matched with
a perturbed pair of the same kind of sentence and of nearly the same word overlap, edits and lengths, as in HANS (McCoy
et al. 2019) and PAWS (Zhang et al. 2019).
"""

import itertools
from collections import deque
from collections.abc import Iterator

import numpy as np

from semblance.data.cues import edit_similarity, length_ratio, overlap
from semblance.data.generator.corpora import Pair, Source, tell
from semblance.data.generator.grammar import Voice, sentence
from semblance.data.groups import of_kind
from semblance.errors import UserError

TYPES = ("negation", "inc-dec", "comparative", "role-swap", "numeric", "quantifier", "modal", "direction")
CANDIDATES = {1: 8, 0: 24}  # pairs of each label, of which the two that look most alike are chosen
TRIES = 500  # draws per search for new pairs
CUES = (overlap, edit_similarity, length_ratio)


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

    def drawn(label: int) -> Iterator[Pair]:
        for _ in range(TRIES):
            pair = _pair(source, frame, kind, label, same_form)
            if len(found := _sentences(pair)) == 2 and not found & used:
                yield pair

    equivalent, perturbed = ([*itertools.islice(drawn(label), count)] for label, count in CANDIDATES.items())
    cues = {pair: np.array([cue(pair.sentence1, pair.sentence2) for cue in CUES]) for pair in equivalent + perturbed}
    twins = [(a, b) for a, b in itertools.product(equivalent, perturbed) if not _sentences(a) & _sentences(b)]
    nearest = min(twins, key=lambda pair: np.linalg.norm(cues[pair[0]] - cues[pair[1]]), default=())
    used.update(*map(_sentences, nearest))
    return [*nearest]


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
