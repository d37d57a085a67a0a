"""Objectives: their values by hand and by sentence-transformers."""

import numpy as np
import pytest
import torch

from semblance import objectives
from semblance.registry import OBJECTIVES


def test_objectives_agree_with_sentence_transformers():
    from sentence_transformers import util
    from sentence_transformers.sentence_transformer import losses

    u, v = torch.randn(6, 8), torch.randn(6, 8)
    labels = torch.rand(6)
    cosine = objectives.named("cosine-mean-squared-error")((u, v), labels)
    assert cosine == pytest.approx(torch.mean((util.pairwise_cos_sim(u, v) - labels) ** 2).item(), abs=1e-6)
    ranking = losses.MultipleNegativesRankingLoss(torch.nn.Identity())
    theirs = ranking.compute_loss_from_embeddings([u, v], None).item()
    assert objectives.named("in-batch-ranking")((u, v), labels).item() == pytest.approx(theirs, abs=1e-5)


def test_the_registry_says_which_objectives_build_examples():
    for name, objective in OBJECTIVES.items():
        assert objective.builds_examples == hasattr(objectives._module(name), "examples"), name


def test_objectives_by_hand():
    logits, labels = torch.tensor([0.0, np.log(3)]), torch.tensor([1.0, 0.0])
    entropy = objectives.named("binary-cross-entropy")(logits, labels)
    assert entropy.item() == pytest.approx((np.log(2) + np.log(4)) / 2)
    squared = objectives.named("mean-squared-error")(logits, labels)
    assert squared.item() == pytest.approx((0.5**2 + 0.75**2) / 2)


def test_the_linear_cosine_loss_by_hand():
    """minilm, section 3.3.2: (1−y)·sim + y·(1−sim), with the sign that makes it a distance."""
    u, v = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([[1.0, 0.0], [3.0, 4.0]])  # cosines 1 and 0.6
    loss = objectives.named("cosine-linear")
    assert loss((u, v), torch.tensor([1.0, 0.0])).item() == pytest.approx((0 + 0.6) / 2)
    assert loss((u, v), torch.tensor([0.0, 1.0])).item() == pytest.approx((1 + 0.4) / 2)


def test_metric_losses_by_hand():
    """metric, section 3.2: cosine distance, margin 0.5; cosines here are 1, 0.6 and 0."""
    u = torch.tensor([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])
    v = torch.tensor([[2.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    contrastive = objectives.named("contrastive")
    assert contrastive((u, v), torch.tensor([1.0, 1.0, 1.0])).item() == pytest.approx((0 + 0.4 + 1) / 3)
    assert contrastive((u, v), torch.tensor([0.0, 0.0, 0.0])).item() == pytest.approx((0.5 + 0.1 + 0) / 3)
    triplet = objectives.named("triplet")
    apart = triplet((u[:1], v[:1], v[2:]), torch.zeros(1))  # distances 0 and 1: further than the margin
    near = triplet((u[:1], v[1:2], v[:1]), torch.zeros(1))  # distances 0.4 and 0
    assert apart.item() == 0 and near.item() == pytest.approx(0.9)


def test_losses_that_are_the_same_function_have_the_same_constants():
    """A module computes with the constants of the objective that defines its loss."""
    by_loss = {}
    for name, objective in OBJECTIVES.items():
        by_loss.setdefault(objectives.named(name), []).append(objective.constants)
    assert any(len(constants) > 1 for constants in by_loss.values())
    assert all(one == constants[0] for constants in by_loss.values() for one in constants)
