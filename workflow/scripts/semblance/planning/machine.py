"""Where jobs compute."""

from pathlib import Path

from semblance.specs.settings import Settings

# NVIDIA's driver on Linux, where a container may have any of the cards; and on Windows' subsystem for Linux.
GPUS = ("dev/nvidia[0-9]*", "usr/lib/wsl/lib/libcuda.so.1")
CUDA = "12.9"  # for which conda solves where it sees no GPU; every driver for CUDA 12 or newer runs its builds


def device(settings: Settings) -> str:
    """Return ``cuda`` or ``cpu``.

    On a cluster, the machine that submits jobs may have no GPU; its profile sets ``device: cuda``.
    """
    return "cuda" if settings.device == "cuda" or (settings.device == "auto" and has_gpu()) else "cpu"


def has_gpu() -> bool:
    """Return whether this machine has a GPU, without asking torch, which Snakemake's environment need not have."""
    return any(path for pattern in GPUS for path in Path("/").glob(pattern))


def environment(settings: Settings) -> str:
    """Return the name of the file in envs/ from which --use-conda makes the jobs' environment."""
    return "semblance-cuda" if device(settings) == "cuda" else "semblance"


def solving(settings: Settings) -> dict[str, str]:
    """Return the environment variables with which conda finds builds for a GPU on a machine that has none."""
    return {"CONDA_OVERRIDE_CUDA": CUDA} if device(settings) == "cuda" and not has_gpu() else {}
