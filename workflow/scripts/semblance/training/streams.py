"""Random states: those of the whole process, and streams of their own for networks that are trained together."""

import random

import numpy as np
import torch
from torch import Tensor


class RandomStates:
    """The global random states of torch, numpy and Python, for dropout and all code without a generator of its own."""

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


class Stream:
    """Context with its own state of torch's random generators, which continues at each entry."""

    def __init__(self, seed: int):
        self._devices = [torch.cuda.current_device()] if torch.cuda.is_available() else []
        with torch.random.fork_rng(self._devices):
            torch.manual_seed(seed)
            self._state = self._now()

    def state_dict(self) -> dict:
        return {"now": self._state}

    def load_state_dict(self, state: dict) -> None:
        self._state = state["now"]

    def __enter__(self) -> None:
        self._outside = self._now()
        self._set(self._state)

    def __exit__(self, *problem) -> None:
        self._state = self._now()
        self._set(self._outside)

    def _now(self) -> tuple[Tensor, ...]:
        return torch.get_rng_state(), *map(torch.cuda.get_rng_state, self._devices)

    def _set(self, state: tuple[Tensor, ...]) -> None:
        torch.set_rng_state(state[0])
        for where, saved in zip(self._devices, state[1:]):
            torch.cuda.set_rng_state(saved, where)
