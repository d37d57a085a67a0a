"""Progress bars on the terminal, or else in a job's log."""

import sys
from collections.abc import Iterable
from typing import TextIO

from tqdm import tqdm

terminal: TextIO | None = None  # set by `job` if there is one
seconds_in_logs = 60  # until the first update, and between later ones


def bar(items: Iterable | None = None, *, total: int | None = None, what: str, unit: str) -> tqdm:
    """Return a progress bar, which disappears when it is finished.

    In a log, such as that of a job on a cluster, it appears after a minute and is updated once a minute.

    Args:
        items: items to iterate over, if any.
        total: number of steps, for a bar without items that the caller updates.
        what: description.
        unit: name of a step.
    """
    seconds, delay = (1, 0) if terminal else (seconds_in_logs, seconds_in_logs)
    times = {"mininterval": seconds, "maxinterval": max(10, seconds), "delay": delay}
    return tqdm(items, total=total, desc=what, unit=unit, leave=False, file=terminal or sys.stderr, **times)
