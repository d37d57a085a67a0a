"""SMART: smoothness under small input shifts, and proximity to an average of earlier weights (smart, section 3.1).

Let f(x; θ) be the model's output for token embeddings x, and ℓ_s a symmetric divergence of outputs (Kullback-Leibler
for classes, squared difference for scores). SMART adds to the loss of a stage:

    λ · mean_i max_{‖x̃_i - x_i‖∞ ≤ ε} ℓ_s(f(x̃_i; θ), f(x_i; θ))  +  μ · mean_i ℓ_s(f(x_i; θ), f(x_i; θ̃))

The search for the maximum starts from Gaussian noise and takes `ascents` gradient steps (Jiang et al. 2020, algorithm
1). θ̃ is an exponential moving average of the weights, as the thesis calls it. A step costs as much as 9 forward
passes, compared with 3 without SMART: 4 forward passes (clean, noisy, shifted, averaged weights), 1 for the backward
pass to the noise only, and 4 for the backward pass from the clean and the shifted output to the weights. A term whose
factor is 0 is not computed.

`Smart` follows the equations, and `Literal` the formula of θ̃ to the letter. `Listing` follows the code of the thesis
(listings A.1 to A.4), and `Reference` the published codes of SMART, where they differ.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from semblance.curve import PENALTY, PROXIMITY, SMOOTHNESS
from semblance.errors import UserError
from semblance.specs.regularizers import SmartSpec
from semblance.training.streams import random_states, set_random_states

TINY = 1e-30  # avoids division by zero if a gradient is zero everywhere


def categorical(a: Tensor, b: Tensor) -> Tensor:
    """Return the term of each class in D_KL(P‖Q) + D_KL(Q‖P), for logits of shape (n, classes).

    The form (p - q)(log p - log q) keeps its precision if the distributions are almost equal.
    """
    return (a.softmax(-1) - b.softmax(-1)) * (a.log_softmax(-1) - b.log_softmax(-1))


def bernoulli(a: Tensor, b: Tensor) -> Tensor:
    """Return the terms of `categorical` for one logit per example: (n,) to (n, 2)."""
    shift, logs = a.sigmoid() - b.sigmoid(), F.logsigmoid(torch.stack([a, -a, b, -b]))
    return torch.stack([shift * (logs[0] - logs[2]), -shift * (logs[1] - logs[3])], dim=-1)


def squared(a: Tensor, b: Tensor) -> Tensor:
    """Return the squared differences of scores: (n,) to (n, 1)."""
    return (a - b).square().unsqueeze(-1)


def squared_of_sigmoids(a: Tensor, b: Tensor) -> Tensor:
    """Return the squared differences of the sigmoids of logits: (n,) to (n, 1)."""
    return squared(a.sigmoid(), b.sigmoid())


DIVERGENCES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {  # by objective
    "binary-cross-entropy": bernoulli,
    "cross-entropy": categorical,
    "score-squared-error": squared,
    "mean-squared-error": squared_of_sigmoids,
}


def halves(a: Tensor, b: Tensor) -> Tensor:
    """Return the terms of `categorical`, with a gradient that holds the target of each half fixed.

    D_KL(Q‖P) then has the gradient p - q at the logits of P, and D_KL(P‖Q) its negative at those of Q.
    """
    logs = a.log_softmax(-1), b.log_softmax(-1)
    p, q = (one.detach().exp() for one in logs)
    return p * (logs[0].detach() - logs[1]) + q * (logs[1].detach() - logs[0])


def halves_of_logits(a: Tensor, b: Tensor) -> Tensor:
    """Return the terms of `halves` for one logit per example: (n,) to (n, 2)."""
    return halves(*(torch.stack([one, torch.zeros_like(one)], dim=-1) for one in (a, b)))


HALVES = {"binary-cross-entropy": halves_of_logits, "cross-entropy": halves}


def regularizer(spec: SmartSpec, task, objective: str, per_epoch: int, seed: int) -> Smart:
    """Return the regulariser of a stage.

    Args:
        spec: its options.
        task: the engine's `Trainable`.
        objective: name of the stage's objective, a key of `DIVERGENCES`.
        per_epoch: number of steps per epoch.
        seed: seed of the noise.
    """
    return VARIANTS[spec.variant](spec, task, objective, per_epoch, seed)


class Smart:
    """The regulariser of one stage, by the equations: f is one function, so all passes of a step share their dropout.

    Args:
        spec: its options.
        task: the engine's `Trainable`.
        objective: name of the stage's objective, a key of `DIVERGENCES`.
        per_epoch: number of steps per epoch.
        seed: seed of the noise.
    """

    shares_dropout = True  # whether all passes of a step draw the clean pass's dropout

    def __init__(self, spec: SmartSpec, task, objective: str, per_epoch: int, seed: int):
        self.spec, self.task, self.per_epoch = spec, task, per_epoch
        self.divergence = DIVERGENCES[objective]
        self.random = torch.Generator().manual_seed(seed)
        self.steps, self.shift, self._terms = 0, None, {}
        self._shape, self._states = None, []
        self.anchor = copy.deepcopy(task.module).requires_grad_(False).train() if spec.proximity else None
        # The hook is set after the copy, because the copy would otherwise include it.
        self._hook = embeddings_of(task.encoder).register_forward_hook(self._embedded)

    def before(self) -> None:
        """Save the random states from which the clean forward pass draws its dropout."""
        self.shift = None  # it may still be set if an earlier pass ran out of memory
        self._states = random_states()

    def penalty(self, inputs: dict[str, Tensor], output: Tensor) -> Tensor:
        """Return λ times the smoothness term plus μ times the proximity term.

        Args:
            inputs: inputs of the step.
            output: output of the clean forward pass on `inputs`.
        """
        states, penalty = random_states(), torch.zeros((), device=output.device)
        self._terms.clear()
        if self.spec.smoothness:
            self.shift = self._worst_shift(inputs, output.detach())
            smoothness = self._smoothness(output, self._forward(inputs))
            self.shift = None
            self._terms[SMOOTHNESS] = smoothness.detach()
            penalty = penalty + self.spec.smoothness * smoothness
        if self.spec.proximity:
            with torch.no_grad(), self._anchored():
                before = self._forward(inputs)
            proximity = self.divergence(output, before).sum(-1).mean()
            self._terms[PROXIMITY] = proximity.detach()
            penalty = penalty + self.spec.proximity * proximity
        self._terms[PENALTY] = penalty.detach()
        set_random_states(states)  # the next step draws the dropout that it would draw without SMART
        return penalty

    def after(self) -> None:
        """Count the step, and update the average of the weights."""
        self.steps += 1
        if self.anchor is not None:
            self._average()

    @torch.no_grad()
    def _average(self) -> None:
        if self.steps % self.spec.steps_per_anchor:
            return
        first, then = self.spec.momentum
        momentum = first if self.steps <= self.spec.momentum_switch * self.per_epoch else then
        for averaged, now in zip(self.anchor.parameters(), self.task.module.parameters(), strict=True):
            averaged.lerp_(now, 1 - momentum)

    def terms(self) -> dict[str, float]:
        """Return the penalty of the last step, and its terms that have a factor above 0, without λ and μ."""
        return {name: value.item() for name, value in self._terms.items()}

    def state_dict(self) -> dict:
        """Return the state for a checkpoint."""
        anchor = {} if self.anchor is None else self.anchor.state_dict()
        return {"anchor": anchor, "random": self.random.get_state(), "steps": self.steps}

    def load_state_dict(self, state: dict) -> None:
        """Restore the state of a checkpoint."""
        if self.anchor is not None:
            self.anchor.load_state_dict(state["anchor"])
        self.random.set_state(state["random"])
        self.steps = state["steps"]

    def close(self) -> None:
        """Remove the hook from the model."""
        self._hook.remove()

    def _smoothness(self, clean: Tensor, shifted: Tensor) -> Tensor:
        return self.divergence(clean, shifted).sum(-1).mean()

    def _worst_shift(self, inputs: dict[str, Tensor], output: Tensor) -> Tensor:
        """Search for the shift of the embeddings, (sequences, tokens, d), within ε that changes the output most."""
        shift = self._noise().to(output.device)
        for _ in range(self.spec.ascents):
            self.shift = self._tried(shift).requires_grad_()
            moved = self.divergence(output, self._forward(inputs)).sum()
            [gradient] = torch.autograd.grad(moved, self.shift)  # computes no gradients of weights
            shift = self._ascended(shift.detach(), gradient)
        return shift

    def _tried(self, shift: Tensor) -> Tensor:
        """Return the shift at which the gradient is computed."""
        return shift

    def _noise(self) -> Tensor:
        return self.spec.sigma * torch.randn(self._shape, generator=self.random)

    def _ascended(self, shift: Tensor, gradient: Tensor) -> Tensor:
        """Return a shift after a step along the gradient, clipped to ±ε in each coordinate."""
        epsilon = self.spec.epsilon
        return (shift + self.spec.eta * gradient / _largest(gradient)).clamp(-epsilon, epsilon)

    def _forward(self, inputs: dict[str, Tensor]) -> Tensor:
        """Return the output under the current shift."""
        if self.shares_dropout:
            set_random_states(self._states)
        return self.task.forward(inputs).float()

    def _embedded(self, module: nn.Module, inputs: tuple, embedded: Tensor) -> Tensor | None:
        """Add the current shift to the output of the embeddings; a forward hook."""
        self._shape = embedded.shape
        return None if self.shift is None else embedded + self.shift

    @contextmanager
    def _anchored(self):
        """Temporarily replace the task's module by the one with averaged weights."""
        module, self.task.module = self.task.module, self.anchor
        try:
            yield
        finally:
            self.task.module = module


