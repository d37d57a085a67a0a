"""The configuration in tests: settings with changes, and files with a replaced text."""

from pathlib import Path

from semblance.config.files import read_yaml


def settings(root: Path, **changes) -> dict:
    """Return the settings of config/config.yaml with changes; for stl alone, unless they name papers."""
    return {**read_yaml(root / "config" / "config.yaml"), "papers": ["stl"], **changes}


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
