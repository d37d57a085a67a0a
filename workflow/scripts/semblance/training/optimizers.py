"""The optimizers and learning-rate schedules of `semblance.specs.recipe.Recipe`."""

import torch
from torch import nn
from torch.optim import SGD, Adam, AdamW, Optimizer
from torch.optim.lr_scheduler import LRScheduler, MultiStepLR
from transformers import get_constant_schedule, get_linear_schedule_with_warmup

from semblance.specs.recipe import Recipe


def optimizer_of(recipe: Recipe, module: nn.Module, encoder: nn.Module | None = None) -> Optimizer:
    """Return the recipe's optimizer of a module's trainable parameters.

    Args:
        recipe: optimizer, learning rate, momentum, weight decay, and what is decayed.
        module: the model.
        encoder: the part of the model that is not its head; None if there is none.
    """
    parameters = [p for p in module.parameters() if p.requires_grad]
    if recipe.optimizer == "sgd":
        return _sgd(recipe, parameters, encoder)
    if recipe.optimizer == "adam":
        return Adam(parameters, lr=recipe.learning_rate, eps=recipe.epsilon, fused=True)
    # Weight decay on matrices only, not on biases and the gains of layer normalization.
    matrices, vectors = ([p for p in parameters if (p.ndim >= 2) == wanted] for wanted in (True, False))
    groups = [
        {"params": matrices, "weight_decay": recipe.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return AdamW(groups, lr=recipe.learning_rate, eps=recipe.epsilon, fused=True)


def schedule_of(recipe: Recipe, optimizer: Optimizer, per_epoch: int, steps: int) -> LRScheduler:
    """Return a recipe's learning-rate schedule.

    Args:
        recipe: the recipe.
        optimizer: the optimizer whose rate changes.
        per_epoch: number of steps per epoch.
        steps: number of all steps.
    """
    if recipe.schedule == "milestones":
        return MultiStepLR(optimizer, [epoch * per_epoch for epoch in recipe.milestones], recipe.gamma)
    if recipe.schedule == "constant":
        return get_constant_schedule(optimizer)
    return get_linear_schedule_with_warmup(optimizer, recipe.warmup_steps(steps), steps)


def _sgd(recipe: Recipe, parameters: list[nn.Parameter], encoder: nn.Module | None) -> SGD:
    groups: list = [{"params": parameters}]
    if recipe.decayed == "head" and encoder is not None:
        body = {id(p) for p in encoder.parameters()}
        inside, head = ([p for p in parameters if (id(p) in body) == wanted] for wanted in (True, False))
        groups = [{"params": head}, {"params": inside, "weight_decay": 0.0}]
    found = SGD(
        groups,
        recipe.learning_rate,
        recipe.momentum,
        weight_decay=recipe.weight_decay,
        nesterov=True,
        fused=True,
    )
    # A fused step needs the momenta of all parameters or of none. Those of a frozen encoder would be missing at first.
    for weights in parameters:
        found.state[weights]["momentum_buffer"] = torch.zeros_like(weights)
    return found