class Literal(Smart):
    """SMART by the equations, with θ̃ = (1 - β) θ_t + β θ_{t-1} as it is printed, which is no moving average.

    θ̃ trails the weights by about a step, so that the proximity term is nearly 0, as the smoothness term is.
    """

    def __init__(self, spec: SmartSpec, task, objective: str, per_epoch: int, seed: int):
        super().__init__(spec, task, objective, per_epoch, seed)
        self.last = copy.deepcopy(self.anchor)  # θ_{t-1}

    def _average(self) -> None:
        if self.steps % self.spec.steps_per_anchor == 0:
            self.anchor.load_state_dict(self.last.state_dict())
            self.last.load_state_dict(self.task.module.state_dict())
        super()._average()

    def state_dict(self) -> dict:
        return super().state_dict() | {"last": {} if self.last is None else self.last.state_dict()}

    def load_state_dict(self, state: dict) -> None:
        super().load_state_dict(state)
        if self.last is not None:
            self.last.load_state_dict(state["last"])


class Listing(Smart):
    """SMART as in the code of the thesis.

    - The shift, the first noise too, is scaled to a norm of ε instead of clipped to ε.
    - Only the class that differs most counts in the smoothness of classes, instead of the sum over classes.
    - Sentences are embedded once, and no gradient reaches the embeddings through the shifted input.
    - Every pass draws the dropout of its layers again, so both terms differ from 0 even without a shift.
    - θ̃ holds the weights of the start of each epoch, because the code stores the average under another name than it
      reads.
    """

    shares_dropout = False

    def before(self) -> None:
        if self.anchor is not None and self.steps % self.per_epoch == 0:
            self.anchor.load_state_dict(self.task.module.state_dict())
        super().before()

    def _average(self) -> None:
        pass

    def _smoothness(self, clean: Tensor, shifted: Tensor) -> Tensor:
        return self.divergence(clean, shifted).max(-1).values.mean()

    def _worst_shift(self, inputs: dict[str, Tensor], output: Tensor) -> Tensor:
        return self._tried(super()._worst_shift(inputs, output))

    def _tried(self, shift: Tensor) -> Tensor:
        return self.spec.epsilon * shift / _largest(shift)

    def _ascended(self, shift: Tensor, gradient: Tensor) -> Tensor:
        return shift + self.spec.eta * gradient / _largest(gradient)

    def _embedded(self, module: nn.Module, inputs: tuple, embedded: Tensor) -> Tensor | None:
        if self.shift is None:
            self._shape, self._clean = embedded.shape, embedded.detach()
            return None
        return self._clean + self.shift


