"""The modules on which a job depends: all that it uses and no others. Imports between packages."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from semblance import registry
from semblance.code import PACKAGE, REGISTRY, SCRIPTS, _imports, definition, digest, modules
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


def test_a_definition_comes_with_those_to_which_it_refers_and_no_others():
    found = definition("metrics:spearman")
    assert all(f"def {name}(" in found for name in ("spearman", "_ranks", "_correlation", "_ratio"))
    assert "def pearson(" not in found and "def _centred(" not in found
    assert "class Confusion(" in definition("metrics:f1") and "ROUNDING = " in definition("metrics:pearson")
    with pytest.raises(LookupError, match="metrics does not define sperman"):
        definition("metrics:sperman")


def test_a_job_depends_on_the_declarations_that_its_specs_name(monkeypatch):
    def both() -> tuple[str, str]:
        spec = {"bert-stsb": {"model": {"kind": "cross-encoder"}, "stages": [{"select": {"metric": "pearson"}}]}}
        return digest.__wrapped__("train.py", declared=declared(spec)), digest.__wrapped__("render_table.py")

    before, read = both(), Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: read(self) + b"#" * (self == REGISTRY))
    monkeypatch.setitem(registry.METRICS, "a-new-one", registry.Metric("a-new-one"))
    training, rendering = both()
    assert training == before[0] and rendering != before[1]
    monkeypatch.setitem(registry.METRICS, "pearson", registry.Metric("pearson", higher_is_better=False))
    assert both()[0] != training


@pytest.mark.parametrize("script", ["prepare_dataset.py", "make_encoder.py", "train.py", "predict.py"])
def test_what_declarations_a_job_uses_its_specs_or_its_modules_name(script):
    """Otherwise, `declared` would miss some of them: each is looked up by a name, and a literal one is the module's."""
    plugins = {"train.py": ("trainers", "models", "objectives", "regularizers"), "predict.py": ("trainers", "models")}
    packages = [SCRIPTS / PACKAGE / package for package in plugins.get(script, ())]
    named = [f"{package.name}.{path.stem}" for package in packages for path in package.glob("[a-z]*")]
    named += PRETRAINING if script == "make_encoder.py" else []
    tables = {name for name, one in vars(registry).items() if isinstance(one, dict) and name.isupper()}
    for path in set(modules(script, *named)) - {REGISTRY}:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        lookups = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
        looked_up = [node for node in lookups if isinstance(node.value, ast.Name) and node.value.id in tables]
        uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in tables]
        assert len(uses) == len(looked_up), f"{path} uses a table of the registry as a whole"
        literal = {node.slice.value for node in looked_up if isinstance(node.slice, ast.Constant)}
        own = {part.removesuffix(".py").replace("_", "-") for part in path.parts[-2:]}
        assert literal <= own, f"{path} looks up {literal - own}"


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
