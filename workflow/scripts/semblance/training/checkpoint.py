"""Checkpoints: the state of training, from which a killed job resumes.

The file is next to the job's outputs and is named by the job's fingerprint. If the configuration, the code, an input
or a library's version changes, so does the fingerprint, and training starts from the beginning.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import torch

from semblance import memory
from semblance.files import whole_file


class Stateful(Protocol):
    """Anything with a `state_dict` of tensors, numbers, strings, and lists and dictionaries of them."""

    def state_dict(self) -> dict: ...
    def load_state_dict(self, state: dict) -> object: ...


class Checkpoint:
    """The state of one run in one file.

    Args:
        file: the file.
        every: seconds between saved states; 0 saves after every step.

    Attributes:
        saved: the state that an earlier job saved; empty if there is none.
        run: an object whose state is saved in addition each time, under the key `run`.
    """

    def __init__(self, file: Path, every: float):
        self._file, self._every = file, every
        self._last = time.monotonic()
        self.saved: dict = _read(file)
        self.run: Stateful | None = None

    def due(self) -> bool:
        return time.monotonic() - self._last >= self._every

    def save(self, **state: object) -> None:
        """Replace the file by this state and that of `run`, atomically."""
        # If Snakemake was killed, its job may still run. When it finishes the same work, it deletes the folder.
        with suppress(FileNotFoundError), whole_file(self._file) as part:
            torch.save({**states_of({"run": self.run}), **state}, part)
        self._last = time.monotonic()


class Meter:
    """Seconds and peak memory of training from now on, including those before an interruption."""

    def __init__(self):
        memory.reset()
        if torch.cuda.is_initialized():
            torch.cuda.reset_peak_memory_stats()
        self._before: dict = {"seconds": 0.0, "peak_memory_mb": 0, "gpu_peak_memory_mb": 0}
        self._started = time.monotonic()

    def facts(self) -> dict:
        """Return what `RunFacts` has of this: seconds, and the peaks of the process and of its GPU in MiB."""
        found = self.state_dict()
        return found | {
            "seconds": round(found["seconds"], 3),
            "gpu_peak_memory_mb": found["gpu_peak_memory_mb"] or None,
        }

    def state_dict(self) -> dict:
        gpu = torch.cuda.max_memory_allocated() // 2**20  # 0 without one
        return {
            "seconds": self._before["seconds"] + time.monotonic() - self._started,
            "peak_memory_mb": max(self._before["peak_memory_mb"], memory.peak_mb()),
            "gpu_peak_memory_mb": max(self._before["gpu_peak_memory_mb"], gpu),
        }

    def load_state_dict(self, state: dict) -> None:
        self._before, self._started = state, time.monotonic()


def states_of(parts: Mapping[str, Stateful | None]) -> dict[str, dict]:
    """Return the state of each part that is not None."""
    return {name: part.state_dict() for name, part in parts.items() if part is not None}


def restore(parts: Mapping[str, Stateful | None], found: Mapping[str, dict]) -> None:
    """Load the states of a checkpoint into the parts that have the same names."""
    for name, part in parts.items():
        if part is not None:
            part.load_state_dict(found[name])


def copy_of(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return a copy of a network's current weights, on the CPU."""
    return {name: tensor.detach().cpu().clone() for name, tensor in weights.items()}


def _read(file: Path) -> dict:
    """Return a saved state; empty if there is none or the file is damaged."""
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        return {}
    except Exception as problem:  # the unpickler raises errors of many types on damaged files
        print(f"{file} cannot be read, starting from the beginning: {problem}")
        return {}
