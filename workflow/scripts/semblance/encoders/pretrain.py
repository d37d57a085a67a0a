"""Pre-training of small encoders and word vectors, for use without downloads."""

import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import PreTrainedModel

from semblance import device
from semblance.curve import Curve
from semblance.data import rows
from semblance.data.generator import corpora, text
from semblance.data.generator.corpora import Pair
from semblance.data.generator.grammar import Grammar
from semblance.encoders import architectures, matching
from semblance.models.bi_encoder import Model
from semblance.objectives import in_batch_ranking
from semblance.paths import GRAMMAR
from semblance.specs.computing import Computing
from semblance.specs.encoders import PairPretraining, Pretraining, SentencePretraining, SkipGram, Text
from semblance.specs.facts import StageFacts
from semblance.specs.run import ModelSpec
from semblance.tokens import Tokens
from semblance.training.engine import train

SEED = 1
SIDES = ("sentence1", "sentence2")
LAST_LAYERS = ("classifier.weight", "classifier.bias", "classifier.out_proj.weight", "classifier.out_proj.bias")
MASKED_WEIGHT = 0.25  # of masked tokens' loss; below 1, because a tiny encoder then learns faster to compare sentences


def pretrained(
    source: Pretraining,
    data: Sequence[Path],
    start: Path | None,
    computing: Computing,
    folder: Path,
    curve: Path,
    checkpoint: Callable,
) -> dict:
    """Pre-train an encoder or word vectors, save them, and return facts about them.

    Args:
        source: what is pre-trained, and how.
        data: files of the prepared splits whose texts are used; none, if the texts are generated.
        start: the encoder whose weights are the start; None for random ones.
        computing: device, precision and threads.
        folder: where the encoder is saved.
        curve: file of the training curve.
        checkpoint: returns the checkpoint from which training goes on.
    """
    if isinstance(source, SkipGram):
        from semblance.encoders import word_vectors  # imported here, because only word vectors need gensim

        return word_vectors.skip_gram(source, _sentences(source.corpus, data), folder, SEED)
    accelerated = device.accelerator(computing, SEED)
    learn = partial(
        train, seed=SEED, stage="pre-training", accelerator=accelerated, curve=Curve(curve), checkpoint=checkpoint()
    )
    if isinstance(source, SentencePretraining):
        restatements = [p for p in _text(source.corpus, data) if p.label == 1]
        return sentence_encoder(source, start, restatements, folder, accelerated.device.type, learn)
    return pair_encoder(source, _text(source.corpus, data), folder, learn)


def _sentences(corpus: Text, data: Sequence[Path]) -> list[str]:
    """Return the sentences for training word vectors: generated ones, or the distinct ones of prepared splits."""
    if corpus.generated:
        return [s for pair in _text(corpus, data) for s in (pair.sentence1, pair.sentence2)]
    return rows.distinct_sentences(rows.read(path) for path in data)


def _text(corpus: Text, data: Sequence[Path]) -> list[Pair]:
    """Return the sentence pairs for pre-training: generated ones, or those of prepared splits.

    For prepared splits, the labels of the corpus are ignored: half of the pairs are original (label 1), the other half
    have a random second sentence (label 0).
    """
    if corpus.generated:
        stream = corpora.Source(Grammar.load(GRAMMAR), random.Random("encoders"), "train")
        return text.text(stream, corpus.generated)
    rng, found = random.Random("encoders"), [rows.read(path) for path in data]
    sides = [(a, b) for pairs in found for a, b in zip(pairs.sentence1, pairs.sentence2, strict=True)]
    strangers = [b for _, b in sides]
    rng.shuffle(strangers)
    return [
        Pair(a, b, 1.0, "text") if rng.random() < 0.5 else Pair(a, stranger, 0.0, "text")
        for (a, b), stranger in zip(sides, strangers, strict=True)
    ]


class Output(NamedTuple):
    """Outputs of a network for n pairs.

    Attributes:
        pairs: logits of the pairs, shape (n,).
        words: logits of m masked tokens, shape (m, vocabulary), or None.
        sides: embeddings of the first and second sentences, shape (n, d) each, or None.
        scale: factor and bias that turn cosines into logits, shape (2,).
    """

    pairs: Tensor
    words: Tensor | None
    sides: tuple[Tensor, Tensor] | None
    scale: Tensor


