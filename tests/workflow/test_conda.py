"""`--use-conda` with a fake conda, because no conda channel is reachable here.

The fake makes a virtual environment instead of solving and downloading one. Everything else is real: Snakemake creates
the environment from its file once, activates it, and runs every script in it without PYTHONPATH.
"""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

CONDA = """#!{python}
import json, os, subprocess, sys
from pathlib import Path
asked = " ".join(sys.argv[1:])
with open("{base}/asked", "a") as file:
    print(asked, file=file)
with open("{base}/cuda", "w") as file:
    print(os.environ.get("CONDA_OVERRIDE_CUDA"), file=file)
if asked == "--version":
    print("conda 26.1.0")
elif asked == "info --json":
    print(json.dumps({{"conda_prefix": "{base}", "platform": "linux-64"}}))
elif asked.startswith("config --get"):
    print(json.dumps({{"get": {{"channel_priority": "strict"}}}}))
elif asked.startswith("env create"):
    prefix = Path(sys.argv[sys.argv.index("--prefix") + 1])
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prefix], check=True)
    packages = prefix / "lib" / "python{version}" / "site-packages"
    (packages / "lent.pth").write_text("{packages}")
    python = prefix / "bin/python"
    python.rename(prefix / "bin/real")
    python.write_text(f'#!/bin/sh\\necho "$PYTHONPATH|$*" >> {base}/ran\\nexec {{prefix}}/bin/real "$@"\\n')
    python.chmod(0o755)
elif not asked.startswith("clean"):
    sys.exit(f"not asked of a conda: {{asked}}")
"""
ACTIVATE = 'export CONDA_PREFIX="$1" PATH="$1/bin:$PATH"\n'


@pytest.fixture
def conda(tmp_path):
    """Return the folder of the fake conda: `bin` for PATH, `asked` with its calls, `ran` with its Python's calls."""
    base = tmp_path / "conda"
    (base / "bin").mkdir(parents=True)
    known = {"python": sys.executable, "base": base, "packages": sysconfig.get_path("purelib")}
    (base / "bin/conda").write_text(CONDA.format(version=f"{sys.version_info.major}.{sys.version_info.minor}", **known))
    (base / "bin/conda").chmod(0o755)
    (base / "bin/activate").write_text(ACTIVATE)
    return base


@pytest.mark.parametrize(("device", "environment"), [("cpu", "semblance"), ("cuda", "semblance-cuda")])
def test_every_environment_is_one_of_two_by_the_device(fresh, conda, device, environment):
    said = run(fresh, conda, "--list-conda-envs", config=f"preset=tiny device={device}")
    assert set(re.findall(r"envs/([\w-]+)\.yaml", said)) == {environment}
    assert (conda / "cuda").read_text().strip() == ("12.9" if device == "cuda" else "None")


def test_a_table_is_made_in_the_environment_that_conda_makes(fresh, conda):
    table = "results/tiny/tables/stl-table1.md"
    run(fresh, conda, "--", table, "results/tiny/runs/stl/tfidf/seed-1/predictions")
    assert (fresh.path / table).exists()
    made = [line for line in (conda / "asked").read_text().splitlines() if line.startswith("env create")]
    assert len(made) == 1
    file = Path(re.search('--file "?([^ "]+)', made[0]).group(1))
    assert file.read_text() == (fresh.path / "envs/semblance.yaml").read_text()
    ran = [line.split("|") for line in (conda / "ran").read_text().splitlines()]
    scripts = {what.rpartition(".snakemake/scripts/")[2].partition(".")[2] for path, what in ran if what[:2] != "-c"}
    assert scripts == {"prepare_dataset.py", "train.py", "predict.py", "render_table.py"}
    assert {path for path, _ in ran} == {""}
    # Without conda, nothing is made again.
    without = [*fresh.command, "--config", "preset=tiny", "--cores", "2", "--dry-run", "--", table]
    said = subprocess.run(without, cwd=fresh.path, capture_output=True, text=True, timeout=100)
    assert "Nothing to be done" in said.stdout + said.stderr


def test_nothing_that_was_made_without_conda_is_made_again_with_it(planning, conda):
    """Such as the corpora and encoders of `make bundle`."""
    assert "Nothing to be done" in run(planning, conda, "--dry-run")


def run(workspace, conda, *arguments, config="preset=tiny"):
    environment = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "PATH": f"{conda}/bin:{os.environ['PATH']}",
        "PYTHONPATH": "/none",
    }
    command = [*workspace.command, "--config", *config.split(), "--cores", "2", "--use-conda", *arguments]
    done = subprocess.run(command, cwd=workspace.path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done.stdout + done.stderr
