"""The processor of this machine. Does not import torch."""

import platform
from pathlib import Path

from semblance.specs.facts import MachineFacts


def machine() -> MachineFacts:
    """Return the machine of work that no GPU does."""
    return {"device": "cpu", "processor": name()}


def name() -> str | None:
    """Return its name, on which times depend; None if the system does not tell it."""
    return info().get("model name") or platform.processor() or None


def info() -> dict[str, str]:
    """Return what Linux says about its last core; nothing on other systems."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
