"""A killed job's way back: the state of training, saved as it goes beside the outputs, and taken up again.

Its file is named by the job's fingerprint: after an edit it is another one, and training starts anew.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import numpy as np
import torch

from semblance.checkpoints import fingerprint, folder
from semblance.files import whole_file


class Stateful(Protocol):
    """Anything with a state of tensors, numbers, texts, and lists and dictionaries of them, as torch has it."""

    def state_dict(self) -> dict: ...
    def load_state_dict(self, state: dict) -> object: ...


class Checkpoint:
    """One run's state in one file. `found` is what an earlier job left, {} where there is nothing."""

    def __init__(self, file: Path, every: float):
        """A state is `due` when `every` seconds have passed since the last; 0 means after every step."""
        self._file, self._every = file, every
        self._saved = time.monotonic()
        self.found: dict = _read(file)
        self.run: Stateful | None = None  # what is saved with every state

    def due(self) -> bool:
        return time.monotonic() - self._saved >= self._every

    def save(self, **state: object) -> None:
        """Replace the file by this state and the run's, whole or not at all."""
        # The folder may go meanwhile: where a killed Snakemake's job did the same work and is done with it.
        with suppress(FileNotFoundError), whole_file(self._file) as part:
            torch.save({**states_of({"run": self.run}), **state}, part)
        self._saved = time.monotonic()


class RandomStates:
    """Those of torch, numpy and Python, which dropout and everything without a stream of its own draws from."""

    def state_dict(self) -> dict:
        name, keys, *rest = np.random.get_state()
        return {
            "torch": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
            "numpy": [name, keys.tolist(), *rest],
            "python": random.getstate(),
        }

    def load_state_dict(self, state: dict) -> None:
        torch.set_rng_state(state["torch"])
        if state["cuda"]:
            torch.cuda.set_rng_state_all(state["cuda"])
        np.random.set_state(tuple(state["numpy"]))
        random.setstate(state["python"])


def states_of(parts: Mapping[str, Stateful | None]) -> dict[str, dict]:
    """The state of each part that there is."""
    return {name: part.state_dict() for name, part in parts.items() if part is not None}


def restore(parts: Mapping[str, Stateful | None], found: Mapping[str, dict]) -> None:
    for name, part in parts.items():
        if part is not None:
            part.load_state_dict(found[name])


def copy_of(weights: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """A network's weights as they are now, off the GPU."""
    return {name: tensor.detach().cpu().clone() for name, tensor in weights.items()}


def of_job(snakemake, output: Path | str) -> Checkpoint:
    """The checkpoint of the run or encoder that `output`, a file or folder of a job, belongs to."""
    return Checkpoint(folder(output) / f"{fingerprint(snakemake)}.pt", snakemake.config["save_every"])


def _read(file: Path) -> dict:
    """A torn or foreign file is as good as none: training starts anew."""
    try:
        return torch.load(file, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        return {}
    except Exception as problem:  # torn bytes make the unpickler trip over anything
        print(f"{file} cannot be read, starting anew: {problem}")
        return {}
