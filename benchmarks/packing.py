"""Time saved without padding in the layers of a bi-encoder: the same steps with and without it, in turns.

On a GPU, where models use padding, this shows whether to skip it there too.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
import training
from measures import Measure, accelerator, seconds

from semblance import models, objectives
from semblance.data.rows import Pairs
from semblance.device import attention
from semblance.models import packed
from semblance.specs.recipe import Recipe
from semblance.training.batches import bucketed
from semblance.training.gradient import Gradient
from semblance.training.optimizers import optimizer_of

WARM_UP = 2  # batches
PRODUCTS = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"}


def measure(encoder: Path, pairs: Pairs, threads: int, repeats: int) -> Iterator[Measure]:
    """Time every batch of an epoch repeatedly in fp32, and measure the share of matrix products in a step."""
    accelerated = accelerator("fp32", threads)
    model = models.kind("bi-encoder").open(training.SPECS["bi-encoder"], encoder, accelerated.device.type)
    task = model.task(pairs)
    optimizer = optimizer_of(Recipe(1, training.BATCH, 2e-5), task.module)
    objective = objectives.named(training.OBJECTIVES["bi-encoder"])
    gradient = Gradient(task, objective, None, accelerated, "benchmark", divisible=True)
    task.module.train()

    def step(indices: np.ndarray) -> None:
        gradient.add(indices).item()
        optimizer.step()
        optimizer.zero_grad()

    batches = bucketed(task.lengths, training.BATCH, np.random.default_rng(1))
    there = [task.batch(indices)[0]["attention_mask"] for indices in batches]
    padding = 1 - sum(mask.sum().item() for mask in there) / sum(mask.numel() for mask in there)
    yield Measure("padding: share of all batches", "", [padding])
    took: dict[str, list[float]] = {attention(accelerated.device.type): [], packed.ATTENTION: []}
    for number, indices in enumerate(batches * repeats):
        for name in list(took)[:: 1 if number % 2 else -1]:
            task.encoder.transformer.set_attn_implementation(name)
            took[name].append(seconds(step, indices))
    padded, without = (np.array(values[WARM_UP:]) for values in took.values())
    yield Measure("a step without padding: share of one with", "×", without / padded)
    yield Measure("all steps without padding: share of all with", "×", [without.sum() / padded.sum()])
    if accelerated.device.type == "cpu":
        task.encoder.transformer.set_attn_implementation(packed.ATTENTION)
        yield Measure("matrix products: share of a step", "", [_products(step, indices) for indices in batches[:6]])


def _products(step, indices: np.ndarray) -> float:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiled:
        step(indices)
    spent = {event.key: event.self_cpu_time_total for event in profiled.key_averages()}
    return sum(time for key, time in spent.items() if key in PRODUCTS) / sum(spent.values())
