"""The code that a script depends on, so that Snakemake reruns a job when some of it changes."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
PACKAGE = "semblance"
REGISTRY = SCRIPTS / PACKAGE / "registry.py"


@cache
def digest(script: str, *plugins: str, declared: str | None = None) -> str:
    """Return a digest of a script and of all modules of this package that it imports, directly or indirectly.

    Args:
        script: path of the script, relative to `SCRIPTS`.
        plugins: modules that are imported by name at run time, such as ``models.tfidf``, which import statements do not
            show. ``metrics:pearson`` is one definition of a module, with those of the module to which it refers.
        declared: what the registry declares of the names that the job uses; it counts instead of the whole registry.
    """
    whole, parts = ([plugin for plugin in plugins if (":" in plugin) == is_part] for is_part in (False, True))
    found = hashlib.sha256(("\0".join(map(definition, parts)) + (declared or "")).encode())
    for path in modules(script, *whole):
        if path != REGISTRY or declared is None:
            found.update(str(path.relative_to(SCRIPTS)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def modules(script: str, *plugins: str) -> list[Path]:
    """Return the files of which `digest` is made, sorted."""
    found = {SCRIPTS / script, *_reached(SCRIPTS / script)}
    for plugin in plugins:
        path = _plugin(plugin)
        found |= {path, *_reached(path)}
    return sorted(found)


def definition(part: str) -> str:
    """Return the source of a definition such as ``metrics:pearson``, and of those in its module to which it refers.

    Raises:
        LookupError: if there is no such module or definition.
    """
    module, _, name = part.partition(":")
    source = _plugin(module).read_text(encoding="utf-8")
    defined = {name: statement for statement in ast.parse(source).body for name in _names(statement)}
    if name not in defined:
        raise LookupError(f"{PACKAGE}.{module} does not define {name}")
    wanted, found = [name], {}
    while wanted:
        if (one := wanted.pop()) in defined and one not in found:
            found[one] = ast.get_source_segment(source, defined[one])
            wanted += [node.id for node in ast.walk(defined[one]) if isinstance(node, ast.Name)]
    return "\n".join(f"{one} {found[one]}" for one in sorted(found))


def _names(statement: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _plugin(name: str) -> Path:
    path = _file(f"{PACKAGE}.{name}")
    if path is None:
        raise LookupError(f"there is no module {PACKAGE}.{name}")
    return path


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
