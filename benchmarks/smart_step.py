"""What a training step with SMART costs beside a plain one, on the same batches (smart, section 3.1.2).

Plain and regularised steps take turns on each batch, in 32-bit floats.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from measures import Measure, accelerator, seconds

from semblance import memory, models, objectives
from semblance.data.rows import Pairs
from semblance.regularizers import smart
from semblance.training.batches import bucketed
from semblance.training.gradient import Gradient
from semblance.training.recipe import Recipe

SPEC = {"pooling": "mean", "heads": [], "features": ["u", "v", "|u-v|"], "dropout": 0.1, "max_length": 128}
OBJECTIVE = "score-squared-error"
WARM_UP = 2  # batches


def measure(encoder: Path, pairs: Pairs, threads: int, steps: int) -> list[Measure]:
    """Milliseconds of both steps, and their ratio; memory at the peak, the first steps being plain ones alone."""
    accelerated = accelerator("fp32", threads)
    model = models.kind("multitask").open(SPEC, encoder, accelerated.device.type)
    task = model.task(pairs)
    optimizer = Recipe(1, 32, 1e-5).optimizer_of(task.module)
    task.module.train()
    batches = bucketed(task.lengths, 32, np.random.default_rng(1))[: steps + WARM_UP]

    def gradient_with(regularizer) -> Gradient:
        objective = objectives.named(OBJECTIVE)
        return Gradient(task, objective, regularizer, accelerated, "benchmark", divisible=True)

    def step(gradient: Gradient, regularizer, indices) -> None:
        gradient.add(indices).item()
        optimizer.step()
        optimizer.zero_grad()
        if regularizer:
            regularizer.after()

    memory.reset()
    for indices in batches:
        step(gradient_with(None), None, indices)
    plain_mb = memory.peak_mb()
    regularizer = smart.regularizer({"smoothness": 5, "proximity": 1}, task, OBJECTIVE, len(task.lengths), seed=1)
    took: dict[bool, list[float]] = {True: [], False: []}
    for number, indices in enumerate(batches):
        for regularized in (number % 2 == 0, number % 2 == 1):
            given = regularizer if regularized else None
            spent = seconds(step, gradient_with(given), given, indices)
            if number >= WARM_UP:
                took[regularized].append(1000 * spent)
    return [
        Measure("plain step", "ms", took[False]),
        Measure("step with SMART", "ms", took[True]),
        Measure("step with SMART: times a plain one", "×", np.array(took[True]) / np.array(took[False]), "≤ 3.2"),
        Measure("step with SMART: memory, times a plain one's", "×", [memory.peak_mb() / plain_mb], "≤ 3"),
    ]
