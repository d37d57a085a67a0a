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
    """Claim a place on one of the GPUs with the fewest jobs of this machine.

    Args:
        names: names of the visible GPUs, unique on the machine and independent of CUDA_VISIBLE_DEVICES.

    Returns:
        Index of the GPU in `names`.
    """
    choosing = _opened(_place("gpus"))
    fcntl.flock(choosing, fcntl.LOCK_EX)  # so that jobs choose one after another
    jobs = [sum(map(_is_locked, _place(name).parent.glob(f"{_place(name).name}-*"))) for name in names]
    number = jobs.index(min(jobs))
    for place in count():
        if _lock(_place(f"{names[number]}-{place}")):  # the first that is free
            break
    os.close(choosing)
    if jobs[number]:
        print(f"other jobs share GPU {number}: {jobs[number]}. Times are longer, and less memory is free.")
    return number


def _place(name: str) -> Path:
    return Path(gettempdir(), f"semblance-{name}")


def _lock(path: Path) -> bool:
    """Lock a file until this process ends; return whether no other process had locked it."""
    file = _opened(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        return False
    _locked.append(file)
    return True


def _is_locked(path: Path) -> bool:
    if _lock(path):
        os.close(_locked.pop())
        return False
    return True


def _opened(path: Path) -> int:
    """Open a lock file for any user, and create it only if it is missing.

    In a shared temporary folder, Linux refuses O_CREAT for another user's file (fs.protected_regular).
    """
    try:
        return os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        file = os.open(path, os.O_RDONLY | os.O_CREAT)
        os.fchmod(file, 0o666)  # whatever the umask is
        return file
