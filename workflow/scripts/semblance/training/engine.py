"""Training: the loop every neural run goes through, from a tiny encoder's pre-training to BERT's stages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list
from torch import Tensor, nn

from semblance.errors import UserError
from semblance.progress import bar
from semblance.specs.recipe import Recipe
from semblance.training.batches import bucketed
from semblance.training.checkpoint import Checkpoint, RandomStates, Stateful, copy_of, restore, states_of
from semblance.training.curve import Curve
from semblance.training.device import precision
from semblance.training.gradient import Gradient
from semblance.training.optimizers import optimizer_of, schedule_of

LOSS_POINTS = 40  # points of the training-loss curve a stage


class Trainable(Protocol):
    """What the engine trains on: a network, and the batches made of a corpus for it."""

    module: nn.Module
    encoder: nn.Module  # the part that a recipe may freeze at first; the rest is the head
    lengths: np.ndarray  # tokens of each example, by which batches are bucketed

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], Tensor]:
        """Inputs and targets of some examples."""

    def forward(self, inputs: dict[str, Tensor]) -> Tensor | tuple[Tensor, Tensor]:
        """What the objective compares with the targets, in 32-bit floats."""


@dataclass(frozen=True)
class Selection:
    """Which epoch's weights a stage ends with: the best of `score()`, higher being better.

    `shown` are scores that only the curve shows beside it, by the name of their series.
    """

    metric: str
    score: Callable[[], float]
    shown: Mapping[str, Callable[[], float]] = field(default_factory=dict)


class Watch(Stateful, Protocol):
    """Evaluates the network every so many steps, without an effect on training."""

    every: int

    def evaluate(self, step: int, epoch: float) -> None:
        """Called after step `step`, the network in evaluation mode."""


class Regularizer(Stateful, Protocol):
    """Adds to the loss of every step; see `semblance.regularizers`."""

    def before(self) -> None: ...
    def penalty(self, inputs: dict[str, Tensor], output: Tensor) -> Tensor: ...
    def after(self) -> None: ...
    def terms(self) -> dict[str, float]: ...
    def close(self) -> None: ...


def train(
    task: Trainable,
    objective: Callable,
    recipe: Recipe,
    *,
    seed: int,
    stage: str,
    accelerator: Accelerator,
    curve: Curve,
    select: Selection | None = None,
    watch: Watch | None = None,
    regularize: Callable[[Trainable, int], Regularizer] | None = None,
    checkpoint: Checkpoint | None = None,
    divisible: bool = False,
) -> dict:
    """Train `task.module` in place and return the facts of the stage.

    With `select`, the dev score is taken before the first step and after every epoch, and the best
    epoch's weights are kept; without it the last step's are. `watch` scores a split on the way. `regularize` makes the
    stage's regulariser of the task and its steps an epoch; what it adds is computed in 32-bit floats.
    A batch that does not fit is computed in pieces where the objective is `divisible`; see `training.gradient`.
    From `checkpoint` a stage that was cut short goes on after its last saved step, as if nothing had happened.
    Raises UserError when the loss stops being a finite number.
    """
    per_epoch, steps = recipe.steps(len(task.lengths))
    frozen = round(recipe.frozen_epochs * per_epoch)
    optimizer = optimizer_of(recipe, task.module)
    schedule = schedule_of(recipe, optimizer, per_epoch, steps)
    task.module = accelerator.prepare_model(task.module, evaluation_mode=True)  # `Gradient` adds processes up
    optimizer, schedule = accelerator.prepare(optimizer, schedule)
    if accelerator.num_processes > 1:
        _require_shares(accelerator, stage, divisible and not regularize)
        torch.manual_seed(seed + 1000 * accelerator.process_index)  # each has other examples, and dropout of its own

    if regularize:
        # Its shifts of 1e-5 are nothing to bf16, which a prepared module would go on computing in.
        task.module = accelerator.unwrap_model(task.module, keep_fp32_wrapper=False)
    regularizer = regularize(task, per_epoch) if regularize else None

    gradient = Gradient(task, objective, regularizer, accelerator, stage, divisible=divisible)
    best = _Best(task, select, stage, curve)
    parts = {"module": task.module, "optimizer": optimizer, "schedule": schedule, "best": best, "watch": watch}
    parts |= {"gradient": gradient, "regularizer": regularizer, "curve": curve, "random": RandomStates()}
    done, recent = 0, []
    if checkpoint and "step" in checkpoint.found:
        done, recent = checkpoint.found["step"], checkpoint.found["recent"]
        restore(parts, checkpoint.found)
    else:
        best.consider(0, 0)
    task.module.train()
    batches = islice(batches_of(task.lengths, recipe.batch_size, seed, steps, stage), done, None)
    for step, indices in enumerate(batches, start=done + 1):
        if frozen and step in (done + 1, frozen + 1):
            task.encoder.requires_grad_(step > frozen)
        recent.append(finite(gradient.add(indices), stage, step))
        if recipe.max_grad_norm is not None:
            norm = accelerator.clip_grad_norm_(task.module.parameters(), recipe.max_grad_norm)
            finite(norm, stage, step, "gradient")
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if regularizer:
            regularizer.after()
        if step % max(1, steps // LOSS_POINTS) == 0:
            curve.add(stage, step / per_epoch, step, "loss", float(np.mean(recent)))
            recent.clear()
            for series, value in regularizer.terms().items() if regularizer else ():
                curve.add(stage, step / per_epoch, step, series, value)
        if watch and step % watch.every == 0:
            task.module.eval()
            watch.evaluate(step, step / per_epoch)
            task.module.train()
        if step % per_epoch == 0 or step == steps:
            best.consider(step / per_epoch, step)
            task.module.train()
        if checkpoint and checkpoint.due():
            checkpoint.save(step=step, recent=recent, **states_of(parts))
    if frozen:
        task.encoder.requires_grad_(True)
    if regularizer:
        regularizer.close()
    task.module = accelerator.unwrap_model(task.module, keep_fp32_wrapper=False)
    accelerator.free_memory()
    computed = "fp32" if regularizer else precision(accelerator)
    facts = {"stage": stage, "examples": len(task.lengths), "steps": steps, "precision": computed}
    return facts | ({"batch_in_pieces": gradient.pieces} if gradient.pieces > 1 else {}) | best.restore()


def _require_shares(accelerator: Accelerator, stage: str, can_be_shared: bool) -> None:
    if not can_be_shared:
        raise UserError(
            f"stage {stage!r} cannot be shared out among {accelerator.num_processes} processes: train it in one"
        )


class _Best:
    """Remembers the weights that scored best on dev."""

    def __init__(self, task: Trainable, select: Selection | None, stage: str, curve: Curve):
        self.task, self.select, self.stage, self.curve = task, select, stage, curve
        self.score, self.epoch, self.weights = -math.inf, None, None

    def consider(self, epoch: float, step: int) -> None:
        if self.select is None:
            return
        self.task.module.eval()
        # Every process scores; all have to choose the same epoch.
        [score] = broadcast_object_list([self.select.score()])
        self.curve.add(self.stage, epoch, step, f"dev {self.select.metric}", score)
        for series, shown in self.select.shown.items():
            self.curve.add(self.stage, epoch, step, series, shown())
        # Step 0 is a point of the curve, never a candidate: a stage that trains must end trained.
        # An undefined score, such as the correlation of a constant, loses to any other.
        rank = -math.inf if math.isnan(score) else score
        if step > 0 and (self.weights is None or rank > self.score):
            self.score, self.epoch = rank, epoch
            self.weights = copy_of(self.task.module.state_dict())

    def state_dict(self) -> dict:
        return {"score": self.score, "epoch": self.epoch, "weights": self.weights}

    def load_state_dict(self, state: dict) -> None:
        self.score, self.epoch, self.weights = state["score"], state["epoch"], state["weights"]

    def restore(self) -> dict:
        self.task.module.eval()
        if self.select is None:
            return {}
        self.task.module.load_state_dict(self.weights)
        defined = self.score if math.isfinite(self.score) else None
        return {"selected_epoch": self.epoch, f"dev_{self.select.metric}": defined}


def batches_of(lengths: np.ndarray, batch_size: int, seed: int, steps: int, stage: str) -> Iterator[np.ndarray]:
    """The examples of every step, pass after pass over all of them, with a progress bar."""
    rng = np.random.default_rng(seed)
    with bar(total=steps, what=stage, unit="step") as shown:
        done = 0
        while done < steps:
            for indices in bucketed(lengths, batch_size, rng)[: steps - done]:
                yield indices
                shown.update()
                done += 1


def finite(measured: Tensor, stage: str, step: int, what: str = "loss") -> float:
    """A loss, or a gradient's norm, as a number. Raises UserError when it is not a finite one."""
    value = measured.item()
    if not math.isfinite(value):
        raise UserError(
            f"the {what} of stage {stage!r} became {value} at step {step}: "
            "lower its learning_rate in the paper's YAML, or set precision: fp32 in config/config.yaml"
        )
    return value
