"""The modules that a script depends on, so that Snakemake reruns a job when one of them changes."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
PACKAGE = "semblance"


@cache
def digest(script: str, *plugins: str) -> str:
    """Return a digest of a script and of all modules of this package that it imports, directly or indirectly.

    Args:
        script: path of the script, relative to `SCRIPTS`.
        plugins: modules that are imported by name at run time, such as ``models.tfidf``, which import statements do not
            show.
    """
    found = hashlib.sha256()
    for path in modules(script, *plugins):
        found.update(str(path.relative_to(SCRIPTS)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def modules(script: str, *plugins: str) -> list[Path]:
    """Return the files of which `digest` is made, sorted."""
    found = {SCRIPTS / script, *_reached(SCRIPTS / script)}
    for plugin in plugins:
        path = _file(f"{PACKAGE}.{plugin}")
        if path is None:
            raise LookupError(f"there is no module {PACKAGE}.{plugin}")
        found |= {path, *_reached(path)}
    return sorted(found)


@cache
def _reached(path: Path) -> frozenset[Path]:
    others = _imports(path) - {path}  # no module imports itself through others: `tests/check/test_code.py`
    return others.union(*map(_reached, others))


@cache
def _imports(path: Path) -> frozenset[Path]:
    return frozenset(filter(None, map(_file, _imported_names(path))))


def _imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _file(name: str) -> Path | None:
    if name.split(".")[0] != PACKAGE:
        return None
    base = SCRIPTS.joinpath(*name.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.exists()), None)
