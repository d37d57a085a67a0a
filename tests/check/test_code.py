"""Which modules a job depends on: enough that nothing is stale, no more than it uses."""

import subprocess
import sys
from pathlib import Path

from semblance.code import modules


def names(*arguments) -> set[str]:
    return {"/".join(Path(p).parts[-2:]) for p in modules(*arguments)}


def test_rendering_a_table_does_not_depend_on_training():
    assert "reporting/tables.py" in names("render_table.py")
    assert not any(name.startswith(("training/", "models/", "objectives/")) for name in names("render_table.py"))


def test_training_depends_on_its_own_objective_and_kind_alone():
    found = names("train.py", "models.cross_encoder", "objectives.binary_cross_entropy")
    assert {"training/engine.py", "training/batches.py", "models/cross_encoder.py"} <= found
    assert "objectives/binary_cross_entropy.py" in found and "objectives/mean_squared_error.py" not in found
    assert "models/bi_encoder.py" not in found and "reporting/tables.py" not in found


def test_no_job_depends_on_the_reading_of_the_configuration():
    for script in Path(__file__).resolve().parents[2].glob("workflow/scripts/*.py"):
        assert not any(name.startswith("config/") for name in names(script.name)), script


def test_the_snakefile_needs_nothing_that_snakemake_does_not_bring():
    """With --use-conda, Snakemake's own environment has none of our packages."""
    code = "import sys, semblance.planning.needs, semblance.planning.summary; print(*sys.modules)"
    scripts = Path(__file__).resolve().parents[2] / "workflow/scripts"
    done = subprocess.run([sys.executable, "-c", code], cwd=scripts, capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"numpy", "pyarrow", "torch", "scipy", "pandas", "matplotlib"}
