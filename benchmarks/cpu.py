"""Time saved by what `semblance.cpu` does: a bi-encoder's steps without padding and with quick dropout, in turns.

On a GPU, where models use padding and torch's dropout, this shows whether to skip padding there too.
"""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch
import training
from measures import Measure, accelerator, seconds

from semblance import models, objectives
from semblance.cpu import attention, packed
from semblance.cpu.dropout import quick
from semblance.data.rows import Pairs
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
    task.module.train()
    ways = {
        "as it is": (packed.ATTENTION, quick(task.module)),
        "padding": (attention(accelerated.device.type), quick(task.module)),
    }
    on_cpu = accelerated.device.type == "cpu"
    ways |= {"torch's dropout": (packed.ATTENTION, nullcontext())} if on_cpu else {}
    gradients = {
        way: Gradient(task, objective, None, accelerated, "benchmark", divisible=True, stream=dropout)
        for way, (_, dropout) in ways.items()
    }

    def step(way: str, indices: np.ndarray) -> None:
        task.encoder.transformer.set_attn_implementation(ways[way][0])
        gradients[way].add(indices).item()
        optimizer.step()
        optimizer.zero_grad()

    batches = bucketed(task.lengths, training.BATCH, np.random.default_rng(1))
    there = [task.batch(indices)[0]["attention_mask"] for indices in batches]
    padding = 1 - sum(mask.sum().item() for mask in there) / sum(mask.numel() for mask in there)
    yield Measure("padding: share of all batches", "", [padding])
    took: dict[str, list[float]] = {way: [] for way in ways}
    for number, indices in enumerate(batches * repeats):
        for way in np.roll(list(ways), number):  # none is always the first
            took[way].append(seconds(step, way, indices))
    as_it_is, padded, *others = (np.array(values[WARM_UP:]) for values in took.values())
    yield Measure("a step without padding: share of one with", "×", as_it_is / padded)
    yield Measure("all steps without padding: share of all with", "×", [as_it_is.sum() / padded.sum()])
    if on_cpu:
        [with_torch] = others
        yield Measure("a step with quick dropout: share of one with torch's", "×", as_it_is / with_torch)
        yield Measure(
            "all steps with quick dropout: share of all with torch's", "×", [as_it_is.sum() / with_torch.sum()]
        )
        yield Measure("matrix products: share of a step", "", [_products(step, indices) for indices in batches[:6]])


def _products(step, indices: np.ndarray) -> float:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiled:
        step("as it is", indices)
    spent = {event.key: event.self_cpu_time_total for event in profiled.key_averages()}
    return sum(time for key, time in spent.items() if key in PRODUCTS) / sum(spent.values())
