"""The training loop of all neural networks: pre-training of encoders, stages of runs, networks over one encoder."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

import numpy as np
from accelerate import Accelerator
from torch import Tensor, nn, no_grad
from torch.nn.utils import clip_grad_norm_

from semblance.curve import LOSS, Curve
from semblance.device import precision
from semblance.errors import UserError
from semblance.evaluation import metrics
from semblance.evaluation.watched import Watcher
from semblance.progress import bar
from semblance.specs.facts import StageFacts
from semblance.specs.recipe import Recipe
from semblance.training.batches import bucketed
from semblance.training.checkpoint import Checkpoint, Stateful, copy_of, restore, states_of
from semblance.training.gradient import Gradient
from semblance.training.optimizers import optimizer_of, schedule_of
from semblance.training.streams import RandomStates, Stream

LOSS_POINTS = 40  # points of the training-loss curve per stage


class Diverged(UserError):
    """A loss or the norm of a gradient is not finite.

    Attributes:
        found: what was found where; the message also has advice.
    """

    def __init__(self, found: str, advice: str):
        super().__init__(f"{found}: {advice}")
        self.found = found


class Trainable(Protocol):
    """A network and its training examples."""

    module: nn.Module
    encoder: nn.Module | None  # the part that a recipe can freeze at the start, if there is one; the rest is the head
    lengths: np.ndarray  # number of tokens of each example, for batches of similar length

    def batch(self, indices: np.ndarray) -> tuple[dict[str, Tensor], Tensor]:
        """Return the inputs and targets of some examples."""

    def forward(self, inputs: dict[str, Tensor]) -> Tensor | tuple[Tensor, ...]:
        """Return the output that the objective compares with the targets, in 32-bit floats."""


@dataclass(frozen=True)
class Selection:
    """How a stage selects the epoch whose weights it ends with.

    Attributes:
        metric: name of the selecting metric.
        evaluate: function that evaluates the networks with the given numbers after a step, the end of an epoch. It
            returns the scores of each by the name of their series in the curve. The first one selects.
    """

    metric: str
    evaluate: Callable[[Sequence[int], int, float], list[dict[str, float]]]


@dataclass
class Progress:
    """How far a network is in a stage: what a checkpoint keeps of it besides weights and random states.

    Attributes:
        steps: number of steps taken.
        learning: whether it is still trained.
        diverged: whether a loss or the norm of a gradient was not finite.
        recent: loss and terms of the penalty of each step since the last point of the curve.
        total: their sums over all steps.
        score: rank of the best epoch's score.
        epoch: the best epoch.
        weights: the state of the network after it.
        selecting: seconds that the selection of an epoch has taken.
    """

    steps: int = 0
    learning: bool = True
    diverged: bool = False
    recent: list[dict[str, float]] = field(default_factory=list)
    total: dict[str, float] = field(default_factory=dict)
    score: float = -math.inf
    epoch: float = 0.0
    weights: dict | None = None
    selecting: float = 0.0


class Learner:
    """One network in training, with all that it does not share with others that learn from the same batches.

    Args:
        task: the network and its training examples.
        objective: function from the network's output and the targets to the loss, a scalar.
        recipe: hyperparameters of the stage.
        stage: name of the stage, for the curve and messages.
        accelerator: device and precision.
        curve: the training curve.
        watch: scores rows during training.
        regularize: function from the task and the steps per epoch to a regularizer, see `semblance.regularizers`.
        divisible: whether the objective is a mean over examples, so that a batch that does not fit into memory can be
            computed in parts; see `training.gradient`.
        patience: epochs without a better dev score after which training stops; None never stops.
        may_diverge: whether a loss or the norm of a gradient that is not finite ends the stage instead of raising
            Diverged. All weights then become 0, so that the network scores all examples alike.
        stream: the network's own random stream; None uses the global generators.
    """

    def __init__(
        self,
        task: Trainable,
        objective: Callable,
        recipe: Recipe,
        *,
        stage: str,
        accelerator: Accelerator,
        curve: Curve,
        watch: Watcher | None = None,
        regularize: Callable | None = None,
        divisible: bool = False,
        patience: float | None = None,
        may_diverge: bool = False,
        stream: Stream | None = None,
    ):
        self.task, self.recipe, self.stage, self._curve, self._watch = task, recipe, stage, curve, watch
        self._precision, self._patience, self._stream = precision(accelerator), patience, stream
        self._may_diverge, self.progress = may_diverge, Progress()
        self.per_epoch, self.steps = recipe.steps(len(task.lengths))
        self._frozen = round(recipe.frozen_epochs * self.per_epoch)
        task.module.to(accelerator.device)
        self._optimizer = optimizer_of(recipe, task.module, task.encoder)
        self._schedule = schedule_of(recipe, self._optimizer, self.per_epoch, self.steps)
        self._regularizer = regularize(task, self.per_epoch) if regularize else None
        # A regularizer's perturbations of 1e-5 vanish in bf16.
        self._full_precision = recipe.precision == "fp32" or bool(regularize)
        self._gradient = Gradient(
            task,
            objective,
            self._regularizer,
            accelerator,
            stage,
            divisible=divisible,
            full_precision=self._full_precision,
            stream=stream,
        )

    def learn(self, indices: np.ndarray, step: int) -> None:
        """Take one training step, numbered from 1, on some examples."""
        try:
            self._learn(indices, step)
        except Diverged as problem:
            if not self._may_diverge:
                raise
            print(f"training ends with all weights set to 0: {problem.found}")
            self.progress.diverged, self.progress.learning = True, False
            self._optimizer.zero_grad()  # or the next stage would add to a gradient that is not finite

    def _learn(self, indices: np.ndarray, step: int) -> None:
        if self._frozen:
            self.task.encoder.requires_grad_(step > self._frozen)
        module, progress = self.task.module, self.progress
        loss = finite(self._gradient.add(indices), self.stage, step)
        values = {LOSS: loss, **self._gradient.terms}
        if self.recipe.max_grad_norm is not None:
            norm = clip_grad_norm_(module.parameters(), self.recipe.max_grad_norm)
            finite(norm, self.stage, step, "gradient")
        progress.recent.append(values)
        progress.total = {name: progress.total.get(name, 0.0) + value for name, value in values.items()}
        self._optimizer.step()
        self._schedule.step()
        self._optimizer.zero_grad()
        progress.steps = step
        if self._regularizer:
            self._regularizer.after()
        if step % max(1, self.steps // LOSS_POINTS) == 0:
            self._point(step, {name: float(np.mean([one[name] for one in progress.recent])) for name in values})
            progress.recent.clear()
        if self._watch and step % self._watch.every == 0:
            module.eval()
            self._watch.evaluate(step, step / self.per_epoch)
            module.train()

    def consider(self, scores: Mapping[str, float], metric: str, step: int, seconds: float) -> None:
        """Record scores, the first of which selects; keep the weights if it is the best; stop without patience.

        Args:
            scores: by series of the curve.
            metric: name of the selecting metric.
            step: number of steps taken.
            seconds: time that the evaluation took.
        """
        progress = self.progress
        progress.selecting += seconds
        self._point(step, scores)
        score, *_ = scores.values()
        epoch = step / self.per_epoch
        # Step 0 is only a point of the curve, because the result of a stage must be trained.
        rank = metrics.defined(metrics.rank(metric, score))
        if step > 0 and (progress.weights is None or rank > progress.score):
            progress.score, progress.epoch = rank, epoch
            progress.weights = copy_of(self.task.module.state_dict())
        progress.learning = self._patience is None or epoch - progress.epoch < self._patience

    def finish(self, metric: str | None) -> StageFacts:
        """Restore the weights of the selected epoch, if one is selected by a metric, and return facts of the stage."""
        if self._frozen:
            self.task.encoder.requires_grad_(True)
        if self._regularizer:
            self._regularizer.close()
        self.task.module.eval()
        computed, progress = "fp32" if self._full_precision else self._precision, self.progress
        facts: StageFacts = {
            "stage": self.stage,
            "examples": len(self.task.lengths),
            "steps": progress.steps,
            "precision": computed,
            "means": {name: value / progress.steps for name, value in progress.total.items()},
        }
        if self._gradient.pieces > 1:
            facts["batch_in_pieces"] = self._gradient.pieces
        if metric and not progress.diverged:
            self.task.module.load_state_dict(progress.weights)
        # The last step, or that before the selected evaluation, can break the weights without another loss.
        if progress.diverged or (self._may_diverge and not _is_finite(self.task.module)):
            _silence(self.task.module)
            facts["diverged_after_step"] = progress.steps
            progress.score, progress.epoch = -math.inf, 0.0
        if metric is None:
            return facts
        facts["selected_epoch"] = progress.epoch
        facts["selected_score"] = metrics.rank(metric, progress.score) if math.isfinite(progress.score) else None
        facts["selecting_seconds"] = round(progress.selecting, 1)
        return facts

    def state_dict(self) -> dict:
        return states_of(self._parts()) | {"progress": {**vars(self.progress)}}

    def load_state_dict(self, state: dict) -> None:
        restore(self._parts(), state)
        self.progress = Progress(**state["progress"])

    def _parts(self) -> dict[str, Stateful | None]:
        trained = {"module": self.task.module, "optimizer": self._optimizer, "schedule": self._schedule}
        others = {"gradient": self._gradient, "regularizer": self._regularizer}
        return trained | others | {"curve": self._curve, "stream": self._stream}

    def _point(self, step: int, values: Mapping[str, float]) -> None:
        for series, value in values.items():
            self._curve.add(self.stage, step / self.per_epoch, step, series, value)


def train(
    task: Trainable,
    objective: Callable,
    recipe: Recipe,
    *,
    seed: int,
    select: Selection | None = None,
    checkpoint: Checkpoint | None = None,
    **options,
) -> StageFacts:
    """Train one network in place for one stage and return its facts, see `Learner` and `train_together`.

    Args:
        task: the network and its training examples.
        objective: the loss; see `objectives`.
        recipe: length, optimizer and schedule.
        seed: seed of the order of batches.
        select: as in `train_together`.
        checkpoint: as in `train_together`.
        options: further arguments of `Learner`.
    """
    learner = Learner(task, objective, recipe, **options)
    [facts] = train_together([learner], seed=seed, select=select, checkpoint=checkpoint)
    return facts


def train_together(
    learners: Sequence[Learner],
    *,
    seed: int,
    select: Selection | None = None,
    checkpoint: Checkpoint | None = None,
) -> list[StageFacts]:
    """Train networks that learn from the same batches, in place for one stage.

    Args:
        learners: the networks. Their recipes have the same number of epochs and batch size.
        seed: seed of the order of batches.
        select: how to select an epoch. The networks are evaluated before the first step and after every epoch, and the
            weights of the best epoch are restored. None keeps the weights of the last step.
        checkpoint: state from which an interrupted stage resumes after its last saved step, with bit-identical results.

    Returns:
        Facts of the stage, for each network.

    Raises:
        UserError: if a batch does not fit into memory.
        Diverged: if a loss or the norm of a gradient is not finite, and the network may not diverge.
    """
    first = learners[0]
    steps, per_epoch = first.steps, first.per_epoch
    parts = {"random": RandomStates()} | {str(number): learner for number, learner in enumerate(learners)}
    done = 0
    if checkpoint and "step" in checkpoint.saved:
        done = checkpoint.saved["step"]
        restore(parts, checkpoint.saved)
    elif select:
        _evaluate(learners, select, 0)
    for learner in learners:
        learner.task.module.train()
    batches = islice(batches_of(first.task.lengths, first.recipe.batch_size, seed, steps, first.stage), done, None)
    for step, indices in enumerate(batches, start=done + 1):
        learning = [learner for learner in learners if learner.progress.learning]
        if not learning:
            break
        for learner in learning:
            learner.learn(indices, step)
        if select and (step % per_epoch == 0 or step == steps):
            _evaluate(learners, select, step)
        if checkpoint and checkpoint.due():
            checkpoint.save(step=step, **states_of(parts))
    return [learner.finish(select and select.metric) for learner in learners]


def _evaluate(learners: Sequence[Learner], select: Selection, step: int) -> None:
    """Evaluate the networks that are still learning."""
    numbers = [number for number, learner in enumerate(learners) if learner.progress.learning]
    if not numbers:
        return
    for number in numbers:
        learners[number].task.module.eval()
    started = time.monotonic()
    evaluated = select.evaluate(numbers, step, step / learners[0].per_epoch)
    seconds = (time.monotonic() - started) / len(numbers)
    for number, scores in zip(numbers, evaluated, strict=True):
        learners[number].consider(scores, select.metric, step, seconds)
        learners[number].task.module.train()


def batches_of(lengths: np.ndarray, batch_size: int, seed: int, steps: int, stage: str) -> Iterator[np.ndarray]:
    """Yield the indices of the examples of each step, over as many epochs as needed, with a progress bar.

    Args:
        lengths: number of tokens of each example, shape (n,).
        batch_size: examples per step.
        seed: seed of the order.
        steps: number of steps.
        stage: name of the stage, for the progress bar.
    """
    if not len(lengths):
        raise UserError(f"stage {stage!r} has no training examples: give its dataset more rows")
    rng = np.random.default_rng(seed)
    with bar(total=steps, what=stage, unit="step") as shown:
        done = 0
        while done < steps:
            for indices in bucketed(lengths, batch_size, rng)[: steps - done]:
                yield indices
                shown.update()
                done += 1


def finite(measured: Tensor, stage: str, step: int, what: str = "loss") -> float:
    """Return a measurement as a number.

    Args:
        measured: a loss or the norm of a gradient, shape ().
        stage: name of the stage, for messages.
        step: the step, from 1.
        what: what is measured, for messages.

    Raises:
        Diverged: if it is not finite.
    """
    value = measured.item()
    if not math.isfinite(value):
        raise Diverged(
            f"the {what} of stage {stage!r} became {value} at step {step}",
            "lower its learning_rate in the paper's YAML, or set precision: fp32 in config/config.yaml; "
            "or, where that is the finding, say `may_collapse: true`",
        )
    return value


@no_grad()
def _silence(module: nn.Module) -> None:
    """Set all weights to 0, and the running means of batch normalisation."""
    for state in module.state_dict().values():
        state.zero_()


def _is_finite(module: nn.Module) -> bool:
    return all(bool(state.isfinite().all()) for state in module.state_dict().values())
