"""The configuration in tests: settings with changes, loaded projects, and files with a replaced text."""

import json
from functools import cache
from pathlib import Path

from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.config.project import Project


def settings(root: Path, **changes) -> dict:
    """Return the settings of config/config.yaml with changes; for stl alone, unless they name papers."""
    return {**read_yaml(root / "config" / "config.yaml"), "papers": ["stl"], **changes}


def project(root: Path, **changes) -> Project:
    """Return the project of config/config.yaml with changes.

    Each is loaded once, so a test must not change it, nor the files of `root` after the first call.
    """
    return _loaded(root, json.dumps(changes))


@cache
def _loaded(root: Path, changes: str) -> Project:
    return load(root, {**read_yaml(root / "config" / "config.yaml"), **json.loads(changes)})


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
