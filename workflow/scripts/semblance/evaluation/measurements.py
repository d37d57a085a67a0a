"""What is measured of runs and corpora besides scores of examples: times, memory, sizes, losses and rows."""

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from semblance.curve import LOSS, PENALTY, PROXIMITY, SMOOTHNESS
from semblance.evaluation.evidence import Evidence
from semblance.registry import METRICS
from semblance.specs.cells import CellSpec
from semblance.specs.facts import RunFacts, SplitFacts, StageFacts

NOT_THERE = SplitFacts(read=None, used=0)  # a split that the dataset lacks


def of_runs(cell: CellSpec, evidence: Evidence) -> list[float]:
    """Return what was measured of each seed's training or scoring, such as time, memory or size."""
    if METRICS[cell.metric].measures == "scoring":
        found = [SCORING[cell.metric](speed) for speed in evidence.speed(cell.run, cell.on)]
    else:
        found = [TRAINING[cell.metric](facts) for facts in evidence.facts(cell.run)]
    if not cell.per:
        return found
    below = of_runs(cell.per, evidence)  # a cell with one seed counts for all of the other's
    seeds = max(len(found), len(below))
    return (np.resize(found, seeds) / np.resize(below, seeds)).tolist()


def machines(cells: Iterable[CellSpec], evidence: Evidence) -> list[str]:
    """Return the machines on which the runs of cells were measured, and of what divides them; each once."""
    return sorted(set().union(*(evidence.machines(one) for cell in cells for one in (cell, cell.per) if one)))


def repeats(cell: CellSpec, evidence: Evidence) -> list[float]:
    """Return the measurements of a cell that is not computed from examples: by seed, or repeated timings of one."""
    found = of_runs(cell, evidence)
    if METRICS[cell.metric].measures == "scoring" and len(found) == 1 and not cell.per:
        [speed] = evidence.speed(cell.run, cell.on)
        encoding = speed.get("each_encoding") or [speed.get("encoding_seconds", 0.0)] * len(speed["each"])
        each = zip(speed["each"], encoding, strict=True)
        found = [SCORING[cell.metric]({**speed, "seconds": own, "encoding_seconds": text}) for own, text in each]
    return [value * cell.scale for value in found]


def of_corpus(cell: CellSpec, evidence: Evidence) -> float | None:
    """Return the number of rows as they were read, or the share of a label among those with text and label.

    Rows that were held out for tuning count as rows of the split from which they were taken. None if a split or a group
    has not been counted.
    """
    splits = evidence.dataset(cell.dataset)["splits"]
    names = cell.split.split("+")
    found = [splits.get(name, NOT_THERE) for name in names]
    found = [one for one in found if one.get("held_out_of") not in names]
    if cell.subset.group:
        groups = cell.subset.group.split("+")
        counts = [one["groups_read"][group] for one in found for group in groups if group in one.get("groups_read", {})]
        return sum(counts) if counts else None
    if cell.metric == "rows":
        known = [one["read"] for one in found if one["read"] is not None]
        return sum(known) if len(known) == len(found) else None
    by_label = [pair for one in found for pair in enumerate(one.get("labels_read", []))]
    rows = sum(count for _, count in by_label)
    return sum(count for label, count in by_label if label == cell.subset.label) / rows if rows else None


SCORING: dict[str, Callable[[Mapping], float]] = {
    "pairs-per-second": lambda speed: speed["pairs"] / speed["seconds"],
    "milliseconds-per-pair": lambda speed: 1000 * speed["seconds"] / speed["pairs"],
    # For a network over a frozen encoder, this includes the time of the encoder.
    "milliseconds-per-pair-from-text": lambda speed: (
        1000 * (speed["seconds"] + speed.get("encoding_seconds", 0)) / speed["pairs"]
    ),
}


def _mean_of_steps(facts: RunFacts, series: str, without: float = math.nan) -> float:
    """Return the mean of a part of the loss over the steps of all stages; `without` if no stage has this part."""
    stages = facts["stages"]
    if not any(series in one["means"] for one in stages):
        return without
    steps = sum(one["steps"] for one in stages) or math.nan  # none, if the first has diverged
    return sum(one["steps"] * one["means"].get(series, 0.0) for one in stages) / steps


def _evaluating_seconds(stage: StageFacts) -> float:
    return stage.get("watching_seconds", 0) + stage.get("selecting_seconds", 0)


TRAINING: dict[str, Callable[[RunFacts], float]] = {
    "training-minutes": lambda facts: facts["seconds"] / 60,
    # Memory of the process plus memory of the GPU, if there is one.
    "peak-memory-gib": lambda facts: (facts["peak_memory_mb"] + (facts["gpu_peak_memory_mb"] or 0)) / 1024,
    "parameters": lambda facts: facts["parameters"],
    "selected-epoch": lambda facts: facts["stages"][-1]["selected_epoch"],
    "task-loss": lambda facts: _mean_of_steps(facts, LOSS) - _mean_of_steps(facts, PENALTY, without=0),
    "smoothness-term": lambda facts: _mean_of_steps(facts, SMOOTHNESS),
    "proximity-term": lambda facts: _mean_of_steps(facts, PROXIMITY),
    "seconds-per-step": lambda facts: (
        (facts["seconds"] - sum(map(_evaluating_seconds, facts["stages"])))
        / (sum(stage["steps"] for stage in facts["stages"]) or math.nan)
    ),
}
