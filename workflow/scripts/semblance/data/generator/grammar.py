"""Meanings, and a grammar that expresses them in English.

A `Meaning` is a frame with a value in every slot. Every form that the grammar lists for a frame expresses exactly that
meaning, so labels are computed from meanings instead of words.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

Entry = Mapping[str, object]  # one entry of a word list: field -> wordings; the field "" is the default


@dataclass(frozen=True)
class Meaning:
    """The meaning of a sentence: a frame, its slot values as entry keys, and an optional adjunct (a time)."""

    frame: str
    slots: tuple[tuple[str, str], ...]
    adjunct: str | None = None

    def __getitem__(self, slot: str) -> str:
        return dict(self.slots)[slot]

    def replacing(self, **values: str) -> Meaning:
        """Return a copy with new values in the named slots."""
        return Meaning(self.frame, tuple((k, values.get(k, v)) for k, v in self.slots), self.adjunct)

    def without_adjunct(self) -> Meaning:
        """Return a copy without the adjunct."""
        return Meaning(self.frame, self.slots)


@dataclass(frozen=True)
class Grammar:
    """Word lists, sentence frames and parts of film reviews, as read from ``grammar.yaml``."""

    words: Mapping[str, Mapping[str, Entry]]
    frames: Mapping[str, Mapping[str, object]]
    reviews: Mapping[str, object]
    _lists: Mapping[str, tuple[str, ...]] = field(repr=False, default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Grammar:
        """Read a grammar from a YAML file."""
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        words = {name: dict(map(_keyed, entries)) for name, entries in raw["words"].items()}
        lists = {name: tuple(entries) for name, entries in words.items()}
        return cls(words, raw["frames"], raw["reviews"], lists)

    def type_of(self, meaning: Meaning) -> str:
        """Return the perturbation type of a meaning's frame (stl, section IV-C)."""
        return self._type(meaning.frame)

    def frames_of(self, kind: str) -> list[str]:
        """Return the frames of a perturbation type."""
        return [frame for frame in self.frames if self._type(frame) == kind]

    def _type(self, frame: str) -> str:
        return self.frames[frame].get("type", frame)

    # -- random meanings -------------------------------------------------------------------------

    def draw(self, rng: random.Random, frame: str | None = None, adjunct: float = 0.35) -> Meaning:
        """Draw a random meaning.

        Args:
            rng: random generator.
            frame: name of the frame; by default a random one.
            adjunct: probability of an adjunct, if the frame allows one.
        """
        frame = frame or rng.choice(list(self.frames))
        values: dict[str, str] = {}
        for slot in self.frames[frame]["slots"]:
            taken = set(values.values())
            values[slot] = rng.choice([v for v in self.choices(frame, slot, values) if v not in taken])
        adjuncts = self.frames[frame].get("adjuncts")
        when = rng.choice(self._lists[adjuncts]) if adjuncts and rng.random() < adjunct else None
        return Meaning(frame, tuple(values.items()), when)

    def choices(self, frame: str, slot: str, values: Mapping[str, str]) -> tuple[str, ...]:
        """Return all values that a slot can take, given the values of the preceding slots.

        Args:
            frame: name of the frame.
            slot: the slot.
            values: values of the preceding slots, by slot.
        """
        spec = self.frames[frame]["slots"][slot]
        if isinstance(spec, list):
            return tuple(spec)
        return self._lists[self._list_name(frame, spec, values)]

    def _list_name(self, frame: str, spec: str, values: Mapping[str, str]) -> str:
        if not spec.startswith("@"):
            return spec
        slot, key = spec[1:].split(".")
        return self.words[self.frames[frame]["slots"][slot]][values[slot]][key]

    # -- perturbations ---------------------------------------------------------------------------

    def edited(self, meaning: Meaning, rng: random.Random) -> Meaning:
        """Apply the frame's perturbation: a different meaning that shares most of the words."""
        edit = self.frames[meaning.frame]["edit"]
        if "swap" in edit:
            a, b = edit["swap"]
            return meaning.replacing(**{a: meaning[b], b: meaning[a]})
        if "set" in edit:
            [(slot, table)] = edit["set"].items()
            target = table[meaning[slot]]
            return meaning.replacing(**{slot: rng.choice(target) if isinstance(target, list) else target})
        return self.redrawn(meaning, edit["other"], rng)

    def redrawn(self, meaning: Meaning, slot: str, rng: random.Random) -> Meaning:
        """Return the meaning with another random value in one slot."""
        values = dict(meaning.slots)
        taken = set(values.values())
        free = [v for v in self.choices(meaning.frame, slot, values) if v not in taken]
        return meaning.replacing(**{slot: rng.choice(free)})

    def edited_slots(self, meaning: Meaning) -> tuple[str, ...]:
        """Return the slots that the frame's perturbation changes."""
        edit = self.frames[meaning.frame]["edit"]
        return tuple(edit.get("swap") or edit.get("set") or [edit["other"]])

    def perturbs(self, a: Meaning, b: Meaning) -> bool:
        """Return whether two meanings of one frame are perturbations of each other, ignoring adjuncts."""
        touched = self.edited_slots(a)
        if {k for k, v in a.slots if b[k] != v} != set(touched):
            return False
        return len(touched) == 1 or a[touched[0]] == b[touched[1]] and a[touched[1]] == b[touched[0]]

    def inference(self, premise: Meaning, edited: Meaning) -> int:
        """Return the inference class of a perturbation, given the premise that it perturbs.

        Returns:
            0 (entailment), 1 (neutral) or 2 (contradiction). It is a contradiction unless the frame defines another
            class, either for all its perturbations or by the old and new value of the edited slot.
        """
        label = self.frames[premise.frame]["edit"].get("inference", "contradiction")
        if isinstance(label, Mapping):
            [slot] = self.edited_slots(premise)
            label = label.get(premise[slot], {}).get(edited[slot], "contradiction")
        return ("entailment", "neutral", "contradiction").index(label)

    def family(self, meaning: Meaning) -> str:
        """Return the key that a meaning shares with all its perturbations. Splits are disjoint by this key."""
        touched = self.edited_slots(meaning)
        untouched = [f"{k}={v}" for k, v in meaning.slots if k not in touched]
        swapped = sorted(v for k, v in meaning.slots if k in touched and len(touched) == 2)
        return "|".join([meaning.frame, *untouched, *swapped])

    def partition(self, meaning: Meaning) -> int:
        """Return a stable number below 100 that a meaning shares with all its perturbations."""
        digest = hashlib.sha256(self.family(meaning).encode()).digest()
        return int.from_bytes(digest[:8], "big") % 100

    # -- sentences -------------------------------------------------------------------------------

    def forms(self, meaning: Meaning) -> list[str]:
        """Return the templates that express a meaning."""
        frame = self.frames[meaning.frame]
        return frame["forms"][meaning[frame["case"]]] if "case" in frame else frame["forms"]

    def edited_form(self, meaning: Meaning, form: int) -> int:
        """Return the form of the perturbed meaning that is closest to form `form` of `meaning`."""
        frame = self.frames[meaning.frame]
        table = frame["edit"]["forms"]
        return (table[meaning[frame["case"]]] if "case" in frame else table)[form]

    def say(self, meaning: Meaning, voice: Voice, form: int | None = None) -> str:
        """Return a clause that expresses the meaning, without initial capital and full stop.

        Args:
            meaning: meaning to express.
            voice: choice of wordings.
            form: index of the template; by default a random one.
        """
        forms = self.forms(meaning)
        template = forms[voice.rng.randrange(len(forms)) if form is None else form]
        values = dict(meaning.slots)
        words = {s: _Wording(v, self._entry(meaning.frame, s, values), voice) for s, v in values.items()}
        when = ""
        if meaning.adjunct is not None:
            adjuncts = self.words[self.frames[meaning.frame]["adjuncts"]]
            when = voice.choose(meaning.adjunct, adjuncts[meaning.adjunct][""])
        clause = template.format(**words, when=when and f" {when}")
        if not when or "{when}" in template:
            return clause
        front = voice.choose("adjunct", [True, False, False])
        return f"{when}, {clause}" if front else f"{clause} {when}"

    def _entry(self, frame: str, slot: str, values: Mapping[str, str]) -> Entry:
        spec = self.frames[frame]["slots"][slot]
        if isinstance(spec, list):
            return {"": [values[slot]]}
        return self.words[self._list_name(frame, spec, values)][values[slot]]


class Voice:
    """Consistent choice of wordings: each choice is random at first and the same from then on."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self._choices: dict[str, object] = {}

    def choose(self, what: str, wordings: Sequence):
        """Return the wording chosen for `what`, after choosing one at random if there is none yet."""
        if what not in self._choices:
            self._choices[what] = self.rng.choice(wordings)
        return self._choices[what]


class _Wording:
    """The value of a slot for `str.format`: ``{x}``, or ``{x.field}`` for entries with fields."""

    def __init__(self, value: str, entry: Entry, voice: Voice):
        self._value, self._entry, self._voice = value, entry, voice

    def __format__(self, spec: str) -> str:
        return self._voice.choose(self._value, self._entry[""])

    def __getattr__(self, name: str) -> str:
        return self._voice.choose(f"{self._value}.{name}", self._entry[name])


def sentence(clause: str, end: str = ".") -> str:
    """Return the clause with an initial capital and a final punctuation mark."""
    return clause[0].upper() + clause[1:] + end


def _keyed(entry: list[str] | Entry) -> tuple[str, Entry]:
    if isinstance(entry, list):
        return entry[0], {"": entry}
    return "/".join(v if isinstance(v, str) else v[0] for v in entry.values()), entry
