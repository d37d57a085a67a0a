"""Progress bars for the person at the terminal, and none in logs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from tqdm import tqdm

terminal: TextIO | None = None  # set by `job` when somebody is watching


def bar(items: Iterable | None = None, *, total: int | None = None, what: str, unit: str) -> tqdm:
    """A bar over `items`, or one of `total` steps to be updated by hand; it leaves no trace when done."""
    hidden = terminal is None
    return tqdm(items, total=total, desc=what, unit=unit, mininterval=1, leave=False, disable=hidden, file=terminal)
