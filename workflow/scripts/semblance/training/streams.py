"""Torch's random states: those of the whole process, and streams of their own for networks that are trained together.

Training draws from no other global generator: the order of batches and SMART's noise have generators of their own.
"""

import torch
from torch import Tensor


def random_states() -> list[Tensor]:
    """Return the states of torch's generators, of the CPU and of this job's GPU."""
    return [torch.get_rng_state(), *([torch.cuda.get_rng_state()] if torch.cuda.is_available() else [])]


def set_random_states(states: list[Tensor]) -> None:
    """Set the states of the global random numbers: of the CPU, then of the current GPU."""
    torch.set_rng_state(states[0])
    for state in states[1:]:
        torch.cuda.set_rng_state(state)


class RandomStates:
    """The global states as a part of a checkpoint, for dropout and all code without a generator of its own."""

    def state_dict(self) -> dict:
        return {"now": random_states()}

    def load_state_dict(self, state: dict) -> None:
        set_random_states(state["now"])


class Stream:
    """Context with its own random states, which continue at each entry."""

    def __init__(self, seed: int):
        outside = random_states()
        torch.manual_seed(seed)
        self._state = random_states()
        set_random_states(outside)

    def state_dict(self) -> dict:
        return {"now": self._state}

    def load_state_dict(self, state: dict) -> None:
        self._state = state["now"]

    def __enter__(self) -> None:
        self._outside = random_states()
        set_random_states(self._state)

    def __exit__(self, *problem) -> None:
        self._state = random_states()
        set_random_states(self._outside)
