"""SMART: smoothness under small input shifts, and proximity to an average of earlier weights (smart, section 3.1).

Let f(x; θ) be the model's output for token embeddings x, and ℓ_s a symmetric divergence of outputs (Kullback-Leibler
for classes, squared difference for scores). SMART adds to the loss of a stage:

    λ · mean_i max_{‖x̃_i - x_i‖∞ ≤ ε} ℓ_s(f(x̃_i; θ), f(x_i; θ))  +  μ · mean_i ℓ_s(f(x_i; θ), f(x_i; θ̃))

The search for the maximum starts from Gaussian noise and takes `ascents` gradient steps (Jiang et al. 2020, algorithm
1). θ̃ is an exponential moving average of the weights. A step costs as much as 9 forward passes, compared with 3 without
SMART: 4 forward passes (clean, noisy, shifted, averaged weights), 1 for the backward pass to the noise only, and 4 for
the backward pass from the clean and the shifted output to the weights.

``variant: listing`` follows the code of the thesis (listings A.1 to A.4) where it differs from the equations:

- The shift is scaled to a norm of ε instead of clipped to ε.
- Only the class that differs most counts in the smoothness of classes, instead of the sum over classes.
- No gradient reaches the embeddings through the shifted input.
- θ̃ holds the weights of the start of each epoch, because the code stores the average under another name than it reads.
- Every forward pass draws its own dropout, so both terms differ from 0 even without a shift. With the equations, all
  passes of a step share their dropout, because f is one function.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from semblance.errors import UserError
from semblance.registry import REGULARIZERS

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


def regularizer(spec: Mapping, task, objective: str, per_epoch: int, seed: int) -> Smart:
    """Return the regulariser of a stage.

    Args:
        spec: `smoothness` (λ), `proximity` (μ), and changes of the defaults in `semblance.registry`.
        task: the engine's `Trainable`.
        objective: name of the stage's objective, a key of `DIVERGENCES`.
        per_epoch: number of steps per epoch.
        seed: seed of the noise.
    """
    return Smart({**REGULARIZERS["smart"].defaults, **spec}, task, DIVERGENCES[objective], per_epoch, seed)


class Smart:
    """The regulariser of one stage; `spec` has `smoothness` (λ), `proximity` (μ) and all keys with defaults."""

    def __init__(self, spec: Mapping, task, divergence: Callable, per_epoch: int, seed: int):
        self.spec, self.task, self.divergence, self.per_epoch = spec, task, divergence, per_epoch
        self.as_listed = spec["variant"] == "listing"
        self.random = torch.Generator().manual_seed(seed)
        self.steps, self.shift, self.found = 0, None, {}
        self._shape, self._states = None, []
        self.anchor = copy.deepcopy(task.module).requires_grad_(False).train()
        # The hook is set after the copy, because the copy would otherwise include it.
        self._hook = embeddings_of(task.encoder).register_forward_hook(self._shifted)

    def before(self) -> None:
        """Save the random states from which the clean forward pass draws its dropout.

        With the listing variant, also copy the current weights to the anchor at the start of each epoch.
        """
        if self.as_listed and self.steps % self.per_epoch == 0:
            self.anchor.load_state_dict(self.task.module.state_dict())
        self.shift = None  # it may still be set if an earlier pass ran out of memory
        self._states = _random_states()

    def penalty(self, inputs: dict[str, Tensor], output: Tensor) -> Tensor:
        """Return λ times the smoothness term plus μ times the proximity term.

        Args:
            inputs: inputs of the step.
            output: output of the clean forward pass on `inputs`.
        """
        self.shift = self._worst_shift(inputs, output.detach())
        apart = self.divergence(output, self._forward(inputs))
        smoothness = (apart.max(-1).values if self.as_listed else apart.sum(-1)).mean()
        self.shift = None
        with torch.no_grad(), self._anchored():
            before = self._forward(inputs)
        proximity = self.divergence(output, before).sum(-1).mean()
        self.found = {"smart smoothness": smoothness.detach(), "smart proximity": proximity.detach()}
        return self.spec["smoothness"] * smoothness + self.spec["proximity"] * proximity

    @torch.no_grad()
    def after(self) -> None:
        """Update the moving average of the weights."""
        self.steps += 1
        if self.as_listed or self.steps % self.spec["steps_per_anchor"]:
            return
        first, then = self.spec["momentum"]
        momentum = first if self.steps <= self.spec["momentum_switch"] * self.per_epoch else then
        for averaged, now in zip(self.anchor.parameters(), self.task.module.parameters(), strict=True):
            averaged.lerp_(now, 1 - momentum)

    def terms(self) -> dict[str, float]:
        """Return the two terms of the last step, without the factors λ and μ."""
        return {name: value.item() for name, value in self.found.items()}

    def state_dict(self) -> dict:
        """Return the state for a checkpoint."""
        return {"anchor": self.anchor.state_dict(), "random": self.random.get_state(), "steps": self.steps}

    def load_state_dict(self, state: dict) -> None:
        """Restore the state of a checkpoint."""
        self.anchor.load_state_dict(state["anchor"])
        self.random.set_state(state["random"])
        self.steps = state["steps"]

    def close(self) -> None:
        """Remove the hook from the model."""
        self._hook.remove()

    def _worst_shift(self, inputs: dict[str, Tensor], output: Tensor) -> Tensor:
        """Search for the shift of the embeddings, (sequences, tokens, d), within ε that changes the output most."""
        noise = self.spec["sigma"] * torch.randn(self._shape, generator=self.random)
        shift = noise.to(output.device)
        for _ in range(self.spec["ascents"]):
            self.shift = (self._within(shift) if self.as_listed else shift).requires_grad_()
            with _without_gradients(self.task.module):  # saves gradients of weights, and activations for them
                moved = self.divergence(output, self._forward(inputs)).sum()
            [gradient] = torch.autograd.grad(moved, self.shift)
            shift = shift.detach() + self.spec["eta"] * gradient / _largest(gradient)
            if not self.as_listed:
                shift = self._within(shift)
        return self._within(shift)

    def _within(self, shift: Tensor) -> Tensor:
        """Clip each coordinate of the shift to ±ε, or, as in the listing, scale the shift to an inf-norm of ε."""
        epsilon = self.spec["epsilon"]
        return epsilon * shift / _largest(shift) if self.as_listed else shift.clamp(-epsilon, epsilon)

    def _forward(self, inputs: dict[str, Tensor]) -> Tensor:
        """Return the output under the current shift, with the clean pass's dropout, or, as in the listing, its own."""
        if not self.as_listed:
            _set_random_states(self._states)
        return self.task.forward(inputs).float()

    def _shifted(self, module: nn.Module, inputs: tuple, embedded: Tensor) -> Tensor | None:
        """Add the current shift to the output of the embeddings; a forward hook."""
        self._shape = embedded.shape
        if self.shift is None:
            return None
        return (embedded.detach() if self.as_listed else embedded) + self.shift

    @contextmanager
    def _anchored(self):
        """Temporarily replace the task's module by the one with averaged weights."""
        module, self.task.module = self.task.module, self.anchor
        try:
            yield
        finally:
            self.task.module = module


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


@contextmanager
def _without_gradients(module: nn.Module):
    """Temporarily exclude a module's weights from gradients."""
    learning = [weights for weights in module.parameters() if weights.requires_grad]
    for weights in learning:
        weights.requires_grad_(False)
    try:
        yield
    finally:
        for weights in learning:
            weights.requires_grad_(True)


def _random_states() -> list[Tensor]:
    return [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [])]


def _set_random_states(states: list[Tensor]) -> None:
    torch.set_rng_state(states[0])
    if states[1:]:
        torch.cuda.set_rng_state_all(states[1:])
