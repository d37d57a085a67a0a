"""The modules on which a job depends: all that it uses and no others. Imports between packages."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from semblance import registry
from semblance.code import PACKAGE, REGISTRY, SCRIPTS, _imports, digest, function, modules
from semblance.planning.digests import declared
from semblance.planning.jobs import TRAINERS
from semblance.planning.work import PRETRAINING

PLUGINS = {
    "bi-encoder": ("trainers.engine", "models.bi_encoder"),
    "cross-encoder": ("trainers.engine", "models.cross_encoder"),
}


def names(*arguments) -> set[str]:
    return {"/".join(Path(p).parts[-2:]) for p in modules(*arguments)}


def test_rendering_a_table_does_not_depend_on_training():
    assert "reporting/tables.py" in names("render_table.py")
    assert not any(name.startswith(("training/", "models/", "objectives/")) for name in names("render_table.py"))


def test_training_and_scoring_do_not_depend_on_what_is_found_later():
    assert "semblance/findings.py" in names("judge_learning.py")
    for script in ("train.py", "predict.py", "make_encoder.py", "prepare_dataset.py"):
        assert "semblance/findings.py" not in names(script), script


def test_an_encoder_depends_on_training_only_if_it_is_pretrained():
    assert not [name for name in names("make_encoder.py") if name.startswith(("training/", "objectives/"))]
    pretraining = {"training/engine.py", "training/checkpoint.py", "models/bi_encoder.py"}
    assert pretraining <= names("make_encoder.py", *PRETRAINING)


def test_training_depends_on_its_own_objective_and_kind_alone():
    found = names("train.py", "trainers.engine", "models.cross_encoder", "objectives.binary_cross_entropy")
    assert {"training/engine.py", "training/batches.py", "models/cross_encoder.py"} <= found
    assert "objectives/binary_cross_entropy.py" in found and "objectives/mean_squared_error.py" not in found
    assert "models/bi_encoder.py" not in found and "reporting/tables.py" not in found


def test_no_job_depends_on_the_reading_of_the_configuration():
    trainers = [f"trainers.{trainer}" for trainer in set(TRAINERS.values())]
    root = Path(__file__).resolve().parents[2]
    rules = "".join(file.read_text() for file in root.glob("rules/*.smk"))
    for script in (path for path in root.glob("workflow/scripts/*.py") if f"scripts/{path.name}" in rules):
        assert not any(name.startswith("config/") for name in names(script.name, *trainers)), script


def test_a_digest_changes_with_every_module_that_is_used_and_with_no_other(monkeypatch):
    used = {name: digest.__wrapped__("train.py", *plugins) for name, plugins in PLUGINS.items()}
    assert len(set(used.values())) == len(used)
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: read(self) + b"#" * (self.name == "bi_encoder.py"))
    changed = {name: digest.__wrapped__("train.py", *plugins) for name, plugins in PLUGINS.items()}
    assert {name for name in used if used[name] != changed[name]} == {"bi-encoder"}


def test_a_function_comes_with_those_that_it_calls_and_no_others():
    found = function("metrics:spearman")
    assert all(f"def {name}(" in found for name in ("spearman", "_ranks", "_correlation", "_ratio"))
    assert "def pearson(" not in found and "def _centred(" not in found
    assert "class Confusion(" in found and "ROUNDING = " in found  # what is no function may be used anywhere
    with pytest.raises(LookupError, match="metrics does not define sperman"):
        function("metrics:sperman")


def test_what_surrounds_a_function_counts_too(tmp_path, monkeypatch):
    text = """
import functools
A, B = 1, 2
if A:
    def within(): return B
@functools.cache
def wanted(): return used() + A  # a comment
def used(): return within()
class Kind:
    def method(self): return by_a_method()
