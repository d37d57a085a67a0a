"""Cost of a training step with SMART, compared with a plain step on the same batches (smart, section 3.1.2).

Plain and regularized steps take turns on each batch, in fp32.
"""

from pathlib import Path

import numpy as np
import torch
from measures import Measure, accelerator, seconds

from semblance import memory, models, objectives
from semblance.data.rows import Pairs
from semblance.regularizers import smart
from semblance.specs.recipe import Recipe
from semblance.specs.regularizers import SmartSpec
from semblance.specs.run import ModelSpec
from semblance.training.batches import bucketed
from semblance.training.gradient import Gradient
from semblance.training.optimizers import optimizer_of

SPEC = ModelSpec("multitask", pooling="mean", heads=(), features=("u", "v", "|u-v|"), dropout=0.1, max_length=128)
OBJECTIVE = "score-squared-error"
WARM_UP = 2  # batches


def measure(encoder: Path, pairs: Pairs, threads: int, steps: int) -> list[Measure]:
    """Measure milliseconds of both steps and their ratio, and peak memory, first with plain steps only."""
    accelerated = accelerator("fp32", threads)
    model = models.kind("multitask").open(SPEC, encoder, accelerated.device.type)
    task = model.task(pairs)
    optimizer = optimizer_of(Recipe(1, 32, 1e-5), task.module)
    task.module.train()
    batches = bucketed(task.lengths, 32, np.random.default_rng(1))[: steps + WARM_UP]

    def step(gradient: Gradient, regularizer, indices) -> None:
        gradient.add(indices).item()
        optimizer.step()
        optimizer.zero_grad()
        if regularizer:
            regularizer.after()

    given = task, objectives.named(OBJECTIVE)
    plain = Gradient(*given, None, accelerated, "benchmark", divisible=True)
    _forget_peak()
    for indices in batches:
        step(plain, None, indices)
    plain_mb = _peak_mb()
    regularizer = smart.regularizer(SmartSpec(smoothness=5, proximity=1), task, OBJECTIVE, len(task.lengths), seed=1)
    regularized = Gradient(*given, regularizer, accelerated, "benchmark", divisible=True, full_precision=True)
    took: dict[str, list[float]] = {"plain": [], "SMART": []}
    for number, indices in enumerate(batches):
        for name in list(took)[:: 1 if number % 2 else -1]:
            spent = seconds(step, *((regularized, regularizer) if name == "SMART" else (plain, None)), indices)
            if number >= WARM_UP:
                took[name].append(1000 * spent)
    return [
        Measure("plain step", "ms", took["plain"]),
        Measure("step with SMART", "ms", took["SMART"]),
        Measure("step with SMART: times a plain one", "×", np.array(took["SMART"]) / np.array(took["plain"]), "≤ 3.2"),
        Measure("step with SMART: memory, times a plain one's", "×", [_peak_mb() / plain_mb], "≤ 3"),
    ]


def _forget_peak() -> None:
    memory.reset()
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()


def _peak_mb() -> float:
    """Return the peak memory of the device: allocated on a GPU, else resident."""
    return torch.cuda.max_memory_allocated() / 2**20 if torch.cuda.is_available() else memory.peak_mb()
