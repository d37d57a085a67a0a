"""Fast dropout: expectation, gradient, and the same mask from the same random state."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from semblance.cpu import dropout
from semblance.cpu.dropout import QuickDropout, mask, quick

ONES = torch.ones(500, 1001)  # not a multiple of the four elements that are drawn at once


@pytest.mark.parametrize("p", [0.1, 0.3, 0.5])
def test_elements_are_dropped_with_the_probability_asked_for_and_the_rest_is_scaled(p):
    torch.manual_seed(1)
    with QuickDropout():
        found = F.dropout(ONES, p)
    assert found.unique().tolist() == pytest.approx([0, 1 / (1 - p)])
    deviation = (p * (1 - p) / ONES.numel()) ** 0.5
    assert (found == 0).double().mean().item() == pytest.approx(p, abs=4 * deviation)
    # The shares of the columns vary as they do for independent elements.
    assert (found == 0).double().mean(0).std().item() == pytest.approx((p * (1 - p) / 500) ** 0.5, rel=0.1)


def test_the_gradient_reaches_what_was_kept_and_is_scaled_with_it():
    values = torch.randn(40, 7, requires_grad=True)
    torch.manual_seed(2)
    with QuickDropout():
        F.dropout(values, 0.25).sum().backward()
    torch.manual_seed(2)
    seed = torch.randint(2**62, ()).item()
    torch.testing.assert_close(values.grad, mask(seed, values.shape, 0.25, torch.float32))


def test_the_same_state_gives_the_same_mask_and_the_next_call_another():
    state = torch.get_rng_state()
    with QuickDropout():
        first, second = F.dropout(ONES), F.dropout(ONES)
        torch.set_rng_state(state)
        again = nn.Dropout(0.5)(ONES)  # modules use the same function
    assert torch.equal(first, again) and not torch.equal(first, second)


def test_a_mask_is_drawn_once_however_often_its_state_is_set_and_forgotten_at_the_end(monkeypatch):
    drawn, quickly = [], QuickDropout()
    monkeypatch.setattr(dropout, "mask", lambda *given: drawn.append(given) or mask(*given))
    state = torch.get_rng_state()
    for _ in range(2):
        with quickly:
            for _ in range(3):
                torch.set_rng_state(state)
                F.dropout(ONES)
                F.dropout(ONES)
    assert len(drawn) == 4 and drawn[:2] == drawn[2:]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_type_stays(dtype):
    with QuickDropout():
        assert F.dropout(ONES.to(dtype), 0.1).dtype == dtype


def test_it_is_entered_only_for_a_module_that_drops_anything_and_unless_switched_off(monkeypatch):
    drops, keeps = (nn.Sequential(nn.Linear(3, 3), nn.Dropout(p)) for p in (0.1, 0.0))
    assert isinstance(quick(drops), QuickDropout) and not isinstance(quick(keeps), QuickDropout)
    monkeypatch.setenv("SEMBLANCE_PLAIN_CPU", "1")
    assert not isinstance(quick(drops), QuickDropout)


def test_where_nothing_is_dropped_it_stays_out_of_the_way():
    with QuickDropout():
        assert F.dropout(ONES, 0.5, training=False) is ONES
        assert torch.equal(F.dropout(ONES, 0.0), ONES) and not F.dropout(ONES, 1.0).any()
        values = torch.ones(100)
        assert F.dropout(values, 0.5, inplace=True) is values
