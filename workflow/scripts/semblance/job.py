"""The context of every script: logging, threads, and error messages for users."""

import errno
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from semblance import memory, progress
from semblance.errors import UserError

# No space, no quota, read-only file system, no permission.
CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


@contextmanager
def job(snakemake) -> Iterator[Callable[[str], None]]:
    """Run the body of a script with all its output redirected to the rule's log.

    A UserError, or an error of `CANNOT_WRITE`, ends the job with one sentence on the terminal and in the log, without a
    traceback.

    Args:
        snakemake: the object that Snakemake provides to scripts.

    Yields:
        A function that prints text on the terminal.

    Raises:
        SystemExit: with status 1 after such an error.
    """
    log = Path(snakemake.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    for library in ("OMP", "MKL"):  # torch reads them when it is imported; MKL's takes precedence
        os.environ[f"{library}_NUM_THREADS"] = str(_threads(snakemake))
    terminal = os.dup(2)
    if os.isatty(terminal):
        progress.terminal = os.fdopen(os.dup(terminal), "w", encoding="utf-8")
    # Redirects file descriptors, because libraries in C and Rust do not use sys.stderr.
    with log.open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    before = time.process_time()  # of starting and importing the script's modules
    try:
        yield lambda words: _say(terminal, words)
        worked = time.process_time() - before
        # benchmarks/overhead.py sums these times.
        print(f"processor time: {worked:.1f} s of work, {before:.1f} s to start and import")
        print(f"memory: {memory.peak_mb()} MiB at the peak", flush=True)
    except (UserError, OSError) as problem:
        if isinstance(problem, OSError) and problem.errno not in CANNOT_WRITE:
            raise
        sentence = f"semblance: {_sentence(problem)}\n"
        sys.stderr.write(f"\n{sentence}")  # after a progress bar
        _say(terminal, f"\n{sentence}  log: {log}\n\n")
        sys.stderr.flush()
        raise SystemExit(1) from None


def _threads(snakemake) -> int:
    """Return the configured threads, not those that Snakemake assigns, on which results would depend."""
    return (snakemake.params.get("computing") or {}).get("threads", snakemake.threads)


def _sentence(problem: Exception) -> str:
    if isinstance(problem, UserError):
        return str(problem)
    where = problem.filename or "a file of results/"
    return f"{where} cannot be read or written ({problem.strerror}): free space or grant permission, then try again"


def _say(terminal: int, words: str) -> None:
    os.write(terminal, words.encode())
