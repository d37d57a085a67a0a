"""What a training step with SMART costs beside a plain one, on the same batches (smart, section 3.1.2).

    python benchmarks/smart_step.py ENCODER SPLIT [--kind multitask|cross-encoder]

ENCODER is a folder of transformers weights, SPLIT a prepared parquet file of pairs with scores. Plain and
regularised steps take turns on each batch, in 32-bit floats; medians over all of them, with quartiles.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow" / "scripts"))

from semblance import models, objectives
from semblance.data import rows
from semblance.regularizers import smart
from semblance.training import device
from semblance.training.batches import bucketed
from semblance.training.recipe import Recipe

SPECS = {
    "multitask": {"pooling": "mean", "heads": [], "features": ["u", "v", "|u-v|"], "dropout": 0.1, "max_length": 128},
    "cross-encoder": {"max_length": 128},
}
OBJECTIVES = {"multitask": "score-squared-error", "cross-encoder": "mean-squared-error"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("split", type=Path)
    parser.add_argument("--kind", choices=SPECS, default="multitask")
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    chosen = parser.parse_args()
    accelerated = device.accelerator("auto", "fp32", chosen.threads, seed=1)
    model = models.kind(chosen.kind).open(SPECS[chosen.kind], chosen.encoder, accelerated.device.type)
    task = model.task(rows.read(chosen.split))
    name = OBJECTIVES[chosen.kind]
    optimizer = Recipe(1, chosen.batch, 1e-5).optimizer_of(task.module)
    task.module.train()
    regularizer = smart.regularizer({"smoothness": 5, "proximity": 1}, task, name, len(task.lengths), seed=1)
    batches = bucketed(task.lengths, chosen.batch, np.random.default_rng(1))[: chosen.steps + 2]
    took = {True: [], False: []}
    for number, indices in enumerate(batches):
        inputs, targets = task.batch(indices)
        for regularized in (number % 2 == 0, number % 2 == 1):
            seconds = _step(
                task, objectives.named(name), optimizer, regularizer if regularized else None, inputs, targets
            )
            if number >= 2:  # the first ones warm up
                took[regularized].append(1000 * seconds)
    ratios = np.array(took[True]) / np.array(took[False])
    for title, values in (("plain step, ms", took[False]), ("SMART step, ms", took[True]), ("ratio", ratios)):
        low, middle, high = np.percentile(values, [25, 50, 75])
        print(f"{title:16} {middle:8.2f}  [{low:.2f}, {high:.2f}]")


def _step(task, objective, optimizer, regularizer, inputs, targets) -> float:
    started = time.perf_counter()
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
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
