"""Structured initialisation with which a tiny encoder learns to compare two sentences in seconds.

A network of two layers with random weights must first learn that words match words of the other sentence. This
initialisation provides such matches in the first layer: half of the attention heads attend to the same word elsewhere,
and the others to the previous or next word. Words that replace each other in restatements start with similar vectors.
It is inspired by Trockman and Kolter 2023, "Mimetic initialization of self-attention layers".

The features of an embedding consist of three parts in this order: the word, sines and cosines of the position, and the
side (first or second sentence).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

PLACES = 0.25  # share of features for the position
SIDES = 2  # number of features for the side
OF_PLACES, OF_SIDES = 0.25, 0.06  # shares of position and side in the squared length of an embedding
LONGEST = 80.0  # longest period of the sines, in tokens; the shortest is 2
MATCH, SIDE, NEXT = 1.2, 1.8, 1.4  # initial strength of attention to the same word, the other side, a neighbour
NOISE = 0.02  # standard deviation of all other weights of the heads
REPEL = 8  # features per head against attention to the own position, if the tokenizer marks no sides
SEEN = 2  # minimum number of co-occurrences of two words in restatements, the mean of both orders


def word_vectors(first: list[np.ndarray], second: list[np.ndarray], vocabulary: int, width: int) -> Tensor:
    """Return token vectors that are similar for tokens that replace each other in restatements.

    The vectors are random projections of the rows of a matrix: the squared positive pointwise mutual information
    between the tokens of a sentence and those of its restatement.

    Args:
        first: token ids of n sentences.
        second: token ids of their restatements.
        vocabulary: number of tokens.
        width: number of features per vector.

    Returns:
        Vectors of unit length, shape (vocabulary, width).
    """
    together = np.zeros((vocabulary, vocabulary), np.float32)
    for a, b in zip(first, second, strict=True):
        together[np.ix_(np.unique(a), np.unique(b))] += 1
    often = np.zeros(vocabulary)
    for tokens in (*first, *second):
        often[np.unique(tokens)] += 0.5
    together = (together + together.T) / 2
    lift = together * len(first) / np.maximum(np.outer(often, often), 1)
    information = np.log(np.maximum(lift, 1)) ** 2 * (together >= SEEN)
    information /= np.maximum(np.linalg.norm(information, axis=1, keepdims=True), 1e-6)
    directions = np.random.default_rng(0).normal(size=(vocabulary, width))
    vectors = information @ directions
    unknown = np.linalg.norm(vectors, axis=1) < 1e-6
    vectors[unknown] = directions[unknown]
    return F.normalize(torch.tensor(vectors, dtype=torch.float32), dim=1)


def words_width(encoder: nn.Module) -> int:
    """Return the number of features for the word in an encoder's embeddings."""
    width = encoder.embeddings.word_embeddings.embedding_dim
    return width - round(PLACES * width) // 2 * 2 - SIDES


@dataclass(frozen=True)
class Features:
    """Layout of an embedding's features.

    Attributes:
        width: total number of features.
        words: number of features for the word.
    """

    width: int
    words: int

    @property
    def half(self) -> int:
        return (self.width - self.words - SIDES) // 2

    @property
    def rates(self) -> Tensor:
        """Angular frequencies of the sines, in radians per position, shape (half,)."""
        return math.pi * torch.exp(-torch.arange(self.half) / self.half * math.log(LONGEST / 2))

    @property
    def sines(self) -> slice:
        return slice(self.words, self.words + self.half)

    @property
    def cosines(self) -> slice:
        return slice(self.words + self.half, self.width - SIDES)

    @property
    def sides(self) -> slice:
        return slice(self.width - SIDES, self.width)


