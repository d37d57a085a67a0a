"""One encoder, from wherever the configuration says it comes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from semblance import imports
from semblance.data import rows
from semblance.data.generator import corpora, text
from semblance.data.generator.corpora import Pair
from semblance.data.generator.grammar import Grammar
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
    """Fetch or pre-train an encoder into `folder`; return its facts.

    `data` are the prepared splits whose text a pre-training reads, `start` the encoder it starts from,
    `checkpoint` makes what a pre-training goes on from.
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
    return {"title": title, "source": spec["kind"], **facts}


def _pretrained(spec, data, start, computing, folder, curve, checkpoint) -> dict:
    seed = computing["seed"]
    if "dimensions" in spec:
        with imports.late():
            from semblance.encoders import word_vectors

        return word_vectors.skip_gram(spec, _sentences(spec, data), folder, seed)
    with imports.late():
        from semblance.encoders import pretrain
        from semblance.training import device
        from semblance.training.curve import Curve
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
    """Sentences to learn words from: the generator's as it writes them, or every one of prepared splits once."""
    if "generated" in spec["corpus"]:
        return [s for pair in _text(spec, data) for s in (pair.sentence1, pair.sentence2)]
    return rows.distinct_sentences(rows.read(path) for path in data)


def _text(spec: Mapping, data: Sequence[Path]) -> list[Pair]:
    """Pairs of sentences to learn language from: the generator's, or those of prepared splits.

    Splits' own labels are not looked at: half of the pairs are real, half have a random partner.
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
