"""Writing of files and folders that appear only when complete, and checksums."""

import glob
import hashlib
import json
import os
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

A_DAY = 86400  # seconds


@contextmanager
def whole_file(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path; rename it to `path` only if the block succeeds."""
    path = Path(path)
    part = _part(path)
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path | str) -> Iterator[Path]:
    """Yield a temporary folder; rename it to `path` only if the block succeeds."""
    path = Path(path)
    part = _part(path)
    part.mkdir()
    try:
        yield part
        shutil.rmtree(path, ignore_errors=True)
        part.replace(path)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _part(path: Path) -> Path:
    """Return an unused temporary path next to `path`, after deleting those that killed jobs left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for part in path.parent.glob(f".{glob.escape(path.name)}.part-*"):
        if _is_left(part):
            shutil.rmtree(part) if part.is_dir() else part.unlink(missing_ok=True)
    return path.with_name(f".{path.name}.part-{socket.gethostname()}-{os.getpid()}")


def _is_left(part: Path) -> bool:
    """Return whether no process will complete a temporary path.

    Snakemake lets only one job write a file, but jobs of a killed Snakemake can still run at the same time as new ones.
    On other hosts, paths count as left after a day.
    """
    host, _, process = part.name.rpartition(".part-")[2].rpartition("-")
    if host != socket.gethostname():
        return time.time() - part.stat().st_mtime > A_DAY
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return int(process) == os.getpid()


def write_text(path: Path | str, text: str) -> None:
    """Write a text file in UTF-8, whole or not at all."""
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8")


def write_json(path: Path | str, value: object) -> None:
    """Write a file of indented JSON as `write_text` does."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path | str) -> Any:
    """Return the content of a JSON file."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def sha256(path: Path | str) -> str:
    """Return the SHA-256 checksum of a file in hexadecimal digits."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def link_or_copy(source: Path, target: Path) -> None:
    """Create `target` as a hard link to `source`, or as a copy if the file system does not allow links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
