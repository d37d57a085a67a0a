"""Provide one encoder from its configured source."""

import math
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from safetensors import safe_open

from semblance.data import rows
from semblance.data.generator import corpora, text
from semblance.data.generator.corpora import Pair
from semblance.data.generator.grammar import Grammar
from semblance.files import read_json
from semblance.paths import GRAMMAR
from semblance.specs.computing import Computing
from semblance.specs.encoders import (
    EncoderSpec,
    HubVectors,
    LocalFiles,
    Pretraining,
    SentencePretraining,
    SkipGram,
    Text,
)

SEED = 1  # of pre-training


def make(
    spec: EncoderSpec,
    data: Sequence[Path],
    start: Path | None,
    computing: Computing,
    folder: Path,
    curve: Path,
    checkpoint: Callable,
) -> dict:
    """Fetch or pre-train an encoder.

    Args:
        spec: title and source of the encoder.
        data: prepared splits with the text for pre-training.
        start: folder of the encoder from which pre-training starts, if any.
        computing: device, precision and threads.
        folder: destination of the encoder.
        curve: file for the learning curve; it stays empty without pre-training.
        checkpoint: function that returns the `Checkpoint` from which an interrupted pre-training resumes.

    Returns:
        Facts about the encoder: title, source, size, and the results of fetching or pre-training.
    """
    curve.touch()
    title, source = spec.title, spec.source
    if source.kind in ("generated", "shipped"):
        title = f"made by this project, standing in for {title}"
    if isinstance(source, Pretraining):
        facts = _pretrained(source, data, start, computing, folder, curve, checkpoint)
    elif isinstance(source, HubVectors) or (isinstance(source, LocalFiles) and source.is_word_vectors):
        from semblance.encoders import word_vectors

        facts = word_vectors.fetch(source, folder)
    else:
        from semblance.encoders.fetch import fetch

        facts = fetch(source, folder)
    return {"title": title, "source": source.kind, **facts, **_size(folder)}


def _size(folder: Path) -> dict[str, int]:
    """Return the layers, width and parameters of an encoder in the format of transformers; nothing for word vectors."""
    if not (folder / "config.json").exists():
        return {}
    config = read_json(folder / "config.json")
    with safe_open(folder / "model.safetensors", "numpy") as weights:
        shapes = [weights.get_slice(name).get_shape() for name in list(weights.keys())]
    sizes = {"layers": config["num_hidden_layers"], "width": config["hidden_size"]}
    return sizes | {"parameters": sum(map(math.prod, shapes))}


def _pretrained(source, data, start, computing, folder, curve, checkpoint) -> dict:
    if isinstance(source, SkipGram):
        from semblance.encoders import word_vectors

        return word_vectors.skip_gram(source, _sentences(source.corpus, data), folder, SEED)
    from semblance import device
    from semblance.curve import Curve
    from semblance.encoders import pretrain
    from semblance.training.engine import train

    accelerated = device.accelerator(computing, SEED)
    learn = partial(
        train, seed=SEED, stage="pre-training", accelerator=accelerated, curve=Curve(curve), checkpoint=checkpoint()
    )
    if isinstance(source, SentencePretraining):
        restatements = [p for p in _text(source.corpus, data) if p.label == 1]
        return pretrain.sentence_encoder(source, start, restatements, folder, accelerated.device.type, learn)
    return pretrain.pair_encoder(source, _text(source.corpus, data), folder, learn)


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
