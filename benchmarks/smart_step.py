"""What a training step with SMART costs beside a plain one, on the same batches (smart, section 3.1.2).

Plain and regularised steps take turns on each batch, in 32-bit floats.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from measures import Measure, accelerator, seconds

from semblance import models, objectives
from semblance.data.rows import Pairs
from semblance.regularizers import smart
from semblance.training.batches import bucketed
from semblance.training.recipe import Recipe

SPEC = {"pooling": "mean", "heads": [], "features": ["u", "v", "|u-v|"], "dropout": 0.1, "max_length": 128}
OBJECTIVE = "score-squared-error"
WARM_UP = 2  # batches


def measure(encoder: Path, pairs: Pairs, threads: int, steps: int) -> list[Measure]:
    """Milliseconds of both steps, and their ratio."""
    accelerated = accelerator("fp32", threads)
    model = models.kind("multitask").open(SPEC, encoder, accelerated.device.type)
    task = model.task(pairs)
    objective, optimizer = objectives.named(OBJECTIVE), Recipe(1, 32, 1e-5).optimizer_of(task.module)
    task.module.train()
    regularizer = smart.regularizer({"smoothness": 5, "proximity": 1}, task, OBJECTIVE, len(task.lengths), seed=1)
    took: dict[bool, list[float]] = {True: [], False: []}
    for number, indices in enumerate(bucketed(task.lengths, 32, np.random.default_rng(1))[: steps + WARM_UP]):
        inputs, targets = task.batch(indices)
        for regularized in (number % 2 == 0, number % 2 == 1):
            given = regularizer if regularized else None
            spent = seconds(_step, task, objective, optimizer, given, inputs, targets)
            if number >= WARM_UP:
                took[regularized].append(1000 * spent)
    return [
        Measure("plain step", "ms", took[False]),
        Measure("step with SMART", "ms", took[True]),
        Measure("step with SMART: times a plain one", "×", np.array(took[True]) / np.array(took[False]), "≤ 3.2"),
    ]


def _step(task, objective, optimizer, regularizer, inputs, targets) -> None:
    if regularizer:
        regularizer.before()
    output = task.forward(dict(inputs)).float()
    loss = objective(output, targets)
    if regularizer:
        loss = loss + regularizer.penalty(dict(inputs), output)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if regularizer:
        regularizer.after()
    loss.item()