class Reference(Smart):
    """SMART as in mt-dnn, the code of its authors (`perturbation.py` at 676b48b), and in smart-pytorch (5ea2d4b).

    - The gradient is not normalised; after each step every token's shift is divided by its inf-norm plus `TINY_NORM`,
      so that the shift of a token is about 1 instead of 1e-5.
    - For classes, each half of the symmetric divergence holds its target fixed, so less gradient flows.
    - Every pass draws its own dropout.

    It differs from both codes in two ways. The ascent maximises the same symmetric divergence as the penalty: for two
    classes that are nearly equally probable, with half the gradient of mt-dnn's and, but for the batch size, twice
    that of smart-pytorch's one-sided divergence. And the embeddings' output is shifted once, where both codes pass it
    through the embedding layer a second time, which adds positions and normalises again.
    """

    shares_dropout = False
    TINY_NORM = 1e-6

    def __init__(self, spec: SmartSpec, task, objective: str, per_epoch: int, seed: int):
        super().__init__(spec, task, objective, per_epoch, seed)
        self._halves = HALVES.get(objective, self.divergence)

    def _smoothness(self, clean: Tensor, shifted: Tensor) -> Tensor:
        return self._halves(clean, shifted).sum(-1).mean()

    def _ascended(self, shift: Tensor, gradient: Tensor) -> Tensor:
        moved = shift + self.spec.eta * gradient
        return moved / (moved.abs().amax(-1, keepdim=True) + self.TINY_NORM)


VARIANTS = {"equations": Smart, "literal": Literal, "listing": Listing, "reference": Reference}


def embeddings_of(encoder: nn.Module) -> nn.Module:
    """Return the module that turns tokens into the input of the first layer.

    Raises:
        UserError: if the encoder has no such module.
    """
    for name, module in encoder.named_modules():
        if name.split(".")[-1] == "embeddings":
            return module
    raise UserError(f"smart finds no embeddings in a {type(encoder).__name__}: it cannot shift them")


def _largest(values: Tensor) -> Tensor:
    """Return the inf-norm of each sequence, shape (sequences, 1, 1), at least `TINY`."""
    return values.abs().amax(dim=(1, 2), keepdim=True).clamp(min=TINY)
