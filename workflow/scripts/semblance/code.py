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
            show. ``metrics:pearson`` is one function of a module; see `function`.
        declared: what the registry declares of the names that the job uses; it counts instead of the whole registry.
    """
    functions = [function(plugin) for plugin in plugins if ":" in plugin]
    found = hashlib.sha256("\0".join([*functions, declared or ""]).encode())
    for path in modules(script, *plugins):
        if path != REGISTRY or declared is None:
            found.update(str(path.relative_to(SCRIPTS)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def modules(script: str, *plugins: str) -> list[Path]:
    """Return the files that a script needs as a whole, sorted."""
    found = {SCRIPTS / script, *_reached(SCRIPTS / script)}
    for plugin in plugins:
        module, is_function, _ = plugin.partition(":")
        path = _plugin(module)
        found |= _reached(path) if is_function else {path, *_reached(path)}
    return sorted(found)


def function(plugin: str) -> str:
    """Return the code of a module without comments, and without the functions that one of them does not use.

    Statements that are no functions, such as constants and classes, count with all that they use.

    Args:
        plugin: the module and this function, such as ``metrics:pearson``.

    Raises:
        LookupError: if there is no such module or function.
    """
    module, _, name = plugin.partition(":")
    statements = ast.parse(_plugin(module).read_text(encoding="utf-8")).body
    functions = {one.name: one for one in statements if isinstance(one, ast.FunctionDef)}
    if name not in functions:
        raise LookupError(f"{PACKAGE}.{module} does not define {name}")
    used = [one for one in statements if one not in functions.values()] + [functions[name]]
    for one in used:  # which grows meanwhile
        names = {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}
        used += [functions[other] for other in names & functions.keys() if functions[other] not in used]
    return "\n".join(ast.unparse(one) for one in statements if one in used)


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
