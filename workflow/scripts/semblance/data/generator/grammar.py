"""Meanings and the English that says them.

A `Meaning` is a frame with a value in every slot. Every form the grammar lists for a frame says
exactly that meaning, so labels are computed from meanings and never guessed from words.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

Entry = Mapping[str, object]  # one word-list entry: field -> wordings; the field "" is the default


@dataclass(frozen=True)
class Meaning:
    """What a sentence says: a frame, its slot values as entry keys, and an optional adjunct."""

    frame: str
    slots: tuple[tuple[str, str], ...]
    adjunct: str | None = None

    def __getitem__(self, slot: str) -> str:
        return dict(self.slots)[slot]

    def replacing(self, **values: str) -> Meaning:
        return Meaning(self.frame, tuple((k, values.get(k, v)) for k, v in self.slots), self.adjunct)

    def without_adjunct(self) -> Meaning:
        return Meaning(self.frame, self.slots)


@dataclass(frozen=True)
class Grammar:
    """Word lists and frames, and what reviews are made of, as read from ``grammar.yaml``."""

    words: Mapping[str, Mapping[str, Entry]]
    frames: Mapping[str, Mapping[str, object]]
    version: int
    reviews: Mapping[str, object]
    _lists: Mapping[str, tuple[str, ...]] = field(repr=False, default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Grammar:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
        words = {name: dict(map(_keyed, entries)) for name, entries in raw["words"].items()}
        lists = {name: tuple(entries) for name, entries in words.items()}
        return cls(words, raw["frames"], raw["version"], raw["reviews"], lists)

    def type_of(self, meaning: Meaning) -> str:
        """The perturbation type of a meaning's frame (stl, section IV-C)."""
        return self._type(meaning.frame)

    def frames_of(self, kind: str) -> list[str]:
        """The frames of a perturbation type."""
        return [frame for frame in self.frames if self._type(frame) == kind]

    def _type(self, frame: str) -> str:
        return self.frames[frame].get("type", frame)

    # -- drawing meanings ------------------------------------------------------------------------

    def draw(self, rng: random.Random, frame: str | None = None, adjunct: float = 0.35) -> Meaning:
        """A random meaning; `adjunct` is the chance of one where the frame takes any."""
        frame = frame or rng.choice(list(self.frames))
        values: dict[str, str] = {}
        for slot in self.frames[frame]["slots"]:
            taken = set(values.values())
            values[slot] = rng.choice([v for v in self.choices(frame, slot, values) if v not in taken])
        adjuncts = self.frames[frame].get("adjuncts")
        when = rng.choice(self._lists[adjuncts]) if adjuncts and rng.random() < adjunct else None
        return Meaning(frame, tuple(values.items()), when)

    def choices(self, frame: str, slot: str, values: Mapping[str, str]) -> tuple[str, ...]:
        """Every value a slot can take, given the values of the slots before it."""
        spec = self.frames[frame]["slots"][slot]
        if isinstance(spec, list):
            return tuple(spec)
        return self._lists[self._list_name(frame, spec, values)]

    def _list_name(self, frame: str, spec: str, values: Mapping[str, str]) -> str:
        if not spec.startswith("@"):
            return spec
        slot, key = spec[1:].split(".")
        return self.words[self.frames[frame]["slots"][slot]][values[slot]][key]

    # -- edits: the perturbations ----------------------------------------------------------------

    def edited(self, meaning: Meaning, rng: random.Random) -> Meaning:
        """The frame's perturbation applied: a different meaning in nearly the same words."""
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
        """The same meaning with another value in one slot."""
        values = dict(meaning.slots)
        taken = set(values.values())
        free = [v for v in self.choices(meaning.frame, slot, values) if v not in taken]
        return meaning.replacing(**{slot: rng.choice(free)})

    def edited_slots(self, meaning: Meaning) -> tuple[str, ...]:
        """The slots the frame's perturbation touches."""
        edit = self.frames[meaning.frame]["edit"]
        return tuple(edit.get("swap") or edit.get("set") or [edit["other"]])

    def perturbs(self, a: Meaning, b: Meaning) -> bool:
        """Whether two meanings of one frame are each other's perturbation, adjuncts aside."""
        touched = self.edited_slots(a)
        if {k for k, v in a.slots if b[k] != v} != set(touched):
            return False
        return len(touched) == 1 or a[touched[0]] == b[touched[1]] and a[touched[1]] == b[touched[0]]

    def inference(self, premise: Meaning, edited: Meaning) -> int:
        """What a premise makes of its frame's perturbation: entailed (0), left open (1), contradicted (2).

        Contradicted unless the frame says otherwise, for all its edits or by the edited slot's two values.
        """
        said = self.frames[premise.frame]["edit"].get("inference", "contradiction")
        if isinstance(said, Mapping):
            [slot] = self.edited_slots(premise)
            said = said.get(premise[slot], {}).get(edited[slot], "contradiction")
        return ("entailment", "neutral", "contradiction").index(said)

    def family(self, meaning: Meaning) -> str:
        """What a meaning shares with its perturbations: the key by which splits are kept apart."""
        touched = self.edited_slots(meaning)
        kept = [f"{k}={v}" for k, v in meaning.slots if k not in touched]
        swapped = sorted(v for k, v in meaning.slots if k in touched and len(touched) == 2)
        return "|".join([meaning.frame, *kept, *swapped])

    def partition(self, meaning: Meaning, parts: int = 100) -> int:
        """A stable number below `parts` that a meaning and all its perturbations share."""
        digest = hashlib.sha256(self.family(meaning).encode()).digest()
        return int.from_bytes(digest[:8], "big") % parts

    # -- saying meanings -------------------------------------------------------------------------

    def forms(self, meaning: Meaning) -> list[str]:
        frame = self.frames[meaning.frame]
        return frame["forms"][meaning[frame["case"]]] if "case" in frame else frame["forms"]

    def edited_form(self, meaning: Meaning, form: int) -> int:
        """Which form of the edited meaning stays closest to form `form` of `meaning`."""
        frame = self.frames[meaning.frame]
        table = frame["edit"]["forms"]
        return (table[meaning[frame["case"]]] if "case" in frame else table)[form]

    def say(self, meaning: Meaning, voice: Voice, form: int | None = None) -> str:
        """A clause that says the meaning, without capital or full stop."""
        forms = self.forms(meaning)
        template = forms[voice.rng.randrange(len(forms)) if form is None else form]
        values = dict(meaning.slots)
        words = {s: _Wording(v, self._entry(meaning.frame, s, values), voice) for s, v in values.items()}
        clause = template.format(**words)
        if meaning.adjunct is None:
            return clause
        adjuncts = self.words[self.frames[meaning.frame]["adjuncts"]]
        when = voice.choose(meaning.adjunct, adjuncts[meaning.adjunct][""])
        front = voice.choose("adjunct", [True, False, False])
        return f"{when}, {clause}" if front else f"{clause} {when}"

    def _entry(self, frame: str, slot: str, values: Mapping[str, str]) -> Entry:
        spec = self.frames[frame]["slots"][slot]
        if isinstance(spec, list):
            return {"": [values[slot]]}
        return self.words[self._list_name(frame, spec, values)][values[slot]]


class Voice:
    """A speaker: picks among wordings at random, and then stays with its choice."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self._choices: dict[str, object] = {}

    def choose(self, what: str, wordings: Sequence):
        if what not in self._choices:
            self._choices[what] = self.rng.choice(wordings)
        return self._choices[what]


class _Wording:
    """A slot's value as `str.format` sees it: ``{x}``, or ``{x.field}`` where entries have fields."""

    def __init__(self, value: str, entry: Entry, voice: Voice):
        self._value, self._entry, self._voice = value, entry, voice

    def __format__(self, spec: str) -> str:
        return self._voice.choose(self._value, self._entry[""])

    def __getattr__(self, name: str) -> str:
        return self._voice.choose(f"{self._value}.{name}", self._entry[name])


def sentence(clause: str, end: str = ".") -> str:
    return clause[0].upper() + clause[1:] + end


def _keyed(entry: list[str] | Entry) -> tuple[str, Entry]:
    if isinstance(entry, list):
        return entry[0], {"": entry}
    return "/".join(v if isinstance(v, str) else v[0] for v in entry.values()), entry
