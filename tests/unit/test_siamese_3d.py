"""sn3d's modules, equation by equation, compared with values calculated by hand; padding has no effect."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from semblance import registry
from semblance.models.siamese_3d import attention, extraction, fusion, network, scores
from semblance.specs.run import NetworkSpec

SHAPE = (4, 12)  # blocks and width of the encoder
TEXT = NetworkSpec("afe", "all", ("sa", "fa-3"), "rfm")
ATTENTIONS = [[], ["sa"], ["fa-1"], ["fa-2"], ["fa-3"], ["late"], ["sa", "fa-1"], ["sa", "fa-2"], ["sa", "fa-3"]]
ATTENTIONS += [["sa", "fa-3-code"], ["sa-scaled"], ["sa-code", "fa-3"]]


def ones(*shape):
    return torch.ones(*shape, dtype=torch.bool)


def states_of(lengths, blocks=SHAPE[0], width=SHAPE[1], longest=None, seed=0):
    """Return random states (n, blocks, L, width) of sentences of these lengths, 0 for padding, and their mask."""
    draw = torch.Generator().manual_seed(seed)
    longest = longest or max(lengths)
    made = torch.zeros(len(lengths), blocks, longest, width)
    for number, length in enumerate(lengths):
        made[number, :, :length] = torch.randn(blocks, length, width, generator=draw)
    return made, torch.arange(longest)[None] < torch.tensor(lengths)[:, None]


def set_linear(layer: nn.Linear, weight, bias=0.0):
    with torch.no_grad():
        layer.weight.copy_(torch.tensor(weight))
        layer.bias.fill_(bias)


def set_block(afe: extraction.AdaptiveFeatureExtraction, block: int, w1, w2, b2=0.0):
    """Set the weights of a block's two layers, each of shape (inputs, outputs)."""
    with torch.no_grad():
        afe.w1[block], afe.w2[block] = torch.tensor(w1), torch.tensor(w2)
        afe.b1[block], afe.b2[block] = 0.0, b2


def test_equations_3_to_5_weigh_every_position_by_its_share():
    ln3 = 1.0986122887
    states = torch.tensor([[[[0.0, 8.0], [ln3, 4.0], [0.0, 0.0]]]])  # σ(0) = 0.5, σ(ln 3) = 0.75, and padding
    afe = extraction.AdaptiveFeatureExtraction(1, 2)
    set_block(afe, 0, [[1.0], [0.0]], [[1.0, 1.0]])  # both features weighted by the sigmoid of the first
    found = afe(states, torch.tensor([[True, True, False]]))
    # α = 0.5 / 1.25 and 0.75 / 1.25
    assert torch.allclose(found, torch.tensor([[[[0.0, 3.2], [0.6 * ln3, 2.4], [0.0, 0.0]]]]), atol=1e-6)


def test_the_codes_weights_add_up_over_blocks():
    afe = extraction.AdaptiveFeatureExtraction(2, 2, over_blocks=True)
    for block, bias in enumerate((0.0, 1.0986122887)):  # weights 0.5 and 0.75 for any state
        set_block(afe, block, [[0.0], [0.0]], [[0.0, 0.0]], bias)
    found = afe(torch.ones(1, 2, 1, 2), ones(1, 1))
    assert torch.allclose(found[0, :, 0], torch.tensor([[0.4, 0.4], [0.6, 0.6]]))


@pytest.mark.parametrize(
    ("name", "of_12", "of_3", "of_1"),
    [
        ("all", list(range(12)), [0, 1, 2], [0]),
        ("top", [6, 7, 8, 9, 10, 11], [2], [0]),
        ("bottom", [0, 1, 2, 3, 4, 5], [0], [0]),
        ("spaced", [1, 3, 5, 7, 9, 11], [2], [0]),
        ("last", [11], [2], [0]),
    ],
)
def test_choices_of_blocks(name, of_12, of_3, of_1):
    assert [list(range(count))[extraction.blocks(name, count)] for count in (12, 3, 1)] == [of_12, of_3, of_1]


