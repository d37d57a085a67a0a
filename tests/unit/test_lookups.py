import torch
from torch import nn

from semblance.training.lookups import Lookups

FIRST, THEN = torch.tensor([[3, 0, 3], [1, 3, 0]]), torch.tensor([[2, 2, 1]])


def table() -> nn.Embedding:
    torch.manual_seed(0)
    return nn.Embedding(6, 4, padding_idx=0)


def weighted(embedded: torch.Tensor) -> torch.Tensor:
    """A sum in which no two elements have the same gradient."""
    return (embedded * torch.linspace(0.1, 1, embedded.numel()).reshape(embedded.shape)).sum()


def test_the_gradient_is_torchs_own_batch_after_batch():
    plain, looked_up = table(), table()
    lookups = Lookups(looked_up)
    for rows in (FIRST, THEN, FIRST):
        weighted(plain(rows)).backward()
        with lookups:
            weighted(looked_up(rows)).backward()
        assert looked_up.weight.grad.is_sparse
        lookups.settle()
        assert torch.equal(looked_up.weight.grad, plain.weight.grad)
        looked_up.weight.grad *= 0.5  # as where its norm is clipped
        plain.weight.grad = looked_up.weight.grad = None


def test_passes_of_one_batch_add_up():
    plain, looked_up = table(), table()
    lookups = Lookups(looked_up)
    for rows in (FIRST, THEN):
        weighted(plain(rows)).backward()
        with lookups:
            weighted(looked_up(rows)).backward()
    lookups.settle()
    torch.testing.assert_close(looked_up.weight.grad, plain.weight.grad)


def test_weights_that_are_tied_to_others_keep_their_dense_gradient():
    found = []
    for quick in (False, True):
        embedding = table()
        lookups = Lookups(embedding)
        with lookups if quick else torch.enable_grad():
            weighted(embedding(FIRST) @ embedding.weight.T).backward()
        lookups.settle()
        found.append(embedding.weight.grad)
    torch.testing.assert_close(*found)


def test_weights_that_learn_nothing_have_no_gradient_and_the_table_is_left_as_it_was():
    embedding = table().requires_grad_(False)
    lookups = Lookups(embedding)
    with lookups:
        embedding(FIRST)
    lookups.settle()
    assert embedding.weight.grad is None and embedding.sparse is False
