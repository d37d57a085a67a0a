"""Provide one encoder from its configured source."""

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from safetensors import safe_open

from semblance.specs.computing import Computing
from semblance.specs.encoders import EncoderSpec, FirstLayers, HubVectors, LocalFiles, Pretraining, ShippedModel
from semblance.specs.facts import EncoderFacts

PRETRAIN = "semblance.encoders.pretrain"


def make(
    spec: EncoderSpec,
    data: Sequence[Path],
    start: Path | None,
    computing: Computing | None,
    folder: Path,
    curve: Path,
    checkpoint: Callable,
) -> EncoderFacts:
    """Fetch or pre-train an encoder.

    Args:
        spec: title and source of the encoder.
        data: prepared splits with the text for pre-training.
        start: folder of the encoder from which this one is made, if any.
        computing: device, precision and threads of pre-training.
        folder: destination of the encoder.
        curve: file for the learning curve; it stays empty without pre-training.
        checkpoint: function that returns the `Checkpoint` from which an interrupted pre-training resumes.

    Returns:
        Facts about the encoder: title, source, size, and the results of fetching or pre-training.
    """
    curve.touch()
    title, source = spec.title, spec.source
    if isinstance(source, Pretraining | ShippedModel):
        title = f"made by this project, standing in for {title}"
    if isinstance(source, Pretraining):
        # By name, because the code of a fetched encoder must not include that of training: see `code.digest`.
        facts = import_module(PRETRAIN).pretrained(source, data, start, computing, folder, curve, checkpoint)
    elif isinstance(source, HubVectors) or (isinstance(source, LocalFiles) and source.is_word_vectors):
        from semblance.encoders import word_vectors

        facts = word_vectors.fetch(source, folder)
    elif isinstance(source, FirstLayers):
        from semblance.encoders.fetch import first_layers

        facts = first_layers(source, start, folder)
    else:
        from semblance.encoders.fetch import fetch

        facts = fetch(source, folder)
    return EncoderFacts(title=title, source=source.kind, **facts, **_size(folder))


def _size(folder: Path) -> dict[str, int]:
    """Return the layers, width and parameters of an encoder in the format of transformers; nothing for word vectors."""
    if not (folder / "config.json").exists():
        return {}
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(folder)  # has the same names for every architecture
    with safe_open(folder / "model.safetensors", "numpy") as weights:
        shapes = [weights.get_slice(name).get_shape() for name in list(weights.keys())]
    parameters = sum(map(math.prod, shapes))
    return {"layers": config.num_hidden_layers, "width": config.hidden_size, "parameters": parameters}