@pytest.mark.parametrize("name", ["sa", "sa-scaled", "sa-code"])
def test_equations_7_and_8_by_their_own_sums(name):
    x, x_mask = states_of([3, 2], blocks=2, width=4)
    y, y_mask = states_of([2, 3], blocks=2, width=4, seed=1)
    sa = network.ATTENTION[name](4)

    def alike(position, value):
        if name == "sa-code":
            return sa.query(position) @ sa.key(value)
        return position @ value / (2 if name == "sa-scaled" else 1)  # √4

    x_found, y_found = sa(x, y, x_mask, y_mask)
    for n in range(2):
        rows = [x[n, h, i] for h in range(2) for i in range(3) if x_mask[n, i]]
        columns = [y[n, h, j] for h in range(2) for j in range(3) if y_mask[n, j]]
        # In equation 7, M^Y runs over the positions of Y for each one of X, and M^X the other way round.
        for found, mask, own, other in ((x_found, x_mask, rows, columns), (y_found, y_mask, columns, rows)):
            expected = []
            for position in own:
                shares = torch.stack([torch.exp(alike(position, value)) for value in other])
                mixed = sum(share / shares.sum() * value for share, value in zip(shares, other))
                expected.append(sa.project(mixed))
            assert torch.allclose(found[n][:, mask[n]].flatten(0, 1), torch.stack(expected), atol=1e-5)


@pytest.mark.parametrize("name", ["sa", "sa-scaled", "sa-code"])
def test_spatial_attention_treats_both_sentences_alike(name):
    x, x_mask = states_of([3, 2])
    y, y_mask = states_of([2, 4], seed=1)
    sa = network.ATTENTION[name](12)
    forwards, backwards = sa(x, y, x_mask, y_mask), sa(y, x, y_mask, x_mask)
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(forwards, reversed(backwards)))


SQUEEZED = torch.tensor(
    [[[[1.0, 5.0, 0, 0], [3.0, 1.0, 0, 0], [9.0, 9.0, 9, 9]], [[2.0, 2, 0, 0], [2.0, 0, 0, 0], [9.0, 9, 9, 9]]]]
)
TWO_OF_THREE = torch.tensor([[True, True, False]])


def test_equations_9_to_13_squeeze_by_the_mean_and_by_the_maximum():
    assert torch.equal(attention.mean(SQUEEZED, TWO_OF_THREE), torch.tensor([[2.0, 2.0, 0.0, 0.0]]))
    assert torch.equal(attention.maximum(SQUEEZED, TWO_OF_THREE), torch.tensor([[3.0, 5.0, 0.0, 0.0]]))
    one, two = (network.ATTENTION[name](4) for name in ("fa-1", "fa-2"))
    set_linear(one.excite[0], [[1.0, 0, 0, 0], [0, -1.0, 0, 0]])  # ReLU keeps 2 and drops -2
    set_linear(one.excite[2], [[1.0, 1.0]], -1.0)  # σ(2 - 1)
    set_linear(
        two.excite[0], [[0, 0, 0, 0, 0, 1.0, 0, 0], [1.0, 0, 0, 0, 0, 0, 0, 0]]
    )  # the second maximum, 5, the first mean, 2
    set_linear(two.excite[2], [[1.0, -1.0]])  # σ(5 - 2)
    for module, logit in ((one, 1.0), (two, 3.0)):
        found, _ = module(SQUEEZED, SQUEEZED, TWO_OF_THREE, TWO_OF_THREE)
        assert found.shape == (1, 2, 3, 1) and torch.allclose(found, torch.tensor(logit).sigmoid())


