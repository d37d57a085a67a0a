"""Initialisation of tiny encoders: exchangeable words have similar vectors, and attention finds equal words."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F
from transformers import AutoModelForSequenceClassification

from semblance.data.generator.corpora import Pair
from semblance.encoders import architectures, matching, pretrain
from semblance.specs.encoders import PairPretraining, Text
from semblance.specs.recipe import Recipe
from small import SHAPE, TEXTS

WIDE = SHAPE | {"hidden_size": 64, "num_attention_heads": 4}


def test_words_that_stand_in_for_one_another_have_like_vectors():
    # Tokens 1 and 2 paraphrase each other, and so do 3 and 4.
    first, second = [np.array(side) for side in ([1], [2], [3], [4])], [np.array(side) for side in ([2], [1], [4], [3])]
    vectors = matching.word_vectors(first * 3, second * 3, vocabulary=6, width=32)
    alike = vectors @ vectors.T
    assert torch.allclose(vectors.norm(dim=1), torch.ones(6), atol=1e-5)
    assert alike[1, 2].abs() < 0.6 and alike[1, 1] > 0.99  # each occurs opposite the other only, not opposite itself
    words = [[1], [2], [3]], [[5], [5], [4]]  # 5 paraphrases both 1 and 2, and 4 paraphrases 3
    both = matching.word_vectors(*([np.array(word) for word in side] * 6 for side in words), vocabulary=6, width=32)
    assert (both @ both.T)[1, 2] > 0.99 > 0.6 > (both @ both.T)[1, 3].abs()


@pytest.mark.parametrize(("times", "alike"), [(1, False), (2, True)])
def test_words_are_alike_only_if_they_stand_in_for_one_another_at_least_twice(times, alike):
    words = [[1], [5], [2], [5]], [[5], [1], [5], [2]]  # 5 paraphrases both 1 and 2, in both orders
    sides = ([np.array(word) for word in side] * times for side in words)
    vectors = matching.word_vectors(*sides, vocabulary=6, width=32)
    assert (vectors[1] @ vectors[2] > 0.99) == alike


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_half_of_the_heads_find_the_same_word_in_the_other_sentence(architecture):
    torch.manual_seed(0)
    tokenizer = architectures.tokenizer(architecture, TEXTS * 5, 400)
    shape = WIDE | ({"embedding_size": 64} if architecture == "albert" else {})
    encoder = architectures.pair_classifier(architecture, tokenizer, shape).base_model.eval()
    vectors = F.normalize(torch.randn(len(tokenizer), matching.words_width(encoder)), dim=1)
    has_sides = "token_type_ids" in tokenizer.model_input_names
    matching.start(encoder, vectors, has_sides)
    # Token 22 is the third word of one sentence and the second of the other.
    cls, sep = tokenizer.cls_token_id, tokenizer.sep_token_id
    inputs = {"input_ids": torch.tensor([[cls, 20, 21, 22, sep, 23, 22, 24, sep]])}
    if has_sides:
        inputs["token_type_ids"] = torch.tensor([[0] * 5 + [1] * 4])
    weights = encoder(**inputs, output_attentions=True).attentions[0][0]  # (heads, length, length)
    one, other = 3, 6
    for head in weights[:2]:
        assert head[one].argmax() == other and head[other].argmax() == one
    following, before = weights[3][one], weights[2][one]
    assert before.argmax() == one - 1 and following.argmax() == one + 1


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_what_is_saved_has_the_trained_pooler_and_a_fresh_last_layer(architecture, tmp_path):
    kept = {}

    def learn(task, objective, recipe):
        classifier = task.module.classifier
        for weights in classifier.parameters():
            weights.data += 0.1
        kept.update({name: tensor.clone() for name, tensor in classifier.state_dict().items()})
        inputs, targets = task.batch(np.array([0, 1]))
        assert torch.isfinite(objective(task.forward(inputs), targets))
        return {}

    pairs = [Pair(one, other, float(n % 2), "text") for n, (one, other) in enumerate(zip(TEXTS * 3, TEXTS[1:] * 4))]
    shape = SHAPE | ({"embedding_size": 16} if architecture == "albert" else {})
    spec = PairPretraining(architecture, Text(), 400, 24, shape, Recipe(1, 4, 1e-3), masked=0.3, ranked=1.0)
    pretrain.pair_encoder(spec, pairs, tmp_path, learn)
    opened = AutoModelForSequenceClassification.from_pretrained(tmp_path, num_labels=3).state_dict()
    fresh = {name for name in pretrain.LAST_LAYERS if name in opened}
    assert fresh and {name for name in opened if not torch.equal(opened[name], kept.get(name, opened[name]))} <= fresh
    assert any("pooler" in name or "classifier.dense" in name for name in opened.keys() - fresh)
