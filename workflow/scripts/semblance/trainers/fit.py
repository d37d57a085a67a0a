"""Models that are fitted in one call. Does not import torch."""

import os
import time

from semblance import memory, models, processor
from semblance.data import rows
from semblance.paths import MODEL
from semblance.specs.facts import RunFacts, SpeedFacts
from semblance.trainers import prediction
from semblance.trainers.work import Scoring, Training


def train(work: Training) -> dict[str, RunFacts]:
    """Fit or open the model of each run and save it; return the runs' facts.

    A model with splits in `fit_on` is fitted. Otherwise it is opened from ``work.origin``.
    """
    return {run: _fit(run, work) for run in work.specs}


def _fit(run: str, work: Training) -> RunFacts:
    started, spec, threads = time.monotonic(), work.specs[run], work.computing.threads
    memory.reset()
    kind = models.kind(spec.model.kind)
    if spec.model.fit_on:
        model = kind.fit(spec.model, [rows.read(work.data[name]) for name in spec.model.fit_on], work.seed, threads)
    else:
        model = kind.open(spec.model, work.origin, "cpu")
    model.save(work.folders[run] / MODEL)
    return {
        "parameters": model.parameters,
        "stages": [],
        "seconds": round(time.monotonic() - started, 3),
        "peak_memory_mb": memory.peak_mb(),
        **processor.machine(),
        "gpu_peak_memory_mb": None,
        "precision": None,
        "threads": threads,
        "cores": os.cpu_count(),
    }


def predict(work: Scoring) -> dict[str, dict[str, SpeedFacts]]:
    """Score the runs; see `trainers.prediction.predict`."""
    return prediction.predict(work, "cpu", processor.machine())