@pytest.mark.parametrize(("by_maximum", "block", "position"), [(False, 2.0, 1.5), (True, 3.0, 2.0)])
def test_equations_14_to_16_multiply_what_is_found_by_block_and_by_position(by_maximum, block, position):
    fa = attention.FeatureAttention3(4, by_maximum=by_maximum).eval()
    for layer, weight in ((fa.of_blocks, 1.0), (fa.of_positions, 2.0)):
        set_linear(layer, [[weight, 0, 0, 0]])
    there = SQUEEZED * TWO_OF_THREE[:, None, :, None]
    found, _ = fa(there, there, TWO_OF_THREE, TWO_OF_THREE)
    # The first feature of the first block and of the first position; untrained batch statistics are 0 and 1.
    by_block, by_position = (torch.tensor(v).sigmoid() / (1 + fa.normalise.eps) ** 0.5 for v in (block, position))
    assert found.shape == (1, 2, 3, 1) and torch.allclose(found[0, 0, 0, 0], by_block * 2 * by_position)


def test_late_attention_finds_each_tokens_best_cosine():
    late = attention.LateAttention(8)
    with torch.no_grad():
        late.project.weight.copy_(torch.eye(8)[:2])
    x = torch.zeros(1, 1, 2, 8)
    y = torch.zeros(1, 1, 3, 8)
    x[0, 0, :, :2] = torch.tensor([[3.0, 0.0], [0.0, 2.0]])
    y[0, 0, :, :2] = torch.tensor([[1.0, 1.0], [1.0, 0.0], [5.0, 5.0]])
    x_found, y_found = late(x, y, ones(1, 2), torch.tensor([[True, False, False]]))
    half = 0.5**0.5
    assert torch.allclose(x_found[0, 0], torch.tensor([[1.0, 0.0, half], [0.0, 1.0, half]]))
    assert torch.allclose(y_found[0, 0, 0], torch.tensor([half, half, half]))


def test_late_attention_finds_no_padding_even_if_all_cosines_are_negative():
    late = attention.LateAttention(8)
    with torch.no_grad():
        late.project.weight.copy_(torch.eye(8)[:2])
    x, y = torch.zeros(1, 1, 2, 8), torch.zeros(1, 1, 1, 8)
    x[0, 0, 0, 0], y[0, 0, 0, 0] = 1.0, -1.0  # opposite; the second position of x is padding
    _, y_found = late(x, y, torch.tensor([[True, False]]), ones(1, 1))
    assert y_found[0, 0, 0].tolist() == [-1, 0, -1]


def test_the_similarity_of_several_blocks_is_their_mean():
    net = network.Network(NetworkSpec("plain", "all", ("late",), "max-avg"), SHAPE, 2)
    states, mask = states_of([3], blocks=1)
    alike = states.repeat(1, SHAPE[0], 1, 1)
    assert torch.allclose(net.similarity(alike, alike, mask, mask)[0].diagonal(), torch.ones(3), atol=1e-5)


def test_a_binary_score_is_the_probability_of_the_second_class():
    probabilities = np.array([[0.9, 0.1], [0.3, 0.7]])
    assert scores(probabilities, "binary").tolist() == [0.1, 0.7]
    assert scores(probabilities, "polarity") is probabilities


def test_a_convolution_adds_its_bias_before_it_is_rectified():
    rfm = fusion.ReceptiveField(4, branches=(((1, 1),),), normalise=True).eval()
    nn.init.constant_(rfm.point.bias, -9.0)
    states, mask = states_of([3], blocks=1, width=4)
    assert rfm.point(states.permute(0, 3, 1, 2), mask[:, None, None]).abs().max() == 0


def test_pooling_takes_maximum_and_mean_of_both_and_of_their_product():
    x, y = torch.tensor([[[[1.0], [3.0]]]]), torch.tensor([[[[4.0], [100.0]]]])
    found = fusion.MaxAvgPooling(1)(x, y, ones(1, 2), torch.tensor([[True, False]]))
    assert found.tolist() == [[3.0, 2.0, 4.0, 4.0, 4.0, 4.0]]


