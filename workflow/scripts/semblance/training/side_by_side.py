"""Training of a group of runs over one frozen encoder, which encodes each batch once for all networks.

Each network has its own optimizer, schedule, random stream, early stopping and curve. It ends with the same weights as
if it were trained alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from torch import Tensor, nn

from semblance import memory, objectives
from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation import metrics
from semblance.models.siamese_3d import Model, probabilities, scores
from semblance.models.siamese_3d.frozen import Encoder, PairTokens, States
from semblance.models.siamese_3d.network import parameters
from semblance.specs.recipe import Recipe
from semblance.training import device
from semblance.training.checkpoint import Checkpoint, Stateful, copy_of, restore, states_of
from semblance.training.curve import Curve
from semblance.training.engine import LOSS_POINTS, batches_of, finite
from semblance.training.learning import Learning
from semblance.training.optimizers import optimizer_of, schedule_of


def train_runs(
    specs: Sequence[Mapping],
    seed: int,
    encoder_folder: Path,
    data: Mapping[str, Path],
    computing: Mapping,
    made_by: Sequence[Mapping],
    folders: Sequence[Path],
    curves: Sequence[Path],
    learning: Sequence[Path],
    checkpoint: Checkpoint,
) -> list[dict]:
    """Build, train and save runs that share encoder, corpus and recipe.

    Args:
        specs: description of each run.
        seed: seed of all random choices.
        encoder_folder: folder of the frozen encoder.
        data: files of prepared splits by name, e.g. ``qqp/train``.
        computing: device, precision and threads.
        made_by: provenance of each run, which its predictions carry.
        folders: destination of each network.
        curves: file for each training curve.
        learning: folder for each run's predictions that show whether it learned.
        checkpoint: state from which interrupted training resumes.

    Returns:
        The facts of each run.

    Raises:
        UserError: if a loss or the norm of a gradient is not finite.
    """
    accelerated = device.accelerator(**computing, seed=seed)
    encoder = Encoder(encoder_folder, accelerated.device.type)
    [stage] = specs[0]["stages"]
    recipe, max_length = Recipe.of(stage), specs[0]["model"]["max_length"]
    train, dev = (rows.read(data[name]) for name in (f"{stage['on']}/train", stage["select"]["on"]))
    train.require_every_class(f"{stage['on']}/train")
    tokens, looks = (PairTokens(encoder.tokenizer, pairs, max_length) for pairs in (train, dev))
    targets = torch.tensor(train.targets, dtype=torch.float32)
    per_epoch, steps = recipe.steps(len(train))
    arms = [Arm(spec, seed, encoder, Curve(curve), per_epoch, steps) for spec, curve in zip(specs, curves)]
    learned = Learning([spec.get("own_task") for spec in specs], data, made_by, learning)
    learned.before(lambda pairs: _scores(arms, encoder, pairs, max_length))
    memory.reset()
    started = time.monotonic()
    dtype = torch.bfloat16 if accelerated.mixed_precision == "bf16" else torch.float32
    parts = {str(number): arm for number, arm in enumerate(arms)}
    done, earlier = checkpoint.found.get("step", 0), checkpoint.found.get("seconds", 0.0)
    if done:
        restore(parts, checkpoint.found)
    else:
        _look(arms, encoder, looks, dev, 0)
    batches = batches_of(tokens.lengths, recipe.batch_size, seed, steps, stage["on"])
    for step, indices in enumerate(islice(batches, done, None), start=done + 1):
        learning = [arm for arm in arms if arm.learning]
        if not learning:
            break
        with accelerated.autocast():
            states = encoder.states(tokens.batch(indices), dtype)
        wanted = targets[indices].to(accelerated.device)
        for arm in learning:
            arm.learn(states, wanted, step, accelerated)
        if step % per_epoch == 0 or step == steps:
            _look(learning, encoder, looks, dev, step)
        if checkpoint.due():
            checkpoint.save(step=step, seconds=earlier + time.monotonic() - started, **states_of(parts))
    for arm, folder in zip(arms, folders):
        arm.finish(folder)
    seconds = earlier + time.monotonic() - started
    peak = memory.peak_mb()
    learned.after(lambda pairs: _scores(arms, encoder, pairs, max_length))
    shared = {
        "trained_beside": len(arms) - 1,
        "seconds": round(seconds, 3),
        "peak_memory_mb": peak,
        **device.describe(accelerated),
    }
    return [arm.facts(len(train)) | {"spec": spec, "seed": seed} | shared for arm, spec in zip(arms, specs)]


class Arm:
    """One network, with the parts of training that it does not share with the group."""

    def __init__(self, spec: Mapping, seed: int, encoder: Encoder, curve: Curve, per_epoch: int, steps: int):
        [stage] = spec["stages"]
        self._stage, self._curve, self._per_epoch, self._steps = stage, curve, per_epoch, steps
        self._stream = Stream(seed)
        with self._stream:
            self.model = Model.fresh(spec["model"], encoder)
        self._objective = objectives.named(stage["objective"])
        self._recipe = Recipe.of(stage)
        self._optimizer = optimizer_of(self._recipe, self.model.network)
        self._schedule = schedule_of(self._recipe, self._optimizer, per_epoch, steps)
        self._losses: list[float] = []
        self._best: tuple[float, float, dict] = (-1.0, 0.0, {})  # dev accuracy, epoch, weights
        self.learning, self._stopped = True, steps

    def learn(self, states: States, targets: Tensor, step: int, accelerated: Accelerator) -> None:
        """Take one training step.

        Args:
            states: the encoder's states of the batch.
            targets: targets of the batch.
            step: number of the step, from 1.
            accelerated: the Accelerator, which sets the precision.
        """
        network = self.model.network
        network.train()
        with self._stream, accelerated.autocast():
            logits = network(*states)
        loss = self._objective(logits.float(), targets)
        self._losses.append(finite(loss, self._stage["on"], step))
        loss.backward()
        if self._recipe.max_grad_norm is not None:
            norm = nn.utils.clip_grad_norm_(network.parameters(), self._recipe.max_grad_norm)
            finite(norm, self._stage["on"], step, "gradient")
        self._optimizer.step()
        self._schedule.step()
        self._optimizer.zero_grad()
        if step % max(1, self._steps // LOSS_POINTS) == 0:
            self._curve.add(self._name, step / self._per_epoch, step, "loss", float(np.mean(self._losses)))
            self._losses.clear()

    def look(self, accuracy: float, step: int) -> None:
        """Record a dev accuracy, keep the weights if it exceeds all before, and stop when `patience` is used up."""
        epoch = step / self._per_epoch
        self._curve.add(self._name, epoch, step, "dev accuracy", accuracy)
        # Step 0 is only a point of the curve.
        if step and accuracy > self._best[0]:
            self._best = (accuracy, epoch, copy_of(self.model.network.state_dict()))
        if epoch - self._best[1] >= self._stage["select"].get("patience", math.inf):
            self.learning, self._stopped = False, step

    def state_dict(self) -> dict:
        own = {"losses": self._losses, "best": self._best, "learning": self.learning, "stopped": self._stopped}
        return states_of(self._parts()) | own

    def load_state_dict(self, state: dict) -> None:
        restore(self._parts(), state)
        self._losses, self._best = state["losses"], state["best"]
        self.learning, self._stopped = state["learning"], state["stopped"]

    def _parts(self) -> dict[str, Stateful]:
        learnt = {"network": self.model.network, "optimizer": self._optimizer, "schedule": self._schedule}
        return learnt | {"stream": self._stream, "curve": self._curve}

    def finish(self, folder: Path) -> None:
        """Save the network with the weights of the best epoch."""
        self._curve.close()
        self.model.network.load_state_dict(self._best[2])
        self.model.save(folder)

    def facts(self, examples: int) -> dict:
        accuracy, epoch, _ = self._best
        stage = {"stage": self._name, "examples": examples, "steps": self._stopped}
        stage |= {"selected_epoch": epoch, "dev_accuracy": accuracy}
        return {"parameters": parameters(self.model.network), "stages": [stage]}

    @property
    def _name(self) -> str:
        return f"1. {self._stage['on']}"


class Stream:
    """Context with its own state of torch's random generators, which continues at each entry."""

    def __init__(self, seed: int):
        self._devices = [torch.cuda.current_device()] if torch.cuda.is_available() else []
        with torch.random.fork_rng(self._devices):
            torch.manual_seed(seed)
            self._state = self._now()

    def state_dict(self) -> dict:
        return {"now": self._state}

    def load_state_dict(self, state: dict) -> None:
        self._state = state["now"]

    def __enter__(self) -> None:
        self._outside = self._now()
        self._set(self._state)

    def __exit__(self, *problem) -> None:
        self._state = self._now()
        self._set(self._outside)

    def _now(self) -> tuple[Tensor, ...]:
        return torch.get_rng_state(), *map(torch.cuda.get_rng_state, self._devices)

    def _set(self, state: tuple[Tensor, ...]) -> None:
        torch.set_rng_state(state[0])
        for where, kept in zip(self._devices, state[1:]):
            torch.cuda.set_rng_state(kept, where)


def _scores(arms: Sequence[Arm], encoder: Encoder, pairs: Pairs, max_length: int) -> list[np.ndarray]:
    """Return each network's scores of labelled pairs."""
    for arm in arms:
        arm.model.network.eval()
    tokens = PairTokens(encoder.tokenizer, pairs, max_length)
    return [scores(found, pairs.kind) for found in probabilities([arm.model for arm in arms], encoder, tokens)]


def _look(arms: Sequence[Arm], encoder: Encoder, tokens: PairTokens, dev: Pairs, step: int) -> None:
    for arm in arms:
        arm.model.network.eval()
    for arm, found in zip(arms, probabilities([arm.model for arm in arms], encoder, tokens)):
        arm.look(float(metrics.compute("class-accuracy", dev.targets, found.argmax(1))), step)
