"""What every benchmark reports: a quantity, its values, and the machine they were taken on."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Measure:
    """Repeated values of one quantity; `reach` is the figure to reach, with its direction, where there is one."""

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
    """What the numbers depend on besides the code."""
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
    """As training has it. accelerate keeps one precision a process, unless told to forget it."""
    AcceleratorState._reset_state(reset_partial_state=True)
    return device.accelerator("auto", precision, threads, seed=1)


def seconds(work: Callable, *given) -> float:
    """How long `work` takes with what it is given, a GPU's part included."""
    started = time.perf_counter()
    work(*given)
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter() - started


def operations(work: Callable, *given) -> int:
    """Floating-point operations of the matrix products and convolutions in `work`."""
    with FlopCounterMode(display=False) as counter:
        work(*given)
    return counter.get_total_flops()


def ratios(name: str, ours: Sequence[float], theirs: Sequence[float], reach: str) -> Measure:
    """How many times as fast ours is, run by run: `ours` and `theirs` are seconds for the same work, taken in turns."""
    return Measure(name, "×", np.array(theirs) / np.array(ours), reach)


def matmul_peak(dtype: torch.dtype, size: int = 2048, repeats: int = 20) -> list[float]:
    """Operations a second of a large matrix product, the most that this machine does with these threads."""
    a, b = (torch.randn(size, size).to(dtype) for _ in range(2))
    a @ b
    return [2 * size**3 / seconds(torch.matmul, a, b) for _ in range(repeats)]
