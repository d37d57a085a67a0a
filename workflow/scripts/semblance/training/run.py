"""One run: a model built from its spec, taken through its stages, saved with its curve and its facts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

from semblance import models, objectives, regularizers
from semblance.data import rows
from semblance.evaluation.watched import Watcher
from semblance.training import device, memory
from semblance.training.curve import Curve
from semblance.training.engine import train
from semblance.training.recipe import Recipe
from semblance.training.selection import BestStage, selection, share_of


def train_run(
    spec: Mapping,
    seed: int,
    origin: Path | None,
    data: Mapping[str, Path],
    computing: Mapping,
    folder: Path,
    curve: Path,
    watched: Path,
) -> dict:
    """Build, train and save a run; return its facts.

    `origin` is the folder of the encoder or of the run it starts from, `data` the prepared splits by
    their name (``qqp/train``), `computing` the device, precision and threads. `watched` is a folder
    for the scores that a stage with `watch` takes on the way.
    """
    started = time.monotonic()
    memory.reset()
    accelerated = device.accelerator(**computing, seed=seed)
    model = _build(spec["model"], origin, data, accelerated.device.type, seed, computing["threads"])
    points = Curve(curve)
    best = BestStage(model, spec["keep_best"], data, points) if spec["keep_best"] else None
    stages = []
    for number, stage in enumerate(spec["stages"], start=1):
        pairs = share_of(rows.read(data[f"{stage['on']}/train"]), stage.get("share", 1), seed)
        watcher = _watcher(model, stage, data)
        facts = train(
            model.task(objectives.examples(stage["objective"], pairs, seed)),
            objectives.named(stage["objective"]),
            Recipe.of(stage),
            # Not the last stage's order again, where stages repeat.
            seed=seed + 1000 * (number - 1),
            stage=f"{number}. {stage['on']}",
            accelerator=accelerated,
            curve=points,
            select=selection(model, stage, data),
            watch=watcher,
            regularize=_regularizer(stage, seed + number),
        )
        if best:
            facts |= best.consider(number, facts["stage"])
        if watcher:
            watcher.write(watched / f"{stage['watch'].replace('/', '-')}.parquet")
            facts["watching_seconds"] = round(watcher.seconds, 1)
        stages.append(facts)
    points.close()
    kept = {"kept_stage": best.restore()} if best else {}
    model.save(folder)
    return {
        "spec": spec,
        "seed": seed,
        "parameters": _parameters(model),
        "stages": stages,
        **kept,
        "seconds": round(time.monotonic() - started, 1),
        "peak_memory_mb": memory.peak_mb(),
        **device.describe(accelerated, [stage["precision"] for stage in stages]),
    }


def _build(spec: Mapping, origin: Path | None, data: Mapping[str, Path], where: str, seed: int, threads: int):
    kind = models.kind(spec["kind"])
    if "fit_on" in spec:
        return kind.fit(spec, [rows.read(data[name]) for name in spec["fit_on"]], seed, threads)
    options = {"new_head": True} if spec.get("new_head") else {}
    return kind.open(spec, origin, where, **options)


def _parameters(model) -> int:
    """How many numbers of the model were learnt, here or before."""
    return sum(p.numel() for p in model.module.parameters()) if hasattr(model, "module") else model.parameters


def _regularizer(stage: Mapping, seed: int) -> Callable | None:
    if "regularizer" not in stage:
        return None
    kind, *_ = stage["regularizer"]
    make = regularizers.named(kind)
    return lambda task, per_epoch: make(stage["regularizer"][kind], task, stage["objective"], per_epoch, seed)


def _watcher(model, stage: Mapping, data: Mapping[str, Path]) -> Watcher | None:
    if "watch" not in stage:
        return None
    return Watcher(rows.read(data[stage["watch"]]), model.score, stage["watch_every"])
