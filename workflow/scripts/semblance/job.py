"""What every script has around it: a log, and one clear sentence when something is wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from semblance import progress
from semblance.errors import UserError


@contextmanager
def job(snakemake) -> Iterator[Callable[[str], None]]:
    """Run a script's body, its chatter going to the rule's log; what it gives says something on the terminal.

    A UserError ends the job with its one sentence on the terminal and in the log, without a traceback.
    """
    log = Path(snakemake.log[0])
    log.parent.mkdir(parents=True, exist_ok=True)
    os.environ["OMP_NUM_THREADS"] = str(snakemake.threads)  # read by torch and others when they are imported
    terminal = os.dup(2)
    if os.isatty(terminal):
        progress.terminal = os.fdopen(os.dup(terminal), "w", encoding="utf-8")
    # Descriptors, not sys.stderr: libraries written in C and Rust print too.
    with log.open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    try:
        yield lambda words: _say(terminal, words)
    except UserError as problem:
        sentence = f"semblance: {problem}\n"
        sys.stderr.write(sentence)
        _say(terminal, f"\n{sentence}  log: {log}\n\n")
        sys.stderr.flush()
        raise SystemExit(1) from None


def _say(terminal: int, words: str) -> None:
    os.write(terminal, words.encode())
