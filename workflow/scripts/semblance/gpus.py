"""Assignment of a machine's GPUs to jobs that run at the same time, by lock files."""

import fcntl
import os
from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import gettempdir

import torch

_locked: list[int] = []  # open lock files; the system releases them when the process ends or is killed


@cache
def own() -> int:
    """Claim a GPU for this process, make it torch's current one, and return its index."""
    visible = range(torch.cuda.device_count())
    number = claim([f"gpu-{torch.cuda.get_device_properties(n).uuid}" for n in visible])
    torch.cuda.set_device(number)
    return number


def claim(names: Sequence[str]) -> int:
    """Claim a GPU: one that no other job on this machine uses or, if all are in use, one that few jobs share.

    Args:
        names: names of the visible GPUs, unique on the machine and independent of CUDA_VISIBLE_DEVICES.

    Returns:
        Index of the GPU in `names`.
    """
    places = ((number, f"semblance-{name}-{place}") for place in count() for number, name in enumerate(names))
    return next(number for number, file in places if _lock(Path(gettempdir(), file)))


def _lock(path: Path) -> bool:
    """Lock a file until this process ends; return whether no other process had locked it.

    The file is created only if it is missing: in a shared temporary folder, Linux refuses O_CREAT for another user's
    file (fs.protected_regular).
    """
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        file = os.open(path, os.O_RDONLY | os.O_CREAT, 0o666)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return False
    _locked.append(file)
    return True
