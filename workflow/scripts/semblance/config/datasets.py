"""Specs of datasets and their sources from config/datasets.yaml."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from semblance.specs.data import SOURCES, DatasetSpec, HeldOut, Source
from semblance.specs.typed import typed


def spec(described: Mapping[str, Any]) -> DatasetSpec:
    """Return what an entry says about a dataset, whatever its source."""
    keys = {field.name for field in fields(DatasetSpec)} - {"held_out"}
    held_out = {split: HeldOut(rule["from"], rule["rows"]) for split, rule in described.get("held_out", {}).items()}
    return typed(DatasetSpec, {key: described[key] for key in keys & described.keys()} | {"held_out": held_out})


def sources(described: Mapping[str, Any]) -> dict[str, Source]:
    """Return the sources that an entry names, by kind."""
    return {kind: typed(SOURCES[kind], {**described[kind], "kind": kind}) for kind in SOURCES if kind in described}
