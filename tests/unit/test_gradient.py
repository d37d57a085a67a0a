"""A batch that does not fit into memory is computed in parts with the same gradient, or is an error."""

import numpy as np
import pytest
import torch
from torch import nn

from semblance import device, objectives
from semblance.errors import UserError
from semblance.regularizers import named
from semblance.specs.computing import Computing
from semblance.specs.regularizers import SmartSpec
from semblance.training.gradient import Gradient

SMART = SmartSpec(smoothness=5.0, proximity=1.0)


class Small(nn.Module):
    """An encoder that runs out of memory for more than `room` examples."""

    def __init__(self, room):
        super().__init__()
        self.embeddings, self.head, self.room = nn.Linear(3, 5), nn.Linear(5, 1), room

    def forward(self, inputs):
        if len(inputs["x"]) > self.room:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return self.head(self.embeddings(inputs["x"]).tanh()).squeeze(-1).mean(-1)


class Task:
    def __init__(self, room):
        torch.manual_seed(1)
        self.module = self.encoder = Small(room)
        self.x, self.y = torch.randn(7, 4, 3), torch.tensor([0.0, 1, 0, 1, 1, 0, 1])

    def batch(self, indices):
        return {"x": self.x[indices]}, self.y[indices]

    def forward(self, inputs):
        return self.module(inputs)


def gradient_of(room, objective="binary-cross-entropy", smart=False, loss=None):
    task = Task(room)
    accelerated = device.accelerator(Computing("cpu", "fp32", 1), seed=1)
    regularizer = named("smart")(SMART, task, objective, 10, 1) if smart else None
    divisible = objectives.divisible(objective)
    gradient = Gradient(
        task, loss or objectives.named(objective), regularizer, accelerated, "1. qqp", divisible=divisible
    )
    value = gradient.add(np.arange(7))
    return value.item(), torch.cat([p.grad.flatten() for p in task.module.parameters()]), gradient


@pytest.mark.parametrize("objective", ["binary-cross-entropy", "mean-squared-error", "score-squared-error"])
@pytest.mark.parametrize(("room", "pieces"), [(6, 2), (2, 4), (1, 8)])
def test_a_batch_in_pieces_has_the_loss_and_the_gradient_of_the_whole(objective, room, pieces, capsys):
    loss, whole, undivided = gradient_of(7, objective)
    assert undivided.pieces == 1 and capsys.readouterr().out == ""
    found, divided, gradient = gradient_of(room, objective)
    assert found == pytest.approx(loss, rel=1e-6) and gradient.pieces == pieces
    torch.testing.assert_close(divided, whole, rtol=1e-5, atol=1e-7)
    assert f"1. qqp: a batch of 7 does not fit, going on with {pieces} pieces of it" in capsys.readouterr().out


def test_parts_of_a_batch_that_then_did_not_fit_count_once():
    """Its first half fits, its second does not."""

    class Late(Task):
        has_failed = False

        def forward(self, inputs):
            if len(inputs["x"]) == 3 and not self.has_failed:
                self.has_failed = True
                raise torch.OutOfMemoryError("CUDA out of memory")
            return super().forward(inputs)

    _, whole, _ = gradient_of(7)
    task = Late(room=4)
    accelerated = device.accelerator(Computing("cpu", "fp32", 1), seed=1)
    objective = objectives.named("binary-cross-entropy")
    gradient = Gradient(task, objective, None, accelerated, "1. qqp", divisible=True)
    gradient.add(np.arange(7))
    assert task.has_failed and gradient.pieces == 4
    found = torch.cat([p.grad.flatten() for p in task.module.parameters()])
    torch.testing.assert_close(found, whole, rtol=1e-5, atol=1e-7)


def test_with_smart_too():
    loss, whole, undivided = gradient_of(7, smart=True)
    found, divided, gradient = gradient_of(2, smart=True)
    # Each part draws its own noise, which has a size of 1e-5.
    assert found == pytest.approx(loss, rel=1e-3) and gradient.pieces == 4
    assert gradient.terms == pytest.approx(undivided.terms, rel=0.05) and gradient.terms["smart penalty"] > 0
    torch.testing.assert_close(divided, whole, rtol=1e-2, atol=1e-5)


def test_it_goes_on_in_pieces_after_a_restart():
    _, _, gradient = gradient_of(2)
    _, _, other = gradient_of(7)
    other.load_state_dict(gradient.state_dict())
    assert other.pieces == 4


def test_one_example_that_does_not_fit_is_an_error():
    with pytest.raises(
        UserError, match="a batch of 7 of stage '1. qqp' does not fit .* one example alone does not: lower"
    ):
        gradient_of(0)


@pytest.mark.parametrize("objective", ["in-batch-ranking", "simcse-in-batch", "simcse-listing", "simcse-unsupervised"])
def test_what_compares_examples_of_a_batch_is_not_divided(objective):
    assert not objectives.divisible(objective)
    with pytest.raises(UserError, match="its objective compares its examples"):
        gradient_of(6, objective)
