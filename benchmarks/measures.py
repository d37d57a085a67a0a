"""Measurements, the facts of the machine, and functions that all benchmarks use."""

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.state import AcceleratorState
from torch.utils.flop_counter import FlopCounterMode

from semblance import device
from semblance.specs.computing import Computing


@dataclass(frozen=True)
class Measure:
    """Repeated measurements of one quantity.

    Attributes:
        name: the quantity.
        unit: its unit.
        values: the measurements.
        reach: target with its direction, such as ``≥ 3``; empty without a target.
    """

    name: str
    unit: str
    values: Sequence[float]
    reach: str = ""

    def __str__(self) -> str:
        low, middle, high = np.percentile(self.values, [25, 50, 75])
        return f"{self.name:58} {middle:10.4g} {self.unit:10} [{low:.4g}, {high:.4g}]  {self.reach}"

    def as_json(self) -> dict:
        low, middle, high = map(float, np.percentile(self.values, [25, 50, 75]))
        found = {"name": self.name, "unit": self.unit, "median": middle, "quartiles": [low, high]}
        return found | {"reach": self.reach, "values": list(map(float, self.values))}


def machine(threads: int) -> dict:
    """Return the facts of the machine and the versions of libraries, on which measurements depend."""
    info = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    libraries = ("torch", "transformers", "sentence-transformers", "accelerate")
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": os.cpu_count(),
        "threads": threads,
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
        "python": platform.python_version(),
        **{name: version(name) for name in libraries},
    }


def accelerator(precision: str, threads: int) -> Accelerator:
    """Return an Accelerator as in training. Resets accelerate, which otherwise keeps its first precision."""
    AcceleratorState._reset_state(reset_partial_state=True)
    return device.accelerator(Computing("auto", precision, threads), seed=1)


def seconds(work: Callable, *given) -> float:
    """Return the seconds that a call takes, including its work on a GPU."""
    started = time.perf_counter()
    work(*given)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - started


def operations(work: Callable, *given) -> int:
    """Return the floating-point operations of matrix products and convolutions in a call."""
    with FlopCounterMode(display=False) as counter:
        work(*given)
    return counter.get_total_flops()


def ratios(name: str, ours: Sequence[float], theirs: Sequence[float], reach: str) -> Measure:
    """Return our speed relative to theirs, run by run, from seconds for the same work that were measured in turns."""
    return Measure(name, "×", np.array(theirs) / np.array(ours), reach)


def place() -> str:
    """Return the device that is measured."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def dtype(precision: str) -> torch.dtype:
    return torch.bfloat16 if precision == "bf16" else torch.float32


def matmul_peak(precision: str, repeats: int = 20) -> list[float]:
    """Measure the operations per second of a large matrix product: the peak of this device with these threads."""
    size = 8192 if torch.cuda.is_available() else 2048
    a, b = (torch.randn(size, size, device=place()).to(dtype(precision)) for _ in range(2))
    seconds(torch.matmul, a, b)
    return [2 * size**3 / seconds(torch.matmul, a, b) for _ in range(repeats)]