class Targets(NamedTuple):
    """Targets of n pairs.

    Attributes:
        together: 1.0 if a pair belongs together, else 0.0, shape (n,).
        words: ids of m masked tokens, shape (m,), or None.
    """

    together: Tensor
    words: Tensor | None


def loss(output: Output, labels: Targets) -> Tensor:
    """Return the sum of the mean losses of all parts that `output` contains.

    Pair classification and masked tokens are BERT's (BERT, section 3.1). The third part classifies and ranks cosines of
    separately embedded sentences. Without it, an encoder pre-trained for seconds is not useful in a bi-encoder.
    """
    found = F.binary_cross_entropy_with_logits(output.pairs, labels.together)
    if output.words is not None and len(output.words):
        found = found + MASKED_WEIGHT * F.cross_entropy(output.words, labels.words)
    if output.sides is not None:
        u, v = output.sides
        together = labels.together == 1
        logits = output.scale[0] * F.cosine_similarity(u, v) + output.scale[1]
        found = found + F.binary_cross_entropy_with_logits(logits, labels.together)
        if together.any():
            found = found + in_batch_ranking.loss((u[together], v[together]), labels.together[together])
    return found


class PretrainingModel(nn.Module):
    """A pair classifier with a head for masked tokens and a learned scale for cosines of sentence embeddings."""

    def __init__(self, classifier: PreTrainedModel, mask_words: bool):
        super().__init__()
        self.classifier = classifier
        self.words = _WordHead(classifier.base_model) if mask_words else None
        self.scale = nn.Parameter(torch.tensor([10.0, -5.0]))  # factor and bias that turn cosines into logits

    def forward(self, pairs: dict[str, Tensor], masked: Tensor, sides: dict[str, Tensor] | None) -> Output:
        """Compute the outputs for n pairs.

        Args:
            pairs: tokenised pairs, tensors of shape (n, length).
            masked: boolean mask of the tokens to predict, shape (n, length).
            sides: the 2n sentences tokenised separately, or None.
        """
        found = self.classifier(**pairs, output_hidden_states=self.words is not None)
        words = self.words(found.hidden_states[-1][masked]) if self.words else None
        return Output(found.logits.squeeze(-1), words, self._embedded(sides) if sides else None, self.scale)

    def _embedded(self, sides: dict[str, Tensor]) -> tuple[Tensor, ...]:
        """Return mean-pooled embeddings of n first and n second sentences, stacked in `sides`; shape (n, d) each."""
        states, mask = self.classifier.base_model(**sides).last_hidden_state, sides["attention_mask"][..., None]
        return ((states * mask).sum(1) / mask.sum(1)).chunk(2)


class _WordHead(nn.Module):
    """BERT's head for masked tokens: a layer, then dot products with the encoder's word embeddings."""

    def __init__(self, encoder: PreTrainedModel):
        super().__init__()
        table = encoder.embeddings.word_embeddings
        self.layer = nn.Sequential(
            nn.Linear(encoder.config.hidden_size, table.embedding_dim), nn.GELU(), nn.LayerNorm(table.embedding_dim)
        )
        self.bias = nn.Parameter(torch.zeros(table.num_embeddings))
        self._table = [table]  # in a list, so that the encoder's weights are not registered here again

    def forward(self, states: Tensor) -> Tensor:
        return F.linear(self.layer(states), self._table[0].weight, self.bias)


