"""Runs without the training engine: models that are fitted in one call or not trained. Does not import torch."""

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
    """Fit or open the model of a run and save it.

    Args:
        spec: description of the run. The model is fitted if ``spec["model"]`` names splits in `fit_on`.
        seed: seed for fitting.
        origin: folder from which a model without `fit_on` is opened.
        data: prepared splits by name, e.g. ``qqp/train``.
        threads: number of threads for fitting.
        folder: destination of the model.

    Returns:
        The facts of the run.
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
