"""How jobs compute."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Computing:
    """Device, precision and threads of a job.

    Attributes:
        device: ``auto`` is a GPU if torch sees one.
        precision: precision of training; ``auto`` is bf16 if the processor supports it in hardware.
        threads: number of CPU threads.
    """

    device: Literal["auto", "cpu", "cuda"]
    precision: Literal["auto", "fp32", "bf16"]
    threads: int
