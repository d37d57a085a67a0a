"""SMART: smoothness under small shifts of the input, and steps that stay near where the model was (smart, section 3.1).

With f(x; θ) the model's output for an input whose token embeddings are x, and ℓ_s a symmetric divergence of
outputs (Kullback-Leibler's for classes, the squared difference for scores), a stage's loss gains

    λ · mean_i max_{‖x̃_i - x_i‖∞ ≤ ε} ℓ_s(f(x̃_i; θ), f(x_i; θ))  +  μ · mean_i ℓ_s(f(x_i; θ), f(x_i; θ̃))

The maximum is sought from Gaussian noise by `ascents` steps up the gradient (Jiang et al. 2020, algorithm 1), and
θ̃ is an exponential moving average of the weights. A step costs 9 units of a forward pass, three times a plain
one's 3: clean, noisy, shifted and averaged forward passes (4), a backward pass to the noise alone (1), and one to
the weights from the clean and the shifted outputs (4).

``variant: listing`` is the thesis's code (listings A.1 to A.4) where that is something else. The shift is scaled
to a norm of ε, and not clipped to it; of classes only the one that differs most counts towards smoothness; no
gradient reaches the embeddings through the shifted input; θ̃ stays at each epoch's first weights, for the average
is stored under another name than the one that is read; and every pass has dropout of its own, which makes both
terms differ from 0 even where nothing was shifted. Under the equations all passes of a step share their dropout:
f is one function.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from semblance.errors import UserError

DEFAULTS = {
    "variant": "equations",
    "epsilon": 1e-5,  # largest shift of an embedding's coordinate
    "sigma": 1e-5,  # standard deviation of the first noise
    "eta": 1e-3,  # length of an ascent step
    "ascents": 1,  # T_x
    "steps_per_anchor": 1,  # S: steps between updates of the average
    "momentum": [0.99, 0.999],  # β, first and then
    # The printed 54, 38 and 1,769 steps are each a fifth of an epoch at 32 examples a batch.
    "momentum_switch": 0.2,  # epochs until the second
}
TINY = 1e-30  # a gradient of nothing but zeros has no direction


def categorical(a: Tensor, b: Tensor) -> Tensor:
    """By class, the terms of D_KL(P‖Q) + D_KL(Q‖P), for logits of shape (n, classes).

    As (p - q)(log p - log q), which keeps its digits where the two hardly differ.
    """
    return (a.softmax(-1) - b.softmax(-1)) * (a.log_softmax(-1) - b.log_softmax(-1))


def bernoulli(a: Tensor, b: Tensor) -> Tensor:
    """The same for one logit an example, (n,), and its two classes: (n, 2)."""
    shift, logs = a.sigmoid() - b.sigmoid(), F.logsigmoid(torch.stack([a, -a, b, -b]))
    return torch.stack([shift * (logs[0] - logs[2]), -shift * (logs[1] - logs[3])], dim=-1)


def squared(a: Tensor, b: Tensor) -> Tensor:
    """Squared differences of scores, (n,), as (n, 1)."""
    return (a - b).square().unsqueeze(-1)


def squared_of_sigmoids(a: Tensor, b: Tensor) -> Tensor:
    return squared(a.sigmoid(), b.sigmoid())


DIVERGENCES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {  # by the objective the output is for
    "binary-cross-entropy": bernoulli,
    "cross-entropy": categorical,
    "score-squared-error": squared,
    "mean-squared-error": squared_of_sigmoids,
}


def regularizer(spec: Mapping, task, objective: str, per_epoch: int, seed: int) -> Smart:
    return Smart({**DEFAULTS, **spec}, task, DIVERGENCES[objective], per_epoch, seed)


class Smart:
    """The regulariser of one stage; `spec` has `smoothness` (λ), `proximity` (μ) and the keys of `DEFAULTS`."""

    def __init__(self, spec: Mapping, task, divergence: Callable, per_epoch: int, seed: int):
        self.spec, self.task, self.divergence, self.per_epoch = spec, task, divergence, per_epoch
        self.as_listed = spec["variant"] == "listing"
        self.random = torch.Generator().manual_seed(seed)
        self.steps, self.shift, self.found = 0, None, {}
        self._shape, self._states = None, []
        self.anchor = copy.deepcopy(task.module).requires_grad_(False).train()
        # After the copy, which would else be hooked to this very object as well.
        self._hook = embeddings_of(task.encoder).register_forward_hook(self._shifted)

    def before(self) -> None:
        """Note the state of the random numbers that the clean pass will take its dropout from."""
        if self.as_listed and self.steps % self.per_epoch == 0:
            self.anchor.load_state_dict(self.task.module.state_dict())
        self.shift = None  # left over where a pass ran out of memory
        self._states = _random_states()

    def penalty(self, inputs: dict[str, Tensor], output: Tensor) -> Tensor:
        """λ times the smoothness term plus μ times the proximity term, of the clean pass's `output`."""
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
        """Move the average of the weights towards those of now."""
        self.steps += 1
        if self.as_listed or self.steps % self.spec["steps_per_anchor"]:
            return
        first, then = self.spec["momentum"]
        momentum = first if self.steps <= self.spec["momentum_switch"] * self.per_epoch else then
        for averaged, now in zip(self.anchor.parameters(), self.task.module.parameters(), strict=True):
            averaged.lerp_(now, 1 - momentum)

    def terms(self) -> dict[str, float]:
        """The two terms of the last step, before their weights."""
        return {name: value.item() for name, value in self.found.items()}

    def state_dict(self) -> dict:
        return {"anchor": self.anchor.state_dict(), "random": self.random.get_state(), "steps": self.steps}

    def load_state_dict(self, state: dict) -> None:
        self.anchor.load_state_dict(state["anchor"])
        self.random.set_state(state["random"])
        self.steps = state["steps"]

    def close(self) -> None:
        self._hook.remove()

    def _worst_shift(self, inputs: dict[str, Tensor], output: Tensor) -> Tensor:
        """A shift of the embeddings, (sequences, tokens, d), at most ε anywhere, that moves the output far."""
        noise = self.spec["sigma"] * torch.randn(self._shape, generator=self.random)
        shift = noise.to(output.device)
        for _ in range(self.spec["ascents"]):
            self.shift = (self._within(shift) if self.as_listed else shift).requires_grad_()
            with _held(self.task.module):  # no gradient of theirs is wanted, nor what it would be computed from
                moved = self.divergence(output, self._forward(inputs)).sum()
            [gradient] = torch.autograd.grad(moved, self.shift)
            shift = shift.detach() + self.spec["eta"] * gradient / _largest(gradient)
            if not self.as_listed:
                shift = self._within(shift)
        return self._within(shift)

    def _within(self, shift: Tensor) -> Tensor:
        """The shift brought into the ball: clipped coordinate by coordinate, or, as listed, scaled to its surface."""
        epsilon = self.spec["epsilon"]
        return epsilon * shift / _largest(shift) if self.as_listed else shift.clamp(-epsilon, epsilon)

    def _forward(self, inputs: dict[str, Tensor]) -> Tensor:
        """The output under the present shift, with the clean pass's dropout, or, as listed, with dropout of its own."""
        if not self.as_listed:
            _set_random_states(self._states)
        return self.task.forward(inputs).float()

    def _shifted(self, module: nn.Module, inputs: tuple, embedded: Tensor) -> Tensor | None:
        """What the embeddings give the encoder: a forward hook of theirs."""
        self._shape = embedded.shape
        if self.shift is None:
            return None
        return (embedded.detach() if self.as_listed else embedded) + self.shift

    @contextmanager
    def _anchored(self):
        """The task with the averaged weights in place of its own."""
        module, self.task.module = self.task.module, self.anchor
        try:
            yield
        finally:
            self.task.module = module


def embeddings_of(encoder: nn.Module) -> nn.Module:
    """The module that turns tokens into the vectors the first layer reads. Raises UserError when there is none."""
    for name, module in encoder.named_modules():
        if name.split(".")[-1] == "embeddings":
            return module
    raise UserError(f"smart finds no embeddings in a {type(encoder).__name__}: it cannot shift them")


def _largest(values: Tensor) -> Tensor:
    """The inf-norm of each sequence, (sequences, 1, 1)."""
    return values.abs().amax(dim=(1, 2), keepdim=True).clamp(min=TINY)


@contextmanager
def _held(module: nn.Module):
    """The module's weights without gradients, for as long as the block runs."""
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
