"""A run without an engine: a model that learns in one go or not at all, and its facts. Needs no torch."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from semblance import memory, models
from semblance.data import rows


def fit_run(
    spec: Mapping, seed: int, origin: Path | None, data: Mapping[str, Path], threads: int, folder: Path
) -> dict:
    """Fit a run's model on what its spec has in `fit_on`, else open it in `origin`; save it and return the run's facts.

    `data` are the prepared splits by their name (``qqp/train``).
    """
    started = time.monotonic()
    memory.reset()
    kind, made_of = models.kind(spec["model"]["kind"]), spec["model"]
    if "fit_on" in made_of:
        model = kind.fit(made_of, [rows.read(data[name]) for name in made_of["fit_on"]], seed, threads)
    else:
        model = kind.open(made_of, origin, "cpu")
    model.save(folder)
    return {
        "spec": spec,
        "seed": seed,
        "parameters": model.parameters,
        "stages": [],
        "seconds": round(time.monotonic() - started, 3),
        "peak_memory_mb": memory.peak_mb(),
        "device": "cpu",
        "gpu_peak_memory_mb": None,
        "precision": None,
        "threads": threads,
        "cores": os.cpu_count(),
    }
