"""What a killed job leaves for its next start: where it lies, and by what it is known again."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

from semblance.files import sha256
from semblance.provenance import installed


def folder(output: Path | str) -> Path:
    """Beside what a job makes: Snakemake deletes a job's outputs before it starts it again."""
    return Path(output).parent / "checkpoint"


def forget(output: Path | str) -> None:
    """Of a job that is done."""
    shutil.rmtree(folder(output), ignore_errors=True)


def fingerprint(snakemake) -> str:
    """Of a job's parameters and wildcards, the content of all its inputs, our code among them, and versions.

    Where it runs is no part of it: a job may go on on another machine.
    """
    given = [snakemake.params, snakemake.wildcards]
    decides = [dict(part.items()) for part in given] + [installed()]
    content = [[str(path), _content(Path(path))] for path in snakemake.input]
    return hashlib.sha256(json.dumps([decides, content], sort_keys=True, default=str).encode()).hexdigest()[:16]


def _content(path: Path) -> list[str]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [sha256(file) for file in files if file.is_file()]
