"""Imports of what only the job at hand wants: quick, and on an account of their own."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager

seconds = 0.0  # of processor time, in this process


@contextmanager
def late() -> Iterator[None]:
    """Around such imports, once a job has begun.

    Importing transformers makes half a million objects that stay. To look for garbage among them takes a fifth of the
    import, and afterwards, whenever memory is freed between runs, a tenth of a small run.
    """
    global seconds
    started = time.process_time()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
        seconds += time.process_time() - started
