"""How a stage is trained: its length, optimizer and learning-rate schedule."""

import math
from dataclasses import dataclass, fields
from typing import Literal


@dataclass(frozen=True)
class Recipe:
    """The hyperparameters of a stage's optimization.

    The defaults are BERT's fine-tuning (Devlin et al. 2019, appendix A.3): AdamW, linear warm-up and decay.

    Attributes:
        epochs: length; a fraction of an epoch is allowed.
        batch_size: examples per step.
        learning_rate: peak learning rate.
        steps_per_epoch: length of an epoch in steps, if it is not one pass over the examples.
        optimizer: ``adamw`` decays matrices only; ``adam`` has no weight decay (sn3d, section 4.3); ``sgd`` has
            Nesterov momentum and an L2 penalty (metric, section 4.1).
        epsilon: the ε of Adam and AdamW.
        momentum: momentum of SGD.
        weight_decay: weight decay of AdamW, or L2 penalty of SGD.
        decayed: what SGD's penalty applies to: all parameters, or only the head's.
        max_grad_norm: norm to which gradients are clipped; None does not clip.
        schedule: ``linear`` warms up and decays to 0, ``constant`` does neither, ``milestones`` multiplies the rate by
            `gamma` after each of the epochs in `milestones`.
        warmup: warm-up of the linear schedule, as a share of all steps.
        milestones: epochs, for the schedule of that name.
        gamma: factor, for the same schedule.
        frozen_epochs: epochs at the start in which only the head is trained.
        precision: ``fp32`` computes in 32-bit floats on every machine, as regularized stages do, so that a stage can be
            compared with them; None is the precision of the settings.
    """

    epochs: float
    batch_size: int
    learning_rate: float
    steps_per_epoch: int | None = None
    optimizer: Literal["adamw", "adam", "sgd"] = "adamw"
    epsilon: float = 1e-8
    momentum: float = 0.9
    weight_decay: float = 0.01
    decayed: Literal["all", "head"] = "all"
    max_grad_norm: float | None = 1.0
    schedule: Literal["linear", "constant", "milestones"] = "linear"
    warmup: float = 0.1
    milestones: tuple[int, ...] = ()
    gamma: float = 0.1
    frozen_epochs: float = 0
    precision: Literal["fp32"] | None = None

    def steps(self, examples: int) -> tuple[int, int]:
        """Return the number of steps per epoch and in total, for a number of training examples."""
        per_epoch = self.steps_per_epoch or math.ceil(examples / self.batch_size)
        return per_epoch, max(1, round(per_epoch * self.epochs))

    def warmup_steps(self, steps: int) -> int:
        return round(self.warmup * steps) if self.schedule == "linear" else 0

    def used(self) -> tuple[str, ...]:
        """Return the names of the fields that have an effect with this optimizer and schedule."""
        without = {
            "adamw": {"momentum", "decayed"},
            "adam": {"momentum", "weight_decay", "decayed"},
            "sgd": {"epsilon"},
        }[self.optimizer]
        without |= {
            "linear": {"milestones", "gamma"},
            "constant": {"warmup", "milestones", "gamma"},
            "milestones": {"warmup"},
        }[self.schedule]
        return tuple(field.name for field in fields(self) if field.name not in without)
