"""Linters and type checker: ruff, mypy, snakefmt and Snakemake's own linter."""

import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    ["ruff check .", "ruff format --check .", "mypy", "snakefmt --check Snakefile rules", "snakemake --lint"],
)
def test_lint(root, command):
    program, *arguments = command.split()
    done = subprocess.run([BIN / program, *arguments], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
