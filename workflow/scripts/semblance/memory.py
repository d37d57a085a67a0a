"""The most memory this process has held."""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path

PROCESS = Path("/proc/self")


def reset() -> None:
    """Forget the peak so far, where the system can: a run is not to answer for those before it in its job."""
    with suppress(OSError):
        (PROCESS / "clear_refs").write_text("5")


def peak_mb() -> int:
    """Resident memory at its peak, in MiB."""
    status = PROCESS / "status"
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
