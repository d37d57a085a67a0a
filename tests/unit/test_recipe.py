"""Optimizers and schedules, compared with steps calculated by hand and with those of torch."""

import pytest
import torch
from torch import nn

from semblance.specs.recipe import Recipe
from semblance.training.optimizers import optimizer_of, schedule_of


def test_sgd_with_nesterov_momentum_halves_its_rate_every_so_many_epochs():
    """metric, section 4.1. The first step is calculated by hand: L2 penalty 0.01, weight 1, gradient 1."""
    recipe = Recipe(
        30,
        12,
        0.1,
        steps_per_epoch=2,
        optimizer="sgd",
        schedule="milestones",
        milestones=(5, 10, 15, 20, 25),
        gamma=0.5,
        max_grad_norm=9.0,
    )
    module = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.ones_(module.weight)
    optimizer = optimizer_of(recipe, module)
    schedule = schedule_of(recipe, optimizer, *recipe.steps(1000))
    assert recipe.steps(1000) == (2, 60)
    rates = []
    for step in range(60):
        rates.append(optimizer.param_groups[0]["lr"])
        module.weight.grad = torch.ones(1, 1)
        optimizer.step()
        schedule.step()
        if step == 0:
            assert module.weight.item() == pytest.approx(1 - 0.1 * 1.9 * (1 + 0.01))
    assert rates[:10] == [0.1] * 10 and rates[10:20] == [0.05] * 10 and rates[-1] == pytest.approx(0.1 / 2**5)


def test_sgd_takes_the_steps_of_torchs_plain_one_where_a_part_is_frozen_at_first():
    def trained(make) -> torch.Tensor:
        torch.manual_seed(1)
        network, inputs = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1)), torch.randn(16, 8)
        optimizer = make(network)
        for step in range(6):
            network[0].requires_grad_(step >= 3)
            network(inputs).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
        return nn.utils.parameters_to_vector(network.parameters())

    plain = {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01, "foreach": False}
    recipe = Recipe(1, 16, 0.1, optimizer="sgd")
    ours, wanted = (
        trained(lambda network: optimizer_of(recipe, network)),
        trained(lambda network: torch.optim.SGD(network.parameters(), **plain)),
    )
    torch.testing.assert_close(ours, wanted, rtol=1e-6, atol=1e-7)


def test_sgd_decays_only_the_head_if_it_is_to():
    network = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False))
    before = [part.weight.detach().clone() for part in network]
    recipe = Recipe(1, 16, 0.1, optimizer="sgd", weight_decay=0.5, decayed="head")
    optimizer = optimizer_of(recipe, network, network[0])
    for part in network:
        part.weight.grad = torch.zeros_like(part.weight)
    optimizer.step()
    assert torch.equal(network[0].weight, before[0])
    assert torch.allclose(
        network[1].weight, before[1] * (1 - 0.1 * 0.5 * 1.9)
    )  # Nesterov's first step is 1 + 0.9 times


def test_adamw_decays_matrices_but_no_biases():
    layer = nn.Linear(1, 1)
    optimizer = optimizer_of(Recipe(1, 1, 0.1, weight_decay=0.5), layer)
    for parameter in layer.parameters():
        nn.init.ones_(parameter)
        parameter.grad = torch.zeros_like(parameter)
    optimizer.step()
    assert layer.weight.item() == pytest.approx(1 - 0.1 * 0.5) and layer.bias.item() == 1


@pytest.mark.parametrize("kind", ["adam", "adamw"])
def test_epsilon_is_that_of_the_recipe(kind):
    """After one gradient g, both averages are g and g² without bias, and the step is g / (|g| + ε) times the rate."""
    layer = nn.Linear(1, 1, bias=False)
    nn.init.ones_(layer.weight)
    optimizer = optimizer_of(Recipe(1, 1, 0.1, optimizer=kind, epsilon=1.0, weight_decay=0), layer)
    layer.weight.grad = torch.ones(1, 1)
    optimizer.step()
    assert layer.weight.item() == pytest.approx(1 - 0.1 / (1 + 1))


def test_a_linear_rate_rises_over_the_warm_up_and_falls_to_0():
    """Four epochs of two steps, of which a quarter are warm-up."""
    recipe = Recipe(4, 1, 0.1, warmup=0.25)
    assert rates(recipe, 2, 8) == pytest.approx([0, 0.05, *(0.1 * left / 6 for left in range(6, 0, -1))])


def test_a_constant_rate_stays():
    recipe = Recipe(epochs=2, batch_size=1, learning_rate=0.1, schedule="constant", weight_decay=0)
    assert rates(recipe, 5, 10) == [0.1] * 10


def rates(recipe: Recipe, per_epoch: int, steps: int) -> list[float]:
    """Return the learning rate of each step."""
    optimizer = optimizer_of(recipe, nn.Linear(1, 1))
    schedule, found = schedule_of(recipe, optimizer, per_epoch, steps), []
    for _ in range(steps):
        found.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    return found
