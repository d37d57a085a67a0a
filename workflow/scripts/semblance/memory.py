"""Peak memory of this process."""

import resource
import sys
from contextlib import suppress
from pathlib import Path

PROCESS = Path("/proc/self")


def reset() -> None:
    """Reset the peak, if the system allows it, so that a run does not include previous runs of its job."""
    with suppress(OSError):
        (PROCESS / "clear_refs").write_text("5")


def peak_mb() -> int:
    """Return the peak of resident memory in MiB."""
    status = PROCESS / "status"
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) // 1024
    unit = 2**20 if sys.platform == "darwin" else 1024  # macOS counts bytes, other systems KiB
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit
