"""Location and fingerprints of the checkpoints of killed jobs."""

import hashlib
import json
import shutil
from pathlib import Path

from semblance.files import sha256
from semblance.provenance import installed


def folder(output: Path | str) -> Path:
    """Return the folder of checkpoints of an output, that of a training and of its scoring alike.

    It is outside the output, because Snakemake deletes outputs before it restarts a job.
    """
    return Path(output).parent / "checkpoint"


def forget(output: Path | str) -> None:
    """Delete the checkpoints of a finished job."""
    shutil.rmtree(folder(output), ignore_errors=True)


def fingerprint(snakemake) -> str:
    """Return a digest of all that determines a job's result.

    It covers parameters (which include a digest of our code), wildcards, the content of all inputs, and versions of
    libraries. It does not depend on the machine, so that a job can resume on another one.
    """
    given = [snakemake.params, snakemake.wildcards]
    decides = [dict(part.items()) for part in given] + [installed()]
    content = [[str(path), _content(Path(path))] for path in snakemake.input]
    return hashlib.sha256(json.dumps([decides, content], sort_keys=True, default=str).encode()).hexdigest()[:16]


def _content(path: Path) -> list[str]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [sha256(file) for file in files if file.is_file()]
