"""Where a run computes, how precisely, and how reproducibly."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import DataLoaderConfiguration, set_seed

from semblance.errors import UserError
from semblance.training import gpus

CPU_FLAGS_WITH_BF16 = {"amx_bf16", "avx512_bf16"}


def choose(device: str) -> str:
    """The device meant by auto, cpu or cuda, which is the GPU that this process has taken.

    Raises UserError when cuda is asked for and there is none, or none is free.
    """
    there = torch.cuda.is_available()
    if device == "cuda" and not there:
        raise UserError(
            "config/config.yaml asks for device: cuda, but torch sees no GPU here: "
            "run on a machine with one, or set device: auto"
        )
    if not there or device == "cpu":
        return "cpu"
    gpus.own()
    return "cuda"


def place(computing: Mapping) -> str:
    """Where a job that trains nothing computes, with as many threads as asked for; see `choose`."""
    torch.set_num_threads(computing["threads"])
    return choose(computing["device"])


def accelerator(device: str, precision: str, threads: int, seed: int) -> Accelerator:
    """An Accelerator on the device and precision asked for, every random state seeded.

    `device` is as for `choose`; `precision` auto, fp32 or bf16, where auto means bf16 wherever the
    processor computes in it.
    """
    on_cpu = choose(device) == "cpu"
    torch.set_num_threads(threads)  # the order of additions, hence every bit, depends on it
    set_seed(seed)
    bf16 = precision == "bf16" or (precision == "auto" and has_bf16(on_cpu))
    # A schedule takes one step a batch, however many processes share it.
    whole = DataLoaderConfiguration(split_batches=True)
    return Accelerator(cpu=on_cpu, mixed_precision="bf16" if bf16 else "no", dataloader_config=whole)


def has_bf16(on_cpu: bool) -> bool:
    """Whether the processor multiplies bf16 matrices in hardware, not by emulation."""
    if not on_cpu:
        return torch.cuda.is_bf16_supported(including_emulation=False)
    info = Path("/proc/cpuinfo")
    flags = set(info.read_text().split()) if info.exists() else set()
    return bool(flags & CPU_FLAGS_WITH_BF16)


def attention() -> str:
    """transformers' name of the attention that trains fastest here.

    On a CPU the backward pass of torch's fused attention takes longer than all the rest of a small
    encoder's step; the plain one halves the step.
    """
    return "sdpa" if torch.cuda.is_available() else "eager"


def precision(accelerated: Accelerator) -> str:
    return "bf16" if accelerated.mixed_precision == "bf16" else "fp32"


def describe(accelerated: Accelerator, precisions: Sequence[str] = ()) -> dict:
    """The facts of the device, for a run's record; `precisions` are those of its stages, where they are its own."""
    on_gpu = accelerated.device.type == "cuda"
    return {
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "gpu_peak_memory_mb": torch.cuda.max_memory_allocated() // 2**20 if on_gpu else None,
        "precision": " and ".join(sorted(set(precisions) or {precision(accelerated)})),
        "threads": torch.get_num_threads(),
        "processes": accelerated.num_processes,
        "cores": os.cpu_count(),
        "torch": torch.__version__,
    }
