"""What every script has around it: a log, and one clear sentence when something is wrong."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from semblance import memory, progress
from semblance.errors import UserError

# No space, no quota left, a read-only file system, no permission.
CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


@contextmanager
def job(snakemake) -> Iterator[Callable[[str], None]]:
    """Run a script's body, its chatter going to the rule's log; what it gives says something on the terminal.

    A UserError, or a disk that takes no more, ends the job with one sentence on the terminal and in the log, without a
    traceback.
    """
    log = Path(snakemake.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    for library in ("OMP", "MKL"):  # read by torch when it is imported, MKL's first
        os.environ[f"{library}_NUM_THREADS"] = str(_threads(snakemake))
    terminal = os.dup(2)
    if os.isatty(terminal):
        progress.terminal = os.fdopen(os.dup(terminal), "w", encoding="utf-8")
    # Descriptors, not sys.stderr: libraries written in C and Rust print too.
    with log.open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    before = time.process_time()  # to start and to import the script's modules
    try:
        yield lambda words: _say(terminal, words)
        worked = time.process_time() - before
        # benchmarks/overhead.py adds these up.
        print(f"processor time: {worked:.1f} s of work, {before:.1f} s to start and import")
        print(f"memory: {memory.peak_mb()} MiB at the peak", flush=True)
    except (UserError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno not in CANNOT_WRITE:
            raise
        sentence = f"semblance: {_sentence(problem)}\n"
        sys.stderr.write(sentence)
        _say(terminal, f"\n{sentence}  log: {log}\n\n")
        sys.stderr.flush()
        raise SystemExit(1) from None


def _threads(snakemake) -> int:
    """Not those that Snakemake has left where cores are few: numbers would hang on where they were computed."""
    return snakemake.params.get("computing", {}).get("threads", snakemake.threads)


def _sentence(problem: Exception) -> str:
    if isinstance(problem, UserError):
        return str(problem)
    where = problem.filename or "a file of results/"
    return f"{where} cannot be read or written ({problem.strerror}): make room or give leave, then run it again"


def _say(terminal: int, words: str) -> None:
    os.write(terminal, words.encode())
