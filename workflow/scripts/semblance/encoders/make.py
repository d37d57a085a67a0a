"""Provide one encoder from its configured source."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from safetensors import safe_open

from semblance.data import rows
from semblance.data.generator import corpora, text
from semblance.data.generator.corpora import Pair
from semblance.data.generator.grammar import Grammar
from semblance.files import read_json
from semblance.paths import GRAMMAR


def make(
    spec: Mapping,
    data: Sequence[Path],
    start: Path | None,
    computing: Mapping,
    folder: Path,
    curve: Path,
    checkpoint: Callable,
) -> dict:
    """Fetch or pre-train an encoder.

    Args:
        spec: entry of the encoder in ``config/encoders.yaml``, with the chosen source.
        data: prepared splits with the text for pre-training.
        start: folder of the encoder from which pre-training starts, if any.
        computing: device, precision, threads and seed.
        folder: destination of the encoder.
        curve: file for the learning curve; it stays empty without pre-training.
        checkpoint: function that returns the `Checkpoint` from which an interrupted pre-training resumes.

    Returns:
        Facts about the encoder: title, source, size, and the results of fetching or pre-training.
    """
    curve.touch()
    title = spec["title"]
    if spec["kind"] in ("generated", "shipped"):
        title = f"made by this project, standing in for {title}"
    if spec["kind"] == "generated":
        facts = _pretrained(spec, data, start, computing, folder, curve, checkpoint)
    elif "gensim" in spec or str(spec.get("path", "")).endswith((".bin", ".gz", ".txt")):
        from semblance.encoders import word_vectors

        facts = word_vectors.fetch(spec, folder)
    else:
        from semblance.encoders.fetch import fetch

        facts = fetch(spec, folder)
    return {"title": title, "source": spec["kind"], **facts, **_size(folder)}


def _size(folder: Path) -> dict[str, int]:
    """Return the layers, width and parameters of an encoder in the format of transformers; nothing for word vectors."""
    if not (folder / "config.json").exists():
        return {}
    config = read_json(folder / "config.json")
    with safe_open(folder / "model.safetensors", "numpy") as weights:
        shapes = [weights.get_slice(name).get_shape() for name in list(weights.keys())]
    sizes = {"layers": config["num_hidden_layers"], "width": config["hidden_size"]}
    return sizes | {"parameters": sum(map(math.prod, shapes))}


def _pretrained(spec, data, start, computing, folder, curve, checkpoint) -> dict:
    seed = computing["seed"]
    if "dimensions" in spec:
        from semblance.encoders import word_vectors

        return word_vectors.skip_gram(spec, _sentences(spec, data), folder, seed)
    from semblance import device
    from semblance.curve import Curve
    from semblance.encoders import pretrain
    from semblance.training.engine import train

    accelerated = device.accelerator(**computing)
    learn = partial(
        train, seed=seed, stage="pre-training", accelerator=accelerated, curve=Curve(curve), checkpoint=checkpoint()
    )
    if start is not None:
        restatements = [p for p in _text(spec, data) if p.label == 1]
        return pretrain.sentence_encoder(spec, start, restatements, folder, accelerated.device.type, learn)
    return pretrain.pair_encoder(spec, _text(spec, data), folder, learn)


def _sentences(spec: Mapping, data: Sequence[Path]) -> list[str]:
    """Return the sentences for training word vectors: generated ones, or the distinct ones of prepared splits."""
    if "generated" in spec["corpus"]:
        return [s for pair in _text(spec, data) for s in (pair.sentence1, pair.sentence2)]
    return rows.distinct_sentences(rows.read(path) for path in data)


def _text(spec: Mapping, data: Sequence[Path]) -> list[Pair]:
    """Return the sentence pairs for pre-training: generated ones, or those of prepared splits.

    For prepared splits, the labels of the corpus are ignored: half of the pairs are original (label 1), the other half
    have a random second sentence (label 0).
    """
    if "generated" in spec["corpus"]:
        stream = corpora.Source(Grammar.load(GRAMMAR), random.Random("encoders"), "train")
        return text.text(stream, spec["corpus"]["generated"])
    rng, found = random.Random("encoders"), [rows.read(path) for path in data]
    sides = [(a, b) for pairs in found for a, b in zip(pairs.sentence1, pairs.sentence2, strict=True)]
    strangers = [b for _, b in sides]
    rng.shuffle(strangers)
    return [
        Pair(a, b, 1.0, "text") if rng.random() < 0.5 else Pair(a, stranger, 0.0, "text")
        for (a, b), stranger in zip(sides, strangers, strict=True)
    ]