class PretrainingPairs:
    """Sentence pairs for pre-training; implements the engine's `Trainable`.

    Args:
        module: the encoder with its heads.
        tokenizer: its tokenizer.
        pairs: the pairs.
        spec: which tasks it is pre-trained on.
    """

    encoder = None  # all parts are trained from the start

    def __init__(self, module: PretrainingModel, tokenizer, pairs: Sequence[Pair], spec: PairPretraining):
        self.module, self._tokenizer = module, tokenizer
        first, second = [p.sentence1 for p in pairs], [p.sentence2 for p in pairs]
        self._masked, self._ranked = spec.masked, spec.ranked
        length = {"max_length": spec.max_length}
        self._tokens = Tokens(tokenizer, first, second, **length)
        self._sides = Tokens(tokenizer, first + second, **length) if self._ranked else None
        self._together = torch.tensor([p.label for p in pairs])
        self._special = torch.tensor(tokenizer.all_special_ids)
        self.lengths = self._tokens.lengths

    def batch(self, indices: np.ndarray) -> tuple[dict[str, object], Targets]:
        pairs = self._tokens.batch(indices)
        masked = torch.zeros(pairs["input_ids"].shape, dtype=torch.bool)
        guessed = None
        if self._masked:
            pairs["input_ids"], masked, guessed = self._with_masks(pairs["input_ids"])
        ranked = self._ranked and torch.rand(()).item() < self._ranked
        sides = self._sides.batch(np.concatenate([indices, indices + len(self.lengths)])) if ranked else None
        return {"pairs": pairs, "masked": masked, "sides": sides}, Targets(self._together[indices], guessed)

    def _with_masks(self, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Mask random tokens (BERT, section 3.1); return the new ids, a mask of the chosen tokens, and their ids."""
        # Half of the pairs are not masked, because a masked word may be the only difference between two sentences.
        whole = torch.rand(len(ids), 1) < 0.5
        chosen = (torch.rand(ids.shape) < self._masked) & ~whole & ~torch.isin(ids, self._special)
        fate, others = torch.rand(ids.shape), torch.randint(len(self._tokenizer), ids.shape)
        hidden = torch.where(chosen & (fate < 0.8), self._tokenizer.mask_token_id, ids)
        return torch.where(chosen & (fate >= 0.9), others, hidden), chosen, ids[chosen]

    def forward(self, inputs: dict[str, object]) -> Output:
        return self.module(**inputs)


def pair_encoder(spec: PairPretraining, pairs: Sequence[Pair], folder: Path, train: Callable) -> StageFacts:
    """Train a tokenizer, and an encoder that recognises which pairs of sentences belong together.

    This corresponds to BERT's next-sentence prediction. The saved encoder includes the pooler and the classifier's
    layers except the last.

    Args:
        spec: architecture, shape and recipe.
        pairs: pairs with label 1 if their sentences belong together, else 0.
        folder: destination of tokenizer and encoder.
        train: the engine's `train` with all arguments bound except task, objective and recipe.

    Returns:
        The facts of the training.
    """
    first, second = [p.sentence1 for p in pairs], [p.sentence2 for p in pairs]
    tokenizer = architectures.tokenizer(spec.architecture, first + second, spec.vocabulary)
    tokenizer.model_max_length = spec.max_length
    classifier = architectures.pair_classifier(spec.architecture, tokenizer, spec.shape)
    encoder = classifier.base_model
    restated = [p for p in pairs if p.label == 1]
    sides = [Tokens(tokenizer, [getattr(p, side) for p in restated], max_length=spec.max_length) for side in SIDES]
    known = [[tokens.of(n) for n in range(len(tokens))] for tokens in sides]
    vectors = matching.word_vectors(*known, len(tokenizer), matching.words_width(encoder))
    matching.start(encoder, vectors, has_sides="token_type_ids" in tokenizer.model_input_names)
    task = PretrainingPairs(PretrainingModel(classifier, spec.masked > 0), tokenizer, pairs, spec)
    facts = train(task, loss, spec.recipe)
    weights = {name: tensor for name, tensor in classifier.state_dict().items() if name not in LAST_LAYERS}
    classifier.save_pretrained(folder, state_dict=weights)
    tokenizer.save_pretrained(folder)
    return facts


def sentence_encoder(
    spec: SentencePretraining, start: Path, pairs: Sequence[Pair], folder: Path, where: str, train: Callable
) -> StageFacts:
    """Train an encoder to embed restatements close to each other, like the models of sentence-transformers.

    Args:
        spec: pooling and recipe.
        start: folder of the initial encoder.
        pairs: pairs of restatements.
        folder: destination of the encoder.
        where: device.
        train: the engine's `train`, as for `pair_encoder`.

    Returns:
        The facts of the training.
    """
    model = Model.open(ModelSpec("bi-encoder", pooling=spec.pooling, max_length=spec.max_length), start, where)
    ids, groups = [str(i) for i in range(len(pairs))], [p.group for p in pairs]
    columns = [p.sentence1 for p in pairs], [p.sentence2 for p in pairs]
    task = model.task(rows.Pairs(ids, *columns, np.ones(len(pairs)), groups, "binary"))
    facts = train(task, in_batch_ranking.loss, spec.recipe)
    model.save(folder)
    return facts
