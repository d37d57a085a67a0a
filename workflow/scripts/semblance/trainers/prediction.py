"""Scoring with models that do not share an encoder."""

import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np

from semblance import models
from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation import predictions
from semblance.evaluation.collapse import require_differences
from semblance.files import sha256
from semblance.paths import predictions_of
from semblance.specs.facts import MachineFacts, SpeedFacts
from semblance.trainers.work import Scoring


def predict(work: Scoring, device: str, machine: MachineFacts) -> dict[str, dict[str, SpeedFacts]]:
    """Score all splits on which runs are evaluated, and write one file per run and split.

    A split is scored `timing_repeats` times, and the median time is recorded.

    Args:
        work: the runs.
        device: ``cpu`` or ``cuda``.
        machine: what is recorded of the machine.

    Returns:
        The facts of each split, by run.
    """
    return {run: _of_run(run, work, device, machine) for run in work.specs}


@cache
def _split(file: Path) -> tuple[Pairs, str]:
    """Return the pairs of a split and the digest of its file, read once for all runs of a job."""
    return rows.read(file), sha256(file)


def record(
    work: Scoring, run: str, name: str, pairs: Pairs, examples: str, scores: np.ndarray, seconds: Sequence[float]
) -> dict:
    """Write a run's scores of a split, and return their number and speed; see `SpeedFacts`.

    Args:
        work: the scoring, with the folders and the provenance of its runs.
        run: the run.
        name: the split, such as ``qqp/dev``.
        pairs: its n pairs.
        examples: digest of the split's file.
        scores: shape (n,), or class probabilities, shape (n, classes).
        seconds: the time of each repetition of the scoring.
    """
    made_by = {**work.made_by[run], "examples": examples}
    predictions.write(work.folders[run] / predictions_of(name), pairs, scores, made_by)
    each = [round(one, 6) for one in seconds]
    return {"pairs": len(pairs), "seconds": median(each), "each": each}


def _of_run(run: str, work: Scoring, device: str, machine: MachineFacts) -> dict[str, SpeedFacts]:
    spec, found, speed = work.specs[run], [], {}
    model = models.kind(spec.model.kind).open(spec.model, work.models[run], device)
    for name in spec.evaluate:
        [pairs, examples], took = _split(work.data[name]), []
        for _ in range(spec.timing_repeats):
            started = time.perf_counter()
            scores = models.scores(model, pairs)
            took.append(time.perf_counter() - started)
        found.append(scores)
        speed[name] = {**machine, **record(work, run, name, pairs, examples, scores, took)}
    if not spec.may_collapse:
        require_differences(found, run)
    return speed
