"""Time saved by training networks together over one pass of their frozen encoder (sn3d, the grid on MRPC).

The encoder's pass and each network's step are timed on every batch. Together, the networks take one pass and all steps;
one by one, they take a pass for every step. On the first batch, operations are counted instead.
"""

import tempfile
from pathlib import Path

import numpy as np
from measures import Measure, accelerator, operations, seconds

from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.curve import Curve
from semblance.data.rows import Pairs
from semblance.models.siamese_3d.frozen import Encoder
from semblance.paths import ROOT
from semblance.planning.jobs import of_project
from semblance.specs.run import RunSpec
from semblance.trainers.frozen_encoder import Batches, learner
from semblance.training.batches import bucketed

WARM_UP = 1  # batches, after the one whose operations are counted


def measure(encoder_folder: Path, pairs: Pairs, threads: int, steps: int) -> list[Measure]:
    """Measure milliseconds per batch, and the ratio of the whole grid to single runs, and to its slowest run."""
    accelerated = accelerator("auto", threads)
    encoder, specs = Encoder(encoder_folder, accelerated.device.type), grid()
    shared = Batches(encoder, pairs, next(iter(specs.values())).model.max_length, accelerated)
    passes, took = [], {name: [] for name in specs}
    with tempfile.TemporaryDirectory() as folder:
        curves = {name: Curve(Path(folder) / f"{name}.csv") for name in specs}
        learners = {
            name: learner(spec, 1, encoder, shared, accelerated, curves[name])[1] for name, spec in specs.items()
        }
        first, *batches = bucketed(shared.lengths, 32, np.random.default_rng(1))[: 1 + WARM_UP + steps]
        of_pass = operations(shared.batch, first)  # later calls for the same indices cost nothing
        of_steps = [operations(one.learn, first, 1) for one in learners.values()]
        for number, indices in enumerate(batches, start=2):
            passes.append(1000 * seconds(shared.batch, indices))
            for name, one in learners.items():
                took[name].append(1000 * seconds(one.learn, indices, number))
    timed = np.array(passes[WARM_UP:]), np.array(list(took.values()))[:, WARM_UP:]
    return [*_told(*timed, list(took)), *_counted(of_pass, np.array(of_steps))]


def grid() -> dict[str, RunSpec]:
    """Return the networks that the laptop preset trains together on MRPC."""
    settings = read_yaml(ROOT / "config/config.yaml") | {"preset": "laptop", "papers": ["sn3d"]}
    project = load(ROOT, settings)
    runs = max((job.runs for job in of_project(project) if job.trainer == "frozen_encoder"), key=len)
    return {run: project.run("sn3d", run) for run in runs}


def _both_ways(passes, steps: np.ndarray) -> tuple:
    """Return the costs of all networks together and one by one, from the encoder's pass and their steps, a row each."""
    total = steps.sum(axis=0)
    return passes + total, len(steps) * passes + total


def _counted(of_pass: int, of_steps: np.ndarray) -> list[Measure]:
    together, alone = _both_ways(of_pass, of_steps)
    return [
        Measure("sn3d's grid: operations of the encoder's pass", "10⁹", [of_pass / 1e9]),
        Measure("sn3d's grid: operations of a network's step, in passes", "×", of_steps / of_pass),
        Measure("sn3d's grid: mean of them", "×", [of_steps.mean() / of_pass]),
        Measure("sn3d's grid: side by side to one by one, were all as fast", "×", [together / alone]),
    ]


def _told(passes: np.ndarray, steps: np.ndarray, names: list[str]) -> list[Measure]:
    total = steps.sum(axis=0)
    together, alone = _both_ways(passes, steps)
    dearest = int(np.median(steps, axis=1).argmax())
    return [
        Measure("sn3d's grid: the encoder's pass", "ms", passes),
        Measure(f"sn3d's grid: dearest network's step ({names[dearest]})", "ms", steps[dearest]),
        Measure("sn3d's grid: mean step of a network, in passes", "×", total / len(names) / passes),
        Measure(f"sn3d's grid: all {len(names)} side by side", "ms", together),
        Measure(f"sn3d's grid: all {len(names)} one by one", "ms", alone),
        Measure("sn3d's grid: side by side to one by one", "×", together / alone, "≤ 0.2"),
        Measure("sn3d's grid: side by side to pass and dearest", "×", together / (passes + steps[dearest])),
    ]