def reach(module: fusion.ReceptiveField) -> list[int]:
    """Return how many positions an impulse reaches, by branch."""
    found = []
    for branch in module.branches:
        image = torch.zeros(1, 4, 1, 41)
        image[..., 20] = 1.0
        for part in branch:
            convolution = getattr(part, "convolution", part)
            nn.init.ones_(convolution.weight)
            if convolution.bias is not None:
                nn.init.zeros_(convolution.bias)
            image = convolution(image)
        found.append(int(image[0, 0, 0].nonzero().max()) - 20)
    return found


@pytest.mark.parametrize(
    ("name", "felt"),
    [
        ("rfm", [1, 4, 7]),
        ("rfm-printed", [1, 4, 7]),
        ("rfm-code", [1, 0, 1, 2]),
        ("inception", [0, 1, 2]),
        ("dilated", [1, 3, 5]),
    ],
)
def test_equation_17_reaches_as_far_as_kernels_and_dilations_say(name, felt):
    assert reach(network.FUSION[name](4)) == felt


def test_equations_18_and_19_squash_all_branches_and_average_them():
    rfm = fusion.ReceptiveField(1, branches=(((1, 1),),))
    for layer, weight in ((rfm.branches[0][0], 1.0), (rfm.point, -1.0)):
        nn.init.constant_(layer.weight, weight)
        nn.init.zeros_(layer.bias)
    x, y = torch.tensor([[[[2.0], [-2.0]]]]), torch.tensor([[[[0.0], [5.0]]]])
    found = rfm(x, y, ones(1, 2), torch.tensor([[True, False]]))[0].view(3, 2, -1)
    s = torch.sigmoid(torch.tensor(2.0)).item()
    # X: σ(ReLU(±2)), σ(∓2); Y has one position: σ(0) twice; product: at the one position that both have
    expected = [[(s + 0.5) / 2, 0.5], [0.5, 0.5], [s * 0.5, (1 - s) * 0.5]]
    assert torch.allclose(found[:, :, 0], torch.tensor(expected)) and found.shape[-1] == 1


@pytest.mark.parametrize(
    ("attends", "fuses", "extracts"),
    [
        *itertools.product(ATTENTIONS, ["max-avg", "rfm"], ["afe"]),
        (["sa"], "rfm-printed", "afe-printed"),
        (["sa"], "dilated", "afe-mean-1"),
        ([], "inception", "plain"),
    ],
)
def test_padding_and_neighbours_change_nothing(attends, fuses, extracts):
    torch.manual_seed(0)
    spec = NetworkSpec(extracts, "all", attends, fuses)
    net = network.Network(spec, SHAPE, 2).eval()
    x, x_mask = states_of([3, 5])
    y, y_mask = states_of([4, 2], seed=1, longest=5)
    more, more_mask = states_of([3, 5], longest=9)
    wide, wide_mask = states_of([4, 2], seed=1, longest=9)
    logits = net(x, y, x_mask, y_mask)
    assert torch.allclose(logits, net(more, wide, more_mask, wide_mask), atol=1e-5)
    alone = net(x[:1, :, :4], y[:1, :, :4], x_mask[:1, :4], y_mask[:1, :4])
    assert torch.allclose(logits[:1], alone, atol=1e-5)


def test_batch_normalisation_sees_no_padding():
    narrow, wide = (attention.FeatureAttention3(12) for _ in range(2))
    wide.load_state_dict(narrow.state_dict())
    for module, longest in ((narrow, 5), (wide, 9)):
        x, mask = states_of([3, 5], longest=longest)
        module.train()(x, x, mask, mask)
    assert torch.allclose(narrow.normalise.running_mean, wide.normalise.running_mean)
    assert torch.allclose(narrow.normalise.running_var, wide.normalise.running_var)


