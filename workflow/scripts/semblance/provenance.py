"""What made a result: every file that says what a run scored carries it, and nothing is shown of several that disagree.

It is the preset, the run's recipe, and the versions of the libraries that can change a number.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from semblance.errors import UserError
from semblance.files import read_json

# What each kind of work is done with, as far as it can change what comes out.
NUMBERS = ("numpy", "scipy", "scikit-learn")
LEARNING = ("torch", "transformers", "tokenizers", "accelerate", "sentence-transformers", "gensim")
LIBRARIES = {
    "preparing": ("datasets", "huggingface-hub", "pyarrow", "numpy", "pandas"),
    "computing": NUMBERS + LEARNING,
    "measuring": (*NUMBERS, "pandas", "tabulate"),
    "drawing": (*NUMBERS, "matplotlib"),
    "reporting": ("jinja2", "markdown-it-py"),
}
AGAIN = "made before the configuration or the environment changed; remove it and run again"


def installed() -> dict[str, str]:
    """Versions of what computes here, without what says for which processor a library was built (2.13.0+cpu)."""
    return {name: version(name).partition("+")[0] for name in LIBRARIES["computing"]}


def locked(lock: Path) -> dict[str, dict[str, str]]:
    """By kind of work, the versions that `lock`, a list of requirements, pins: a job depends on them as on its code."""
    lines = (line.partition(";")[0].strip() for line in lock.read_text(encoding="utf-8").splitlines())
    pairs = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    pinned = {name.replace("_", "-").lower(): pinned for name, pinned in pairs}
    return {work: {name: pinned[name] for name in names} for work, names in LIBRARIES.items()}


def stamp(made_by: Mapping) -> dict:
    """What a job writes into its results: their preset and recipe, as it was given them, and the versions here."""
    return {**made_by, "versions": installed()}


def recipe(*parts: object) -> str:
    """A short name for what a run is made by, the same on every machine."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


class Ledger:
    """Takes down who made each file that is read, and refuses one that does not belong with the rest."""

    def __init__(self, preset: str, recipes: Mapping[str, str] | None = None):
        """`recipes` are those that the configuration now has, by run."""
        self._preset, self._recipes = preset, recipes or {}
        self._first: dict[str, tuple[object, object]] = {}  # by what has to agree: the first file, and what it says

    @property
    def versions(self) -> dict[str, str] | None:
        """Those that all files were made with; None where none was read."""
        return self._first["versions"][1] if "versions" in self._first else None

    def check(self, file: Path, run: str, made_by: Mapping | None) -> None:
        """Raises UserError when `file`, a result of `run`, is of another preset, recipe or versions."""
        if not made_by:
            raise UserError(f"{file} does not say what made it: remove it and run again")
        for what, wanted in (("preset", self._preset), ("recipe", self._recipes[run])):
            if made_by[what] != wanted:
                raise UserError(
                    f"{file} is of the {what} {made_by[what]}, the configuration's is {wanted}: it was {AGAIN}"
                )
        self.agree("versions", file, made_by["versions"])

    def rendered(self, file: Path | str) -> dict:
        """A rendered table, list or claims. Raises UserError when it does not belong with what was read before."""
        found = read_json(file)
        if found["preset"] != self._preset:
            raise UserError(f"{file} is of the preset {found['preset']}, not {self._preset}: it was {AGAIN}")
        if found["versions"]:
            self.agree("versions", file, found["versions"])
        return found

    def agree(self, what: str, file: object, said: object) -> None:
        """Raises UserError when two files say different things of the same."""
        first, known = self._first.setdefault(what, (file, said))
        if known != said:
            raise UserError(
                f"{first} and {file} differ in {what} ({_difference(known, said)}): one of them was {AGAIN}"
            )


def _difference(one: object, other: object) -> str:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
        return ", ".join(f"{name} {one.get(name)} and {other.get(name)}" for name in names)
    return f"{one} and {other}"