@torch.no_grad()
def start(encoder: nn.Module, vectors: Tensor, has_sides: bool) -> None:
    """Initialise an encoder's embeddings, and the queries and keys of its first layer.

    Args:
        encoder: an untrained BERT, RoBERTa or ALBERT.
        vectors: vectors of its tokens, shape (vocabulary, `words_width(encoder)`).
        has_sides: whether its tokenizer marks the two sentences of a pair by token type.
    """
    features = Features(encoder.embeddings.word_embeddings.embedding_dim, vectors.shape[1])
    _embed(encoder.embeddings, vectors, features)
    heads = encoder.config.num_attention_heads
    query, key = _queries_and_keys(encoder)
    for projection in (query, key):
        projection.weight.normal_(0, NOISE)
    rows, per_head = iter(range(encoder.config.hidden_size)), encoder.config.hidden_size // heads
    for basis in _directions(features.words, heads // 2, per_head - (SIDES if has_sides else REPEL)):
        _match(query, key, _take(rows, len(basis)), basis, heads // 2)
        if has_sides:
            place = _take(rows, SIDES)
            key.weight[place, features.sides] += SIDE * torch.eye(SIDES)
            query.weight[place, features.sides] -= SIDE * torch.eye(SIDES)
        else:
            _attend(query, key, _take(rows, REPEL), features, shift=0, strength=-NEXT)
    for number in range(heads - heads // 2):
        _attend(query, key, _take(rows, per_head), features, shift=(-1, 1)[number % 2], strength=NEXT)


def _embed(embeddings: nn.Module, vectors: Tensor, features: Features) -> None:
    angles = torch.arange(embeddings.position_embeddings.num_embeddings)[:, None] * features.rates
    table = embeddings.word_embeddings.weight.zero_()
    table[:, : features.words] = vectors * math.sqrt(1 - OF_PLACES - OF_SIDES)
    table = embeddings.position_embeddings.weight.zero_()
    for place, wave in ((features.sines, angles.sin()), (features.cosines, angles.cos())):
        table[:, place] = wave * math.sqrt(OF_PLACES / features.half)
    table = embeddings.token_type_embeddings.weight.zero_()
    table[:, features.sides] = math.sqrt(OF_SIDES / SIDES) * torch.tensor([[1.0], [-1.0]])


def _match(query: nn.Linear, key: nn.Linear, rows: list[int], basis: Tensor, heads: int) -> None:
    """Let some rows of one of `heads` matching heads attend to the same word, along `basis` of shape (rows, words)."""
    words = basis.shape[1]
    apart = heads if heads * len(basis) <= words else 1  # number of heads with disjoint directions
    scale = MATCH * math.sqrt(words / len(basis) / apart)
    key.weight[rows, :words] += scale * basis
    query.weight[rows, :words] += scale * basis


def _attend(
    query: nn.Linear, key: nn.Linear, rows: list[int], features: Features, *, shift: int, strength: float
) -> None:
    """Let some rows of a head attend to the position at offset `shift`, or avoid it if `strength` is negative."""
    count = min(len(rows) // 2, features.half)
    chosen = torch.linspace(0, features.half - 1, count).round().long()
    turn = features.rates[chosen] * shift
    first, second = torch.tensor(rows[:count]), torch.tensor(rows[count : 2 * count])
    sine, cosine = chosen + features.sines.start, chosen + features.cosines.start
    key.weight[first, sine] += abs(strength)
    key.weight[second, cosine] += abs(strength)
    # The query encodes sin(x + shift) and cos(x + shift) of its own position x.
    query.weight[first, sine] += strength * turn.cos()
    query.weight[first, cosine] += strength * turn.sin()
    query.weight[second, cosine] += strength * turn.cos()
    query.weight[second, sine] -= strength * turn.sin()


def _directions(words: int, heads: int, rows: int) -> list[Tensor]:
    """Return orthonormal directions in the space of word features for each matching head, shape (rows, words)."""
    random = torch.Generator().manual_seed(0)
    basis = torch.linalg.qr(torch.randn(words, words, generator=random))[0]
    rows = min(rows, words)
    return [basis[(torch.arange(rows) + number * rows) % words] for number in range(heads)]


def _take(rows: Iterator[int], count: int) -> list[int]:
    return [next(rows) for _ in range(count)]


def _queries_and_keys(encoder: nn.Module) -> tuple[nn.Linear, nn.Linear]:
    """Return the query and key projections of the first layer, which is ALBERT's only one."""
    if encoder.config.model_type == "albert":
        nn.init.eye_(encoder.encoder.embedding_hidden_mapping_in.weight)
        attention = encoder.encoder.albert_layer_groups[0].albert_layers[0].attention
    else:
        attention = encoder.encoder.layer[0].attention.self
    return attention.query, attention.key
