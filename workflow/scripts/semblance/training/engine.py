"""The training loop of all neural networks, for the pre-training of encoders and for the stages of runs."""

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

LOSS_POINTS = 40  # points of the training-loss curve per stage


class Trainable(Protocol):
    """A network and its training examples."""

    module: nn.Module
    encoder: nn.Module  # the part that a recipe can freeze at the start; the rest is the head
    lengths: np.ndarray  # number of tokens of each example, for batches of similar length

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], Tensor]:
        """Return the inputs and targets of some examples."""

    def forward(self, inputs: dict[str, Tensor]) -> Tensor | tuple[Tensor, Tensor]:
        """Return the output that the objective compares with the targets, in 32-bit floats."""


@dataclass(frozen=True)
class Selection:
    """How a stage selects the epoch whose weights it ends with.

    Attributes:
        metric: name of the selecting metric.
        score: function that evaluates the network; higher is better.
        shown: other scores for the curve, by the name of their series.
    """

    metric: str
    score: Callable[[], float]
    shown: Mapping[str, Callable[[], float]] = field(default_factory=dict)


class Watch(Stateful, Protocol):
    """Evaluates the network every `every` steps, without an effect on training."""

    every: int

    def evaluate(self, step: int, epoch: float) -> None:
        """Evaluate the network, which is in evaluation mode, after a step."""


class Regularizer(Stateful, Protocol):
    """A penalty added to the loss of every step; see `semblance.regularizers`."""

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
    """Train `task.module` in place for one stage.

    Args:
        task: the network and its training examples.
        objective: function from the network's output and the targets to the loss, a scalar.
        recipe: hyperparameters of the stage.
        seed: seed of the order of batches.
        stage: name of the stage, for the curve and messages.
        accelerator: device, precision and processes.
        curve: the training curve.
        select: how to select an epoch. It is evaluated before the first step and after every epoch, and the weights of
            the best epoch are restored. None keeps the weights of the last step.
        watch: evaluations during training.
        regularize: function from the task and the steps per epoch to a regularizer. A regularized stage is computed in
            fp32.
        checkpoint: state from which an interrupted stage resumes after its last saved step, with bit-identical results.
        divisible: whether the objective is a mean over examples, so that a batch that does not fit into memory can be
            computed in parts; see `training.gradient`.

    Returns:
        Facts of the stage.

    Raises:
        UserError: if the loss or the norm of the gradient is not finite, if a batch does not fit into memory, or if
            several processes cannot share the stage.
    """
    per_epoch, steps = recipe.steps(len(task.lengths))
    frozen = round(recipe.frozen_epochs * per_epoch)
    optimizer = optimizer_of(recipe, task.module)
    schedule = schedule_of(recipe, optimizer, per_epoch, steps)
    task.module = accelerator.prepare_model(task.module, evaluation_mode=True)  # no DDP; see `Gradient`
    optimizer, schedule = accelerator.prepare(optimizer, schedule)
    if accelerator.num_processes > 1:
        _require_shares(accelerator, stage, divisible and not regularize)
        torch.manual_seed(seed + 1000 * accelerator.process_index)  # different dropout in each process

    if regularize:
        # Removes autocast, because the regularizer's perturbations of 1e-5 vanish in bf16.
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
    """The weights with the best dev score."""

    def __init__(self, task: Trainable, select: Selection | None, stage: str, curve: Curve):
        self.task, self.select, self.stage, self.curve = task, select, stage, curve
        self.score, self.epoch, self.weights = -math.inf, None, None

    def consider(self, epoch: float, step: int) -> None:
        if self.select is None:
            return
        self.task.module.eval()
        # All processes compute the score. They use that of the first one, so that they select the same epoch.
        [score] = broadcast_object_list([self.select.score()])
        self.curve.add(self.stage, epoch, step, f"dev {self.select.metric}", score)
        for series, shown in self.select.shown.items():
            self.curve.add(self.stage, epoch, step, series, shown())
        # Step 0 is only a point of the curve, because the result of a stage must be trained.
        # An undefined score, such as the correlation of a constant, ranks last.
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
    """Yield the indices of the examples of each step, over as many epochs as needed, with a progress bar."""
    rng = np.random.default_rng(seed)
    with bar(total=steps, what=stage, unit="step") as shown:
        done = 0
        while done < steps:
            for indices in bucketed(lengths, batch_size, rng)[: steps - done]:
                yield indices
                shown.update()
                done += 1


def finite(measured: Tensor, stage: str, step: int, what: str = "loss") -> float:
    """Return a loss or the norm of a gradient as a number; raise UserError if it is not finite."""
    value = measured.item()
    if not math.isfinite(value):
        raise UserError(
            f"the {what} of stage {stage!r} became {value} at step {step}: "
            "lower its learning_rate in the paper's YAML, or set precision: fp32 in config/config.yaml"
        )
    return value
