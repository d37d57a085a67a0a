"""SMART, compared with values calculated by hand (smart, section 3.1)."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from semblance.errors import UserError
from semblance.registry import OBJECTIVES
from semblance.regularizers import smart
from semblance.specs.regularizers import SmartSpec

EPSILON, ETA = 1e-5, 1e-3
WEIGHTS = [2.0, -1.0, 0.5]


class Linear(nn.Module):
    """A model whose SMART terms can be calculated by hand: f = w · mean of the token embeddings."""

    def __init__(self, dropout: float = 0.0):
        super().__init__()
        self.embeddings = nn.Embedding(4, 3)
        self.dropout = nn.Dropout(dropout)
        self.w = nn.Parameter(torch.tensor(WEIGHTS))

    def forward(self, tokens):
        return self.dropout(self.embeddings(tokens)).mean(1) @ self.w


class Task:
    def __init__(self, module: nn.Module):
        self.module = self.encoder = module

    def forward(self, inputs):
        return self.module(inputs["tokens"])


def regularized(module: nn.Module, divergence=smart.squared, per_epoch=10, **spec):
    task = Task(module.train())
    options = SmartSpec(**{"smoothness": 5.0, "proximity": 1.0, **spec})
    regularizer = smart.regularizer(options, task, "score-squared-error", per_epoch, seed=1)
    regularizer.divergence = divergence
    return task, regularizer


INPUTS = {"tokens": torch.tensor([[0, 1], [2, 3]])}


def one_step(task, regularizer, inputs=INPUTS):
    regularizer.before()
    output = task.forward(inputs)
    penalty = regularizer.penalty(inputs, output)
    return output, penalty


def test_divergences_are_the_symmetric_ones_of_the_equations():
    a, b = torch.tensor([[0.3, -1.2, 2.0]]), torch.tensor([[0.1, 0.4, 1.0]])
    p, q = a.softmax(-1), b.softmax(-1)
    both = F.kl_div(q.log(), p, reduction="sum") + F.kl_div(p.log(), q, reduction="sum")
    assert smart.categorical(a, b).sum().item() == pytest.approx(both.item(), rel=1e-5)
    # One logit equals two classes, the second with logit 0.
    one, other = torch.tensor([0.7]), torch.tensor([-0.4])
    two = smart.categorical(torch.tensor([[0.7, 0.0]]), torch.tensor([[-0.4, 0.0]]))
    assert torch.allclose(smart.bernoulli(one, other), two)
    # By hand: (p - q)(logit p - logit q).
    by_hand = (1 / (1 + math.exp(-0.7)) - 1 / (1 + math.exp(0.4))) * 1.1
    assert smart.bernoulli(one, other).sum().item() == pytest.approx(by_hand, rel=1e-5)
    assert smart.squared(torch.tensor([3.0]), torch.tensor([1.0])).tolist() == [[4.0]]
    half = smart.squared_of_sigmoids(torch.tensor([0.0]), torch.tensor([100.0]))
    assert half.item() == pytest.approx(0.25)


def test_a_divergence_of_outputs_that_hardly_differ_keeps_its_digits():
    logits = torch.randn(3, 5, generator=torch.Generator().manual_seed(0))
    shifted = logits + 1e-4 * torch.randn(3, 5, generator=torch.Generator().manual_seed(1))
    exact = smart.categorical(logits.double(), shifted.double()).sum(-1)
    assert torch.allclose(smart.categorical(logits, shifted).sum(-1).double(), exact, rtol=2e-3)
    assert (smart.categorical(logits, shifted).sum(-1) > 0).all()


def test_every_objective_that_may_be_smoothed_has_its_divergence():
    assert {name for name, one in OBJECTIVES.items() if one.divergence} == set(smart.DIVERGENCES)


def test_smoothness_is_the_worst_shift_of_a_linear_model():
    """The smoothness of a linear model is (ε ‖w‖₁)² = (3.5 ε)².

    Every coordinate of the gradient exceeds ε/η of the largest one, so every coordinate of the shift is clipped to ±ε
    in the direction of w, and the output moves by ε ‖w‖₁.
    """
    task, regularizer = regularized(Linear())
    _, penalty = one_step(task, regularizer)
    moved = EPSILON * sum(map(abs, WEIGHTS))
    assert regularizer.terms()["smart smoothness"] == pytest.approx(moved**2, rel=0.05)
    assert regularizer.terms()["smart proximity"] == 0
    assert penalty.item() == pytest.approx(5 * moved**2, rel=0.05)


def test_the_gradient_of_smoothness_holds_the_shift_where_it_is():
    """For a fixed shift, (w · ε sign w)² has the gradient 2 ε² ‖w‖₁ sign w; proximity has none at the start."""
    task, regularizer = regularized(Linear(), epsilon=1e-2, eta=1.0, sigma=1e-3)
    _, penalty = one_step(task, regularizer)
    penalty.backward()
    signs = torch.tensor(WEIGHTS).sign()
    assert torch.allclose(task.module.w.grad, 5 * 2 * 1e-4 * sum(map(abs, WEIGHTS)) * signs, rtol=1e-3)


@pytest.mark.parametrize("variant", ["equations", "listing"])
@pytest.mark.parametrize("ascents", [1, 3])
def test_no_shift_leaves_the_ball(variant, ascents):
    task, regularizer = regularized(Linear(), variant=variant, ascents=ascents)
    one_step(task, regularizer)
    shift = regularizer._worst_shift(INPUTS, task.forward(INPUTS).detach())
    assert torch.allclose(shift.abs().amax(dim=(1, 2)), torch.full((2,), EPSILON))


def test_as_listed_the_first_noise_is_scaled_to_the_ball_too():
    task, regularizer = regularized(Linear(), variant="listing", sigma=1.0)
    tried, _tried = [], regularizer._tried
    regularizer._tried = lambda shift: tried.append(_tried(shift)) or tried[-1]
    one_step(task, regularizer)
    assert [shift.abs().amax(dim=(1, 2)).tolist() for shift in tried] == [pytest.approx([EPSILON] * 2)] * 2


# One sequence of two tokens with embeddings of 0, and a noise of (1e-5, 0, 0) and (0, 1e-5, 0). The output moves to
# w · (1, 1, 0) · 1e-5 / 2 = 5e-6, so the gradient of its square at each token is 2 · 5e-6 · w / 2 = 5e-6 w.
TWO_TOKENS = {"tokens": torch.tensor([[0, 1]])}
NOISE = torch.tensor([[[1e-5, 0, 0], [0, 1e-5, 0]]])
FIRST = [[0.9091735, -4.541326e-4, 2.270663e-4], [9.095043e-4, 0.9090496, 2.273761e-4]]
FAR = [[0.9999001, -0.4994506, 0.2497254], [0.9998990, -0.4989501, 0.2499750]]


@pytest.mark.parametrize(("eta", "shift", "smoothness"), [(1e-3, FIRST, 0.2078438), (1e3, FAR, 6.8849853)])
def test_the_references_shift_of_each_token_has_a_norm_of_about_one(eta, shift, smoothness):
    """A token's shift is (noise + η gradient) / (its inf-norm + 1e-6); with the codes' η of 1e-3 it is mostly noise."""
    module = Linear()
    nn.init.zeros_(module.embeddings.weight)
    task, regularizer = regularized(module, variant="reference", eta=eta, proximity=0.0)
    regularizer._noise = lambda: NOISE
    _, penalty = one_step(task, regularizer, TWO_TOKENS)
    found = regularizer._worst_shift(TWO_TOKENS, task.forward(TWO_TOKENS).detach())
    assert torch.allclose(found, torch.tensor([shift]), rtol=1e-4)
    assert regularizer.terms() == {
        "smart smoothness": pytest.approx(smoothness, rel=1e-4),
        "smart penalty": pytest.approx(5 * smoothness, rel=1e-4),
    }
    assert penalty.item() == pytest.approx(5 * smoothness, rel=1e-4)


# The same with one logit: it moves to d = 5e-6, and the gradient of d (σ(d) - 1/2) there is d / 2, half of it for each
# token. That of mt-dnn's ascent is d: twice Σ p log p / (1 - p) with the logarithm held fixed. That of smart-pytorch's,
# D_KL, is d / 4, further divided by the batch size.
SYMMETRIC = [[0.9091116, -1.136105e-4, 5.680527e-5], [2.272986e-4, 0.9090806, 5.682464e-5]]
PUBLISHED = {
    "mt-dnn": ([[0.9091322, -2.271695e-4, 1.135847e-4], [4.546488e-4, 0.9090702, 1.136622e-4]], 0.05093031),
    "smart-pytorch": ([[0.9091012, -5.681173e-5, 2.840586e-5], [1.136428e-4, 0.9090857, 2.841071e-5]], 0.05081872),
}


@pytest.mark.parametrize("code", PUBLISHED)
def test_the_references_shift_for_classes_is_nearly_that_of_the_published_codes(code):
    module = Linear()
    nn.init.zeros_(module.embeddings.weight)
    task, regularizer = regularized(module, smart.bernoulli, variant="reference", proximity=0.0)
    regularizer._halves, regularizer._noise = smart.halves_of_logits, lambda: NOISE
    one_step(task, regularizer, TWO_TOKENS)
    found = regularizer._worst_shift(TWO_TOKENS, task.forward(TWO_TOKENS).detach())
    assert torch.allclose(found, torch.tensor([SYMMETRIC]), rtol=1e-3, atol=1e-7)
    shift, smoothness = PUBLISHED[code]
    assert (found - torch.tensor([shift])).abs().max() < 2.4e-4
    assert regularizer.terms()["smart smoothness"] == pytest.approx(0.05085590, rel=1e-4)
    assert regularizer.terms()["smart smoothness"] == pytest.approx(smoothness, rel=2e-3)


def test_for_five_classes_the_references_ascent_has_nearly_the_direction_of_mt_dnns():
    logits = torch.tensor([[0.3, -1.2, 2.0, 0.0, 0.5]])
    moved = (logits + torch.tensor([[1e-2, -2e-2, 1e-2, 3e-2, 0.0]])).requires_grad_()
    [ours] = torch.autograd.grad(smart.categorical(logits, moved).sum(), moved)
    log_odds = (moved.softmax(-1).logit() - logits.softmax(-1).logit()).detach()
    [theirs] = torch.autograd.grad((moved.softmax(-1) * log_odds * 2).sum(), moved)
    assert F.cosine_similarity(ours, theirs).item() > 0.95
    assert 0.5 < (ours.norm() / theirs.norm()).item() < 1


def test_the_reference_holds_the_target_of_each_half_fixed():
    """For logits a and b of P and Q, the value is (p - q)(a - b), and the gradients are p - q and q - p."""
    a, b = torch.tensor([0.7], requires_grad=True), torch.tensor([-0.4], requires_grad=True)
    value = smart.halves_of_logits(a, b).sum()
    value.backward()
    assert value.item() == pytest.approx(0.2935630, rel=1e-5)
    assert (a.grad.item(), b.grad.item()) == pytest.approx((0.2668754, -0.2668754), rel=1e-5)
    classes = [torch.tensor([[0.7, 0.0]]), torch.tensor([[-0.4, 0.0]])]
    assert smart.halves(*classes).sum().item() == pytest.approx(0.2935630, rel=1e-5)


@pytest.mark.parametrize("variant", sorted(smart.VARIANTS))
@pytest.mark.parametrize(("factors", "passes"), [((5, 1), 4), ((5, 0), 3), ((0, 1), 2)])
def test_a_term_without_a_factor_is_not_computed(variant, factors, passes):
    task, regularizer = regularized(Linear(), variant=variant, smoothness=factors[0], proximity=factors[1])
    forward, counted = task.forward, []
    task.forward = lambda inputs: counted.append(1) or forward(inputs)
    one_step(task, regularizer)
    regularizer.after()
    assert len(counted) == passes and len(regularizer.terms()) == 1 + sum(factor > 0 for factor in factors)
    other = regularized(Linear(), variant=variant, smoothness=factors[0], proximity=factors[1])[1]
    other.load_state_dict(regularizer.state_dict())
    assert other.steps == 1


@pytest.mark.parametrize("variant", sorted(smart.VARIANTS))
def test_the_next_step_draws_the_dropout_that_it_would_draw_without_smart(variant):
    task, regularizer = regularized(Linear(dropout=0.5), variant=variant)
    torch.manual_seed(3)
    plain = [task.forward(INPUTS), task.forward(INPUTS)][1]
    torch.manual_seed(3)
    one_step(task, regularizer)
    assert torch.equal(task.forward(INPUTS), plain)


def test_a_wider_ball_is_filled_as_far_as_the_step_reaches():
    """With ε far above η and σ, the shift follows the gradient, and its largest coordinate is η."""
    task, regularizer = regularized(Linear(), epsilon=1.0, sigma=1e-6)
    one_step(task, regularizer)
    shift = regularizer._worst_shift(INPUTS, task.forward(INPUTS).detach())
    direction = torch.tensor(WEIGHTS) / max(map(abs, WEIGHTS))
    assert torch.allclose(shift.abs(), (ETA * direction.abs()).expand_as(shift), atol=1e-5)


def test_proximity_is_the_distance_from_the_averaged_weights():
    task, regularizer = regularized(Linear())
    with torch.no_grad():
        task.module.w += 1  # f moves by the sum of the coordinates of the mean embedding
    output, _ = one_step(task, regularizer)
    moved = task.module.embeddings(INPUTS["tokens"]).mean(1).sum(1)
    assert regularizer.terms()["smart proximity"] == pytest.approx(moved.square().mean().item(), rel=1e-5)


def test_proximity_is_a_sum_over_classes_and_a_mean_over_examples():
    task, regularizer = regularized(Linear(), smart.bernoulli, smoothness=0.0)
    before = task.forward(INPUTS).detach()
    with torch.no_grad():
        task.module.w += 1
    output, _ = one_step(task, regularizer)
    both = smart.bernoulli(output, before)
    assert both.shape == (2, 2)
    assert regularizer.terms()["smart proximity"] == pytest.approx(both.sum(-1).mean().item(), rel=1e-5)


def test_the_average_moves_by_one_less_the_momentum_and_less_after_a_fifth_of_an_epoch():
    task, regularizer = regularized(Linear(), per_epoch=10)
    expected = torch.tensor(WEIGHTS)
    for step in range(1, 5):
        one_step(task, regularizer)
        with torch.no_grad():
            task.module.w += 1
        regularizer.after()
        momentum = 0.99 if step <= 2 else 0.999
        expected = momentum * expected + (1 - momentum) * task.module.w.detach()
        assert torch.allclose(regularizer.anchor.w, expected)


def test_to_the_letter_the_anchor_is_hardly_more_than_the_last_weights():
    """Weights of 2, 3, 4 and 5: θ̃ is 0.01 θ_t + 0.99 θ_{t-1}, so 2.01, then 3.01, and after the switch 4.001."""
    task, regularizer = regularized(Linear(), per_epoch=10, variant="literal")
    anchors, distances = [], []
    for _ in range(3):
        one_step(task, regularizer)
        distances.append(regularizer.terms()["smart proximity"])
        with torch.no_grad():
            task.module.w += 1
        regularizer.after()
        anchors.append(regularizer.anchor.w[0].item())
        state = regularizer.state_dict()
        regularizer = regularized(task.module, per_epoch=10, variant="literal")[1]  # as after an interruption
        regularizer.load_state_dict(state)
    assert anchors == pytest.approx([2.01, 3.01, 4.001])
    moved = task.module.embeddings(INPUTS["tokens"]).mean(1).sum(1).square().mean().item()
    assert distances == pytest.approx([0, 0.99**2 * moved, 0.99**2 * moved], rel=1e-4)


def test_the_average_is_updated_once_in_steps_per_anchor_steps():
    task, regularizer = regularized(Linear(), steps_per_anchor=2)
    for step in (1, 2):
        with torch.no_grad():
            task.module.w += 1
        regularizer.after()
        assert torch.equal(regularizer.anchor.w, torch.tensor(WEIGHTS)) == (step == 1)


def test_as_listed_the_anchor_is_each_epochs_first_weights():
    task, regularizer = regularized(Linear(), per_epoch=2, variant="listing")
    anchors = []
    for _ in range(4):
        one_step(task, regularizer)
        anchors.append(regularizer.anchor.w[0].item())
        with torch.no_grad():
            task.module.w += 1
        regularizer.after()
    assert anchors == [2.0, 2.0, 4.0, 4.0]


def test_as_listed_smoothness_counts_the_class_that_differs_most_and_spares_the_embeddings():
    def columns(a, b):
        return torch.stack([smart.squared(a, b).squeeze(-1), 3 * smart.squared(a, b).squeeze(-1)], dim=-1)

    task, listed = regularized(Linear(), columns, variant="listing", proximity=0.0)
    _, penalty = one_step(task, listed)
    # A shift along w, scaled to the ball, is ε w / ‖w‖∞. It moves the output by ε w · w / ‖w‖∞ = 2.625 ε.
    assert listed.terms()["smart smoothness"] == pytest.approx(3 * (2.625 * EPSILON) ** 2, rel=0.05)
    other, summed = regularized(Linear(), columns, proximity=0.0)
    one_step(other, summed)
    assert summed.terms()["smart smoothness"] == pytest.approx(4 * (3.5 * EPSILON) ** 2, rel=0.05)

    # In a linear model, the gradients of the embeddings from the clean and the shifted pass cancel. In the listing,
    # the shifted pass gives them no gradient.
    penalty.backward()
    assert task.module.embeddings.weight.grad.abs().max() > 1e-6
    _, cancelled = one_step(other, summed)
    cancelled.backward()
    assert other.module.embeddings.weight.grad.abs().max() < 1e-9


def test_under_the_equations_all_passes_share_their_dropout_and_as_listed_none_does():
    torch.manual_seed(0)
    module = Linear(dropout=0.5)
    task, regularizer = regularized(module)
    one_step(task, regularizer)
    assert regularizer.terms()["smart smoothness"] < 1e-8 and regularizer.terms()["smart proximity"] == 0
    regularizer.close()
    task, regularizer = regularized(module, variant="listing")
    one_step(task, regularizer)
    assert regularizer.terms()["smart smoothness"] > 1e-3 and regularizer.terms()["smart proximity"] > 1e-3


def test_a_model_without_embeddings_is_refused():
    with pytest.raises(UserError, match="smart finds no embeddings in a Linear"):
        smart.embeddings_of(nn.Linear(2, 2))
