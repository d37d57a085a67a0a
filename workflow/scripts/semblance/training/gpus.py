"""Which GPUs of this machine a job computes on, where several jobs are on it at once."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import torch

from semblance.errors import UserError

_held: list[int] = []  # open files: a GPU is held until the process ends, however it ends


@cache
def own() -> int:
    """This process's GPU, made torch's current one. Raises UserError when other jobs have them all."""
    if "LOCAL_RANK" in os.environ:  # one of several processes, which the job that started them has claimed a GPU for
        return int(os.environ["LOCAL_RANK"])
    [number] = claim(1, _names())
    torch.cuda.set_device(number)
    return number


def visible_to_several(count: int) -> str:
    """What CUDA_VISIBLE_DEVICES is for so many processes of this job. Raises UserError when there are too few GPUs."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", ",".join(map(str, range(torch.cuda.device_count())))).split(",")
    return ",".join(visible[number] for number in claim(count, _names()))


def claim(wanted: int, names: Sequence[str]) -> list[int]:
    """Take the first `wanted` of the GPUs called `names` that no job on this machine has: their places.

    Raises UserError when there are too few.
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
    """The same for every process, whatever it can see."""
    return [f"gpu-{torch.cuda.get_device_properties(n).uuid}" for n in range(torch.cuda.device_count())]
