"""Provenance of results: the preset, the run's recipe, and versions of the libraries that can change a number.

All files with a run's results carry it, but for its training curve. Results that disagree in it are never combined.
"""

import hashlib
import json
import subprocess
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from semblance.errors import UserError
from semblance.files import read_json
from semblance.paths import ROOT

# The libraries that can change the result of each kind of job.
NUMBERS = ("numpy", "scipy", "scikit-learn")
LEARNING = ("torch", "transformers", "tokenizers", "accelerate", "sentence-transformers", "gensim")
LIBRARIES = {
    "preparing": ("datasets", "huggingface-hub", "pyarrow", "numpy", "pandas"),
    "computing": NUMBERS + LEARNING,
    "measuring": (*NUMBERS, "pandas", "tabulate"),
    "drawing": (*NUMBERS, "matplotlib"),
    "reporting": ("jinja2", "markdown-it-py"),
}
MAKE_RESULTS = ("Snakefile", "config", "resources", "rules", "workflow")  # where a new file can change results
UNKNOWN = "unknown"  # commit of a folder that is no checkout
AGAIN = "made before the configuration or the environment changed; remove it and run again"


def installed() -> dict[str, str]:
    """Return the installed versions of the computing libraries, without their build (``+cpu`` in 2.13.0+cpu)."""
    return {name: version(name).partition("+")[0] for name in LIBRARIES["computing"]}


def release() -> str:
    """Return the version of semblance, which pyproject.toml states."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def commit() -> str:
    """Return git's name of the current commit, with ``-dirty`` if files that make results differ from it.

    Outside a checkout it is ``unknown``.
    """
    try:
        if Path(_git("rev-parse", "--show-toplevel")).resolve() != ROOT.resolve():
            return UNKNOWN  # of a repository around this copy
        described = _git("describe", "--always", "--dirty", "--abbrev=12")
        added = _git("ls-files", "--others", "--exclude-standard", "--", *MAKE_RESULTS)
    except (OSError, subprocess.CalledProcessError):
        return UNKNOWN
    return f"{described}-dirty" if added and not described.endswith("-dirty") else described


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def locked(lock: Path) -> dict[str, dict[str, str]]:
    """Return the versions that a requirements file pins, by kind of job; a job depends on them as on its code."""
    lines = (line.partition(";")[0].strip() for line in lock.read_text(encoding="utf-8").splitlines())
    pairs = (line.split("==") for line in lines if "==" in line and not line.startswith("#"))
    pinned = {name.replace("_", "-").lower(): pinned for name, pinned in pairs}
    return {work: {name: pinned[name] for name in names} for work, names in LIBRARIES.items()}


def stamp(made_by: Mapping) -> dict:
    """Return the provenance to write into a result: the given preset and recipe, and the installed versions."""
    return {**made_by, "versions": installed()}


def digest(*parts: object) -> str:
    """Return a short digest of a configuration, equal on all machines.

    Entries that are None or empty do not count, so that a new key that is unset by default leaves all digests as they
    are. Numbers and booleans always count.
    """
    return hashlib.sha256(json.dumps(_without_unset(parts), sort_keys=True).encode()).hexdigest()[:16]


def _without_unset(value: object) -> object:
    if isinstance(value, Mapping):
        parts = {key: _without_unset(part) for key, part in value.items()}
        return {key: part for key, part in parts.items() if part not in (None, "", [], {})}
    return [_without_unset(part) for part in value] if isinstance(value, list | tuple) else value


class Ledger:
    """Checks that all files that are read have the same provenance.

    Args:
        preset: the current preset.
        recipes: the current recipe of each run.
    """

    def __init__(self, preset: str, recipes: Mapping[str, str] | None = None):
        self._preset, self._recipes = preset, recipes or {}
        self._first: dict[str, tuple[object, Any]] = {}  # for each property: the first file and its value

    @property
    def versions(self) -> dict[str, str] | None:
        """Versions with which all files were made; None if none was read."""
        return self._first["versions"][1] if "versions" in self._first else None

    def check(self, file: Path, run: str, made_by: Mapping | None) -> None:
        """Check the provenance of a result.

        Args:
            file: the result.
            run: its run.
            made_by: its provenance; None or empty if it has none.

        Raises:
            UserError: if it has none, or another preset, recipe or versions.
        """
        if not made_by:
            raise UserError(f"{file} does not say what made it: remove it and run again")
        for what, wanted in (("preset", self._preset), ("recipe", self._recipes[run])):
            if made_by[what] != wanted:
                raise UserError(
                    f"{file} is of the {what} {made_by[what]}, the configuration's is {wanted}: it was {AGAIN}"
                )
        self.agree("versions", file, made_by["versions"])

    def rendered(self, file: Path | str) -> dict:
        """Read a rendered table, list or set of claims; `findings.parsed` gives it a type.

        Raises:
            UserError: if its preset is another, or its versions differ from those of files read before.
        """
        found = read_json(file)
        if found["preset"] != self._preset:
            raise UserError(f"{file} is of the preset {found['preset']}, not {self._preset}: it was {AGAIN}")
        if found["versions"]:
            self.agree("versions", file, found["versions"])
        return found

    def agree(self, what: str, file: object, value: object) -> None:
        """Check that a file has the same value of a property as the first one that was read.

        Args:
            what: name of the property.
            file: the file.
            value: its value.

        Raises:
            UserError: if the values differ.
        """
        first, known = self._first.setdefault(what, (file, value))
        if known != value:
            raise UserError(
                f"{first} and {file} differ in {what} ({_difference(known, value)}): one of them was {AGAIN}"
            )


def _difference(one: object, other: object) -> str:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
        return ", ".join(f"{name} {one.get(name)} and {other.get(name)}" for name in names)
    return f"{one} and {other}"