def by_a_method(): return 3
MADE = by_a_statement()
def by_a_statement(): return 4
def other(): return 0
"""
    module = tmp_path / "module.py"
    monkeypatch.setattr("semblance.code._plugin", lambda name: module)

    def found(old: str = "", new: str = "") -> str:
        module.write_text(text.replace(old, new))
        return function("module:wanted")

    before = found()
    for old, new in (
        ("A, B = 1", "A, B = 0"),
        ("return B", "return A"),
        ("return 3", "return 5"),
        ("return 4", "return 5"),
        ("@functools.cache", ""),
        ("import f", "import e, f"),
    ):
        assert found(old, new) != before, old
    for old, new in (("return 0", "return 1"), ("a comment", "another")):
        assert found(old, new) == before, old


def test_a_job_depends_on_the_declarations_of_the_names_in_its_spec(monkeypatch):
    def both() -> tuple[str, str]:
        spec = {"bert-stsb": {"model": {"kind": "cross-encoder"}, "stages": [{"select": {"metric": "pearson"}}]}}
        return digest.__wrapped__("train.py", declared=declared(spec)), digest.__wrapped__("render_table.py")

    before, read = both(), Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: read(self) + b"#" * (self == REGISTRY))
    monkeypatch.setitem(registry.METRICS, "select", registry.Metric("select"))  # a key is no name
    training, rendering = both()
    assert training == before[0] and rendering != before[1]
    monkeypatch.setitem(registry.METRICS, "pearson", registry.Metric("pearson", higher_is_better=False))
    assert both()[0] != training


TABLES = [name for name, one in vars(registry).items() if isinstance(one, dict) and name.isupper()]
OF_A_SPEC = [("train.py", f"objectives.{name}", name) for name in registry.OBJECTIVES]
OF_A_SPEC += [(script, f"models.{name}", name) for script in ("train.py", "predict.py") for name in registry.MODELS]


@pytest.mark.parametrize(
    ("script", "plugins", "spec"),
    [
        *((script, [plugin.replace("-", "_")], name) for script, plugin, name in OF_A_SPEC),
        *(("train.py", [f"trainers.{TRAINERS[one.training]}"], name) for name, one in registry.MODELS.items()),
        *(("train.py", [f"regularizers.{name}"], None) for name in registry.REGULARIZERS),
        ("make_encoder.py", PRETRAINING, None),
        ("prepare_dataset.py", [], None),
    ],
)
def test_a_job_looks_up_no_declaration_on_which_it_does_not_depend(script, plugins, spec):
    """In the tables of the registry, its modules look up names from its spec, or literal ones that `declared` has."""
    found = modules(script, *plugins)
    has = {one["name"] for one in json.loads(declared(spec, found))}
    for path in set(found) - {REGISTRY}:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert "import registry" not in ast.unparse(tree), f"{path}: import its tables instead"
        looked_up = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript) and _is_table(node.value)]
        uses = [node for node in ast.walk(tree) if _is_table(node)]
        assert len(uses) == len(looked_up), f"{path} uses a table of the registry as a whole"
        literal = {node.slice.value for node in looked_up if isinstance(node.slice, ast.Constant)}
        assert literal <= has, f"{path} looks up {literal - has}"


def _is_table(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in TABLES


def imports() -> dict[str, set[str]]:
    """Return the modules of the package that each of its modules imports."""
    found = {}
    for path in (SCRIPTS / PACKAGE).rglob("*.py"):
        found[_name(path)] = {_name(other) for other in _imports(path)} - {_name(path)}
    return found


def _name(path: Path) -> str:
    return ".".join(path.relative_to(SCRIPTS / PACKAGE).with_suffix("").parts).removesuffix(".__init__") or "__init__"


MAY_IMPORT = {  # beside modules that are in no package, such as the registry
    "specs": set(),
    "config": {"specs"},
    "planning": {"config", "specs"},
    "data": {"specs"},
    "objectives": {"data"},
    "cpu": set(),
    "models": {"cpu", "data", "specs"},
    "evaluation": {"data", "specs"},
    "training": {"cpu", "data", "evaluation", "models", "specs"},
    "regularizers": {"specs", "training"},
    "encoders": {"cpu", "data", "models", "objectives", "specs", "training"},
    "trainers": {"data", "evaluation", "models", "objectives", "regularizers", "specs", "training"},
    "reporting": {"evaluation", "specs"},
}


def test_packages_import_in_one_direction():
    packages = {path.name for path in (SCRIPTS / PACKAGE).iterdir() if path.is_dir() and any(path.glob("*.py"))}
    assert packages == MAY_IMPORT.keys()
    for module, found in imports().items():
        package = module.split(".")[0]
        others = {other.split(".")[0] for other in found} & packages - {package}
        allowed = MAY_IMPORT.get(package, packages)
        assert others <= allowed, f"{module} imports {others - allowed}"


def test_no_module_imports_itself_through_others():
    found = imports()

    def reached(module: str, seen: frozenset[str]) -> None:
        assert module not in seen, f"{module} imports itself"
        for other in found[module]:
            reached(other, seen | {module})

    for module in found:
        reached(module, frozenset())


def test_the_snakefile_needs_nothing_that_snakemake_does_not_bring():
    """With --use-conda, Snakemake's own environment has none of our dependencies."""
    code = "import sys, semblance.planning.needs, semblance.planning.summary; print(*sys.modules)"
    scripts = Path(__file__).resolve().parents[2] / "workflow/scripts"
    done = subprocess.run([sys.executable, "-c", code], cwd=scripts, capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"numpy", "pyarrow", "torch", "scipy", "pandas", "matplotlib"}