def test_normalised_fields_see_no_padding_and_have_the_mean_and_spread_that_follow():
    rfm, (x, mask) = fusion.ReceptiveField(12, normalise=True), states_of([3, 5])
    wide, wide_mask = states_of([3, 5], longest=9)
    applied = rfm.train().point(x.permute(0, 3, 1, 2), mask[:, None, None])
    inside = applied.permute(0, 2, 3, 1)[mask[:, None].expand(-1, x.shape[1], -1)]
    by_hand = rfm.point.convolution(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
    by_hand = by_hand[mask[:, None].expand(-1, x.shape[1], -1)]
    by_hand = (by_hand - by_hand.mean(0)) / (by_hand.var(0, unbiased=False) + 1e-5).sqrt()
    assert torch.allclose(inside, by_hand.relu(), atol=1e-5)
    more = rfm.point(wide.permute(0, 3, 1, 2), wide_mask[:, None, None])
    assert torch.allclose(more[..., : x.shape[2]], applied, atol=1e-5) and more[..., x.shape[2] :].abs().max() == 0


READINGS = [("afe-mean-1", 0.5, 2), ("afe", 0.2, 0.8), ("afe-printed", 0, 0.4)]


@pytest.mark.parametrize(("name", "least", "most"), READINGS)
def test_how_far_each_reading_of_equation_4_shrinks_states(name, least, most):
    torch.manual_seed(0)
    x, mask = states_of([9, 7])
    found = network.EXTRACTION[name](x.shape[1], x.shape[3])(x, mask)
    assert least < (found.square().mean() / x.square().mean()).sqrt() < most


def test_equation_6_multiplies_what_both_forms_of_attention_find():
    torch.manual_seed(0)
    net = network.Network(replace(TEXT, fusion="max-avg"), SHAPE, 2).eval()
    x, x_mask = states_of([3], longest=4)
    y, y_mask = states_of([4], seed=1)
    tensors = (net.extracted(x, x_mask), net.extracted(y, y_mask), x_mask, y_mask)
    (a, b), (c, d) = (attend(*tensors) for attend in net.attention)
    by_hand = net.classify(net.fusion(a * c, b * d, x_mask, y_mask))
    assert torch.allclose(net(x, y, x_mask, y_mask), by_hand)


def millions(spec, shape=(12, 768)):
    with torch.device("meta"):
        return network.parameters(network.Network(spec, shape, 2)) / 1e6


def test_on_bert_base_the_networks_are_as_large_as_table_1_prints():
    printed = {"max-avg": 6.1, "rfm": 6.4, "inception": 6.1}  # Table 2 prints 8.2 for dilation; see docs/deviations.md
    for attends, fuses in itertools.product([("sa",), ("sa", "fa-1"), ("sa", "fa-2"), ("sa", "fa-3")], printed):
        spec = NetworkSpec("afe", "all", attends, fuses, matched=True)
        assert round(millions(spec), 1) == printed[fuses], spec
    assert round(millions(replace(TEXT, fusion="dilated", matched=True)), 1) == 6.4


@pytest.mark.parametrize("shape", [(12, 768), (6, 384), (2, 128)])
@pytest.mark.parametrize("blocks", ["all", "top", "bottom", "spaced", "last"])
@pytest.mark.parametrize("extraction", ["plain", "afe"])
def test_networks_of_fewer_blocks_are_as_large_as_those_of_all(shape, blocks, extraction):
    for attends in (("sa",), ("sa", "fa-1"), ("sa", "fa-2"), ("sa", "fa-3")):
        spec = NetworkSpec(extraction, blocks, attends, "rfm", matched=True)
        assert millions(spec, shape) == pytest.approx(
            millions(replace(network.REFERENCE, fusion="rfm"), shape), rel=0.01
        )


@pytest.mark.parametrize("shape", [(12, 768), (6, 384), (2, 128)])
@pytest.mark.parametrize("attends", [[], ["late"]])
def test_baselines_have_as_many_parameters_as_the_reference(shape, attends):
    spec = NetworkSpec("plain", "last", attends, "max-avg", matched=True)
    assert millions(spec, shape) == pytest.approx(millions(network.REFERENCE, shape), rel=0.01)


def test_the_registry_names_every_part_of_a_network():
    parts = [*map(tuple, (network.EXTRACTION, network.ATTENTION, network.FUSION))]
    assert parts == [registry.EXTRACTIONS, registry.ATTENTIONS, registry.FUSIONS]
