"""One run: a model built from its spec, taken through its stages, saved with its curve and its facts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from semblance import models, objectives
from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation import metrics
from semblance.evaluation.names import LOWER_IS_BETTER, NEEDS_THRESHOLD
from semblance.evaluation.watched import Watcher
from semblance.training import device, memory
from semblance.training.curve import Curve
from semblance.training.engine import Selection, train
from semblance.training.recipe import Recipe


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
    stages = []
    for number, stage in enumerate(spec["stages"], start=1):
        task = model.task(objectives.examples(stage["objective"], rows.read(data[f"{stage['on']}/train"]), seed))
        watcher = _watcher(model, stage, data)
        facts = train(
            task,
            objectives.named(stage["objective"]),
            Recipe.of(stage),
            seed=seed,
            stage=f"{number}. {stage['on']}",
            accelerator=accelerated,
            curve=points,
            select=_selection(model, stage, data),
            watch=watcher,
        )
        if watcher:
            watcher.write(watched / f"{stage['watch'].replace('/', '-')}.parquet")
            facts["watching_seconds"] = round(watcher.seconds, 1)
        stages.append(facts)
    points.close()
    model.save(folder)
    return {
        "spec": spec,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.module.parameters()) if hasattr(model, "module") else None,
        "stages": stages,
        "seconds": round(time.monotonic() - started, 1),
        "peak_memory_mb": memory.peak_mb(),
        **device.describe(accelerated),
    }


def _build(spec: Mapping, origin: Path | None, data: Mapping[str, Path], where: str, seed: int, threads: int):
    kind = models.kind(spec["kind"])
    if "fit_on" in spec:
        return kind.fit(spec, [rows.read(data[name]) for name in spec["fit_on"]], seed, threads)
    options = {"new_head": True} if spec.get("new_head") else {}
    return kind.open(spec, origin, where, **options)


def _selection(model, stage: Mapping, data: Mapping[str, Path]) -> Selection | None:
    if "select" not in stage:
        return None
    dev, metric = rows.read(data[stage["select"]["on"]]), stage["select"]["metric"]
    return Selection(metric, lambda: dev_score(model, dev, metric))


def _watcher(model, stage: Mapping, data: Mapping[str, Path]) -> Watcher | None:
    if "watch" not in stage:
        return None
    return Watcher(rows.read(data[stage["watch"]]), model.score, stage["watch_every"])


def dev_score(model, dev: Pairs, metric: str) -> float:
    """A dev metric, higher being better; those that need a cut get the best one on dev."""
    scores = model.score(dev)
    if scores.ndim == 2:  # probabilities of classes
        scores = scores.argmax(1)
    cut = metrics.best_threshold(metric, dev.targets, scores) if metric in NEEDS_THRESHOLD else None
    value = metrics.compute(metric, dev.targets, scores, cut)
    return -value if metric in LOWER_IS_BETTER else value
