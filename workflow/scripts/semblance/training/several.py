"""Training of one run in several processes with one GPU each, started by torchrun.

Each process computes the gradient of its share of every batch. All processes use the sum of the gradients, so that
their weights stay equal. Only the first process writes the results of the run. There are no
checkpoints: a killed run starts from the beginning.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from semblance import objectives
from semblance.code import SCRIPTS
from semblance.errors import UserError
from semblance.files import read_json, write_json
from semblance.specs.run import RunSpec, TaskRows
from semblance.specs.typed import typed
from semblance.training import gpus
from semblance.training.checkpoint import Checkpoint
from semblance.training.run import train_run


def can_be_shared(spec: RunSpec) -> bool:
    """Return whether the loss of every stage is a mean over examples, so that processes can share a batch."""
    return all(objectives.divisible(stage.objective) and not stage.regularizer for stage in spec.stages)


def train_in_several(
    processes: int,
    spec: RunSpec,
    seed: int,
    origin: Path,
    data: Mapping[str, Path],
    computing: Mapping,
    made_by: Mapping,
    folder: Path,
    task: TaskRows | None = None,
) -> dict:
    """Train a run in several processes of this machine and return its facts.

    Args:
        processes: number of processes. The other arguments are those of `training.run.train_run`.

    Raises:
        UserError: if a process raises it.
        RuntimeError: if a process fails in another way.
    """
    with TemporaryDirectory() as scratch:
        places = {"origin": origin, "folder": folder, "scratch": scratch}
        asked = {
            "spec": asdict(spec),
            "task": task and asdict(task),
            "seed": seed,
            "computing": dict(computing),
            "made_by": dict(made_by),
        }
        asked |= {name: str(Path(place).resolve()) for name, place in places.items()}
        asked["data"] = {name: str(Path(path).resolve()) for name, path in data.items()}
        write_json(Path(scratch) / "asked.json", asked)
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
        environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
        if torch.cuda.is_available() and computing["device"] != "cpu":
            environment["CUDA_VISIBLE_DEVICES"] = gpus.visible_to_several(processes)
        done = subprocess.run([*command, "-m", __name__, f"{scratch}/asked.json"], env=environment, check=False)
        for problem in Path(scratch).glob("problem-*.json"):
            raise UserError(read_json(problem)["problem"])
        if done.returncode:
            raise RuntimeError(f"one of {processes} processes ended with an error: see above")
        return read_json(Path(scratch) / "facts.json")


def _one_of_several(asked: Mapping) -> None:
    """Train in one of the processes that torchrun starts."""
    rank, scratch = int(os.environ["RANK"]), Path(asked["scratch"])
    own = scratch / f"process-{rank}"
    own.mkdir()
    data = {name: Path(path) for name, path in asked["data"].items()}
    given = (
        typed(RunSpec, asked["spec"]),
        asked["seed"],
        Path(asked["origin"]),
        data,
        asked["computing"],
        asked["made_by"],
    )
    folder = Path(asked["folder"]) if rank == 0 else own
    task = typed(TaskRows, asked["task"]) if asked["task"] else None
    try:
        facts = train_run(*given, folder, task, Checkpoint(own / "state.pt", math.inf))
    except UserError as problem:
        write_json(scratch / f"problem-{rank}.json", {"problem": str(problem)})
        raise SystemExit(1) from None
    if rank == 0:
        write_json(scratch / "facts.json", facts)


if __name__ == "__main__":
    _one_of_several(read_json(sys.argv[1]))
