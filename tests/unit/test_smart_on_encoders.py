"""SMART on encoders: the cost of its step, its terms, and its hooks."""

from dataclasses import replace

import pytest
import torch

from semblance.models import cross_encoder, multitask
from semblance.regularizers import smart
from semblance.specs.regularizers import SmartSpec
from semblance.specs.run import ModelSpec
from semblance.tokens import by_length
from small import SHAPE, TEXTS, write_encoder

MULTITASK = ModelSpec("multitask", max_length=40, pooling="mean", heads=("binary",), features=("u", "v"), dropout=0.3)


@pytest.fixture(scope="module", params=["bert", "roberta", "albert"])
def encoder(request, tmp_path_factory):
    return write_encoder(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture(params=["multitask", "cross-encoder"])
def stepped(request, encoder, make_pairs):
    """Return the task of a real encoder, its regularizer, and a batch."""
    pairs = make_pairs(*[(a, b, float(n % 2)) for n, (a, b) in enumerate(zip(TEXTS, TEXTS[1:] + TEXTS[:1]))])
    if request.param == "multitask":
        model = multitask.Model.open(MULTITASK, encoder, "cpu")
    else:
        model = cross_encoder.Model.open(ModelSpec("cross-encoder", max_length=40), encoder, "cpu")
    task = model.task(pairs)
    task.module.train()
    spec = SmartSpec(smoothness=5.0, proximity=1.0, epsilon=1e-3, eta=1.0)
    regularizer = smart.regularizer(spec, task, "binary-cross-entropy", 10, seed=1)
    inputs, _ = task.batch(by_length(task.lengths, 4)[0])
    return task, regularizer, inputs


def one_step(task, regularizer, inputs):
    regularizer.before()
    output = task.forward(inputs)
    return output, regularizer.penalty(inputs, output)


def test_a_step_costs_nine_units_of_a_forward_pass(stepped):
    """4 forward passes, and 3 backward passes of 1 + 2 + 2 units, the first of which is to the input only."""
    task, regularizer, inputs = stepped
    layer = next(m for n, m in task.encoder.named_modules() if n.endswith(("layer.0", "albert_layers.0")))
    weight = next(p for p in layer.parameters() if p.ndim == 2)
    passes = {"forward": 0, "backward": 0, "weights": 0}

    def count(what):
        return lambda *_: passes.update({what: passes[what] + 1})

    for module in (layer, next(m for m in regularizer.anchor.modules() if type(m) is type(layer))):
        module.register_forward_hook(count("forward"))
    layer.register_full_backward_hook(count("backward"))
    weight.register_hook(count("weights"))
    output, penalty = one_step(task, regularizer, inputs)
    assert passes == {"forward": 4 * _uses(layer), "backward": _uses(layer), "weights": 0}
    (output.mean() + penalty).backward()
    assert passes["backward"] == 3 * _uses(layer) and passes["weights"] == 1
    backward_to_input_alone, backward_to_weights = 1, 2
    assert passes["forward"] / _uses(layer) + backward_to_input_alone + 2 * backward_to_weights == 9


def _uses(layer) -> int:
    """Return how often a pass uses a layer; ALBERT's layers share their weights."""
    return SHAPE["num_hidden_layers"] if "Albert" in type(layer).__name__ else 1


def test_the_terms_vanish_without_a_shift_or_a_change_and_grow_with_them(stepped):
    task, regularizer, inputs = stepped
    one_step(task, regularizer, inputs)
    small = regularizer.terms()
    assert small["smart proximity"] == pytest.approx(0, abs=1e-12) and small["smart smoothness"] > 0
    regularizer.spec = replace(regularizer.spec, epsilon=1e-2)
    one_step(task, regularizer, inputs)
    assert regularizer.terms()["smart smoothness"] > 20 * small["smart smoothness"]
    with torch.no_grad():
        for weights in task.module.parameters():
            weights += 0.01 * torch.randn(weights.shape, generator=torch.Generator().manual_seed(0))
    one_step(task, regularizer, inputs)
    assert regularizer.terms()["smart proximity"] > 1e-6


def test_a_closed_regularizer_leaves_no_hook_behind(stepped):
    task, regularizer, _ = stepped
    embeddings = smart.embeddings_of(task.encoder)
    assert len(embeddings._forward_hooks) == 1
    regularizer.close()
    assert not embeddings._forward_hooks and not smart.embeddings_of(regularizer.anchor)._forward_hooks
