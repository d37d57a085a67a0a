"""Assignment of a machine's GPUs to jobs that run at the same time, by lock files."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import torch

from semblance.errors import UserError

_held: list[int] = []  # open lock files; the system releases them when the process ends or is killed


@cache
def own() -> int:
    """Claim a GPU for this process, make it torch's current one, and return its index.

    Raises:
        UserError: if other jobs use all GPUs.
    """
    if "LOCAL_RANK" in os.environ:  # one of several processes, whose parent has claimed the GPUs
        return int(os.environ["LOCAL_RANK"])
    [number] = claim(1, _names())
    torch.cuda.set_device(number)
    return number


def visible_to_several(count: int) -> str:
    """Claim `count` GPUs and return the value of CUDA_VISIBLE_DEVICES for as many processes.

    Raises:
        UserError: if fewer are free.
    """
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", ",".join(map(str, range(torch.cuda.device_count())))).split(",")
    return ",".join(visible[number] for number in claim(count, _names()))


def claim(wanted: int, names: Sequence[str]) -> list[int]:
    """Claim GPUs that no other job on this machine uses.

    Args:
        wanted: number of GPUs.
        names: name of each GPU, unique on the machine.

    Returns:
        Indices into `names` of the first `wanted` free GPUs.

    Raises:
        UserError: if fewer are free.
    """
    free = []
    for place, name in enumerate(names):
        file = os.open(Path(gettempdir(), f"semblance-{name}"), os.O_RDONLY | os.O_CREAT, 0o666)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            continue
        _held.append(file)
        free.append(place)
        if len(free) == wanted:
            return free
    raise UserError(
        f"a job wants {wanted} GPU(s), and of the {len(names)} here {len(free)} are free: "
        f"lower gpus_per_run, or start Snakemake with --resources gpu={len(names)} at most"
    )


def _names() -> list[str]:
    """Return the names of the visible GPUs, which do not depend on CUDA_VISIBLE_DEVICES."""
    return [f"gpu-{torch.cuda.get_device_properties(n).uuid}" for n in range(torch.cuda.device_count())]
