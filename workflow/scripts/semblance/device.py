"""Device, precision, threads and random seeds of a run."""

import os
from collections.abc import Sequence

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed

from semblance import gpus, processor
from semblance.errors import UserError
from semblance.specs.computing import Computing
from semblance.specs.facts import MachineFacts

CPU_FLAGS_WITH_BF16 = {"amx_bf16", "avx512_bf16"}


def choose(device: str) -> str:
    """Return the device to use, ``cpu`` or ``cuda``, and claim a GPU for this process if it is the latter.

    Args:
        device: ``auto`` (a GPU if torch sees one), ``cpu`` or ``cuda``.

    Raises:
        UserError: if ``cuda`` is requested without a GPU.
    """
    there = torch.cuda.is_available()
    if device == "cuda" and not there:
        raise UserError(
            "the settings ask for device: cuda, but torch sees no GPU here: "
            "run on a machine with one, or set device: auto"
        )
    if not there or device == "cpu":
        return "cpu"
    gpus.own()
    return "cuda"


def place(computing: Computing) -> str:
    """Set the number of threads and return the device of a job without training; see `choose`."""
    torch.set_num_threads(computing.threads)
    return choose(computing.device)


def machine(place: str) -> MachineFacts:
    """Return the machine of work on ``cpu`` or ``cuda``."""
    return processor.machine() | ({"device": torch.cuda.get_device_name()} if place == "cuda" else {})


def accelerator(computing: Computing, seed: int) -> Accelerator:
    """Return an Accelerator, with the number of threads and all random states set.

    Args:
        computing: device, precision and threads.
        seed: seed of all random states.

    Raises:
        UserError: if the device is not available.
    """
    on_cpu = choose(computing.device) == "cpu"
    torch.set_num_threads(computing.threads)  # bit-identical results need the same order of additions
    set_seed(seed)
    bf16 = computing.precision == "bf16" or (computing.precision == "auto" and has_bf16(on_cpu))
    return Accelerator(cpu=on_cpu, mixed_precision="bf16" if bf16 else "no")


def has_bf16(on_cpu: bool) -> bool:
    """Return whether the processor multiplies bf16 matrices in hardware, without emulation."""
    if not on_cpu:
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return bool(set(processor.info().get("flags", "").split()) & CPU_FLAGS_WITH_BF16)


def precision(accelerated: Accelerator) -> str:
    """Return the precision in which a run is trained: ``bf16`` or ``fp32``."""
    return "bf16" if accelerated.mixed_precision == "bf16" else "fp32"


def describe(accelerated: Accelerator, precisions: Sequence[str] = ()) -> dict:
    """Return facts about the device for a run's record.

    Args:
        accelerated: the run's Accelerator.
        precisions: precision of each part, if it can differ from that of the Accelerator.
    """
    return {
        **machine(accelerated.device.type),
        "precision": " and ".join(sorted(set(precisions) or {precision(accelerated)})),
        "threads": torch.get_num_threads(),
        "cores": os.cpu_count(),
    }
