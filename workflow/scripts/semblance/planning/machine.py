"""Where jobs compute."""

from pathlib import Path

from semblance.specs.settings import Settings


def device(settings: Settings) -> str:
    """Return ``cuda`` or ``cpu``.

    On a cluster, the machine that submits jobs may have no GPU; its profile sets ``device: cuda``.
    """
    there = Path("/dev/nvidia0").exists()
    return "cuda" if settings.device == "cuda" or (settings.device == "auto" and there) else "cpu"


def environment(settings: Settings) -> str:
    """Return the name of the file in envs/ from which --use-conda makes the jobs' environment."""
    return "semblance-cuda" if device(settings) == "cuda" else "semblance"
