"""Progress bars on the terminal, none in logs."""

from collections.abc import Iterable
from typing import TextIO

from tqdm import tqdm

terminal: TextIO | None = None  # set by `job` if there is one


def bar(items: Iterable | None = None, *, total: int | None = None, what: str, unit: str) -> tqdm:
    """Return a progress bar, which disappears when it is finished.

    Args:
        items: items to iterate over, if any.
        total: number of steps, for a bar without items that the caller updates.
        what: description.
        unit: name of a step.
    """
    hidden = terminal is None
    return tqdm(items, total=total, desc=what, unit=unit, mininterval=1, leave=False, disable=hidden, file=terminal)
