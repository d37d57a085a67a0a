"""Where jobs compute."""

from pathlib import Path

from semblance.specs.settings import Settings

GPU = Path("/dev/nvidia0")
CUDA = "12.9"  # for which conda solves where it sees no GPU; every driver for CUDA 12 or newer runs its builds


def device(settings: Settings) -> str:
    """Return ``cuda`` or ``cpu``.

    On a cluster, the machine that submits jobs may have no GPU; its profile sets ``device: cuda``.
    """
    there = GPU.exists()
    return "cuda" if settings.device == "cuda" or (settings.device == "auto" and there) else "cpu"


def environment(settings: Settings) -> str:
    """Return the name of the file in envs/ from which --use-conda makes the jobs' environment."""
    return "semblance-cuda" if device(settings) == "cuda" else "semblance"


def solving(settings: Settings) -> dict[str, str]:
    """Return the environment variables with which conda finds builds for a GPU on a machine that has none."""
    return {"CONDA_OVERRIDE_CUDA": CUDA} if device(settings) == "cuda" and not GPU.exists() else {}
