"""Assignment of a machine's GPUs to jobs that run at the same time, by lock files."""

import fcntl
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import torch

from semblance.errors import UserError

_locked: list[int] = []  # open lock files; the system releases them when the process ends or is killed


@cache
def own() -> int:
    """Claim a GPU for this process, make it torch's current one, and return its index.

    Raises:
        UserError: if other jobs use all GPUs.
    """
    count = torch.cuda.device_count()
    number = claim([f"gpu-{torch.cuda.get_device_properties(n).uuid}" for n in range(count)])
    torch.cuda.set_device(number)
    return number


def claim(names: Sequence[str]) -> int:
    """Claim a GPU that no other job on this machine uses.

    Args:
        names: names of the visible GPUs, unique on the machine and independent of CUDA_VISIBLE_DEVICES.

    Returns:
        Index of the first free GPU in `names`.

    Raises:
        UserError: if none is free.
    """
    for place, name in enumerate(names):
        file = _opened(Path(gettempdir(), f"semblance-{name}"))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            continue
        _locked.append(file)
        return place
    raise UserError(
        f"other jobs use all of the {len(names)} GPUs here: start Snakemake with --resources gpu={len(names)} at most"
    )


def _opened(lock: Path) -> int:
    """Open a lock file, and create it only if it is missing.

    In a shared temporary folder, Linux refuses O_CREAT for another user's file (fs.protected_regular).
    """
    try:
        return os.open(lock, os.O_RDONLY)
    except FileNotFoundError:
        return os.open(lock, os.O_RDONLY | os.O_CREAT, 0o666)
