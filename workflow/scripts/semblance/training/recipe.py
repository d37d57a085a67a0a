"""A stage's recipe: how long, how fast, with which optimizer and schedule."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer
from torch.optim.lr_scheduler import LRScheduler, MultiStepLR
from transformers import get_constant_schedule, get_linear_schedule_with_warmup

from semblance.training.steps import steps


@dataclass(frozen=True)
class Recipe:
    """By default AdamW with linear warm-up and decay, as in BERT's appendix A.3.

    ``optimizer: sgd`` is stochastic gradient descent with Nesterov momentum, its weight decay an L2 penalty
    on all parameters; ``adam`` is Adam with its usual betas and no weight decay (sn3d, section 4.3).
    ``schedule: milestones`` multiplies the rate by `gamma` after each epoch in `milestones`.
    """

    epochs: float
    batch_size: int
    learning_rate: float
    steps_per_epoch: int | None = None  # where an epoch is not one pass over the examples
    optimizer: Literal["adamw", "adam", "sgd"] = "adamw"
    momentum: float = 0.9  # of sgd
    weight_decay: float = 0.01
    max_grad_norm: float | None = 1.0  # None leaves gradients as they are
    schedule: Literal["linear", "constant", "milestones"] = "linear"
    warmup: float = 0.1  # share of all steps, of the linear schedule
    milestones: tuple[int, ...] = ()  # epochs, of the schedule of that name
    gamma: float = 0.1
    frozen_epochs: float = 0  # at the start, in which only the head is trained

    @classmethod
    def of(cls, stage: dict) -> Recipe:
        """The recipe among a stage's keys."""
        return cls(**{field.name: stage[field.name] for field in fields(cls) if field.name in stage})

    def steps(self, examples: int) -> tuple[int, int]:
        """Steps an epoch, and in all."""
        return steps(examples, self.batch_size, self.epochs, self.steps_per_epoch)

    def optimizer_of(self, module: nn.Module) -> Optimizer:
        parameters = [p for p in module.parameters() if p.requires_grad]
        if self.optimizer == "sgd":
            return _sgd(parameters, self.learning_rate, self.momentum, self.weight_decay)
        if self.optimizer == "adam":
            return Adam(parameters, lr=self.learning_rate, fused=True)
        # Weight decay on matrices only: not on biases nor on layer-normalisation gains.
        matrices, vectors = ([p for p in parameters if (p.ndim >= 2) == wanted] for wanted in (True, False))
        groups = [
            {"params": matrices, "weight_decay": self.weight_decay},
            {"params": vectors, "weight_decay": 0.0},
        ]
        return AdamW(groups, lr=self.learning_rate, fused=True)

    def schedule_of(self, optimizer: Optimizer, per_epoch: int, steps: int) -> LRScheduler:
        if self.schedule == "milestones":
            return MultiStepLR(optimizer, [epoch * per_epoch for epoch in self.milestones], self.gamma)
        if self.schedule == "constant":
            return get_constant_schedule(optimizer)
        return get_linear_schedule_with_warmup(optimizer, round(self.warmup * steps), steps)


def _sgd(parameters: list[nn.Parameter], learning_rate: float, momentum: float, weight_decay: float) -> SGD:
    found = SGD(parameters, learning_rate, momentum, weight_decay=weight_decay, nesterov=True, fused=True)
    # A fused step wants all momenta or none: those of an encoder that is frozen at first would come late.
    for weights in parameters:
        found.state[weights]["momentum_buffer"] = torch.zeros_like(weights)
    return found
