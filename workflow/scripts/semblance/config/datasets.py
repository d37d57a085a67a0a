"""The datasets of config/datasets.yaml, and their sources under the settings."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from semblance.errors import UserError, require
from semblance.paths import GRAMMAR
from semblance.registry import LABELS
from semblance.specs.data import (
    SOURCES,
    Citation,
    DatasetSpec,
    GeneratedCorpus,
    HeldOut,
    OfficialFiles,
    Source,
    UserTable,
)
from semblance.specs.settings import Settings
from semblance.specs.typed import typed


def spec(described: Mapping[str, Any]) -> DatasetSpec:
    """Return what an entry says about a dataset, whatever its source."""
    held_out = {split: HeldOut(rule["from"], rule["rows"]) for split, rule in described.get("held_out", {}).items()}
    return typed(DatasetSpec, {**described, "held_out": held_out}, only_known=True)


def citation(described: Mapping[str, Any]) -> Citation:
    """Return what an entry tells readers; a user's own file has neither citation nor licence."""
    return Citation(described["title"], described.get("cite", ""), described.get("licence", ""))


def sources(described: Mapping[str, Any]) -> dict[str, Source]:
    """Return the sources that an entry names, by kind."""
    return {kind: typed(SOURCES[kind], {**described[kind], "kind": kind}) for kind in SOURCES if kind in described}


def check_splits(name: str, spec: DatasetSpec, sources: Mapping[str, Source]) -> None:
    """Raise UserError if a split is held out of none of the dataset's, or a user's table lacks a split or a scale.

    Args:
        name: name of the dataset.
        spec: the dataset.
        sources: its sources, by kind.
    """
    where = f"config/datasets.yaml: {name}"
    for split, rule in spec.held_out.items():
        require(split, spec.splits, "split", f"{where}.held_out")
        require(rule.split, spec.splits, "split", f"{where}.held_out.{split}.from")
        if rule.split == split:
            raise UserError(f"{where}.held_out: {split} cannot be held out of itself")
        if rule.split in spec.held_out:
            raise UserError(
                f"{where}.held_out.{split}.from: {rule.split} is itself taken from another split; name that"
            )
    for source in sources.values():
        if isinstance(source, UserTable):
            for split in spec.splits:
                require(split, [*source.splits, *spec.held_out], "file of split", f"{where}.table.splits")
            low, high = source.lowest, source.highest
            is_scale = LABELS[spec.label].is_score and low is not None and high is not None and low < high
            if (low, high) != (None, None) and not is_scale:
                raise UserError(f"{where}.table: lowest and highest are the two ends of a score's scale")


def check_split(datasets: "Datasets", name: str, where: str) -> None:
    """Raise UserError if no dataset has the split, named like qqp/train."""
    dataset, _, split = name.partition("/")
    require(dataset, datasets, "dataset", where)
    require(split, datasets[dataset].splits, f"split of {dataset}", where)


@dataclass(frozen=True)
class Datasets:
    """The datasets, and where they come from under the settings; splits are named like qqp/train."""

    described: Mapping[str, DatasetSpec]
    citations: Mapping[str, Citation]
    sources: Mapping[str, Mapping[str, Source]]  # of each dataset, by kind
    settings: Settings

    def __iter__(self) -> Iterator[str]:
        return iter(self.described)

    def __getitem__(self, name: str) -> DatasetSpec:
        """Return what a dataset is, with the preset's numbers of rows."""
        found = self.described[name]
        return replace(found, rows={**found.rows, **self.settings.rows_of(name)})

    @property
    def labels(self) -> Mapping[str, str]:
        """The type of every dataset's labels."""
        return {name: spec.label for name, spec in self.described.items()}

    def source(self, name: str) -> Source:
        """Return where a dataset comes from.

        Raises:
            UserError: the dataset does not have the source that the settings want.
        """
        kind = self._kind(name)
        if kind is None:
            sources = ", ".join(key for key in ("hub", "files") if key in self.sources[name])
            wanted = self.settings.data_source
            raise UserError(f"config/datasets.yaml: {name} has no source {wanted!r}; set data_source to {sources}")
        source = self.sources[name][kind]
        if isinstance(source, OfficialFiles) and kind == "files":
            return replace(source, folder=self.settings.data_folder)
        if isinstance(source, GeneratedCorpus):
            chosen = self.settings.rows_of(name)  # names held-out splits too, which are not generated
            return replace(source, rows={split: chosen.get(split, count) for split, count in source.rows.items()})
        return source

    def with_source(self) -> list[str]:
        """Return the datasets that the configured `data_source` can provide."""
        return [name for name in self if self._kind(name)]

    def is_fetched(self, name: str) -> bool:
        """Return whether a dataset comes over the network."""
        return self._kind(name) in ("hub", "repository")

    def files(self, name: str, is_prepared: bool = False) -> list[str]:
        """Return the existing files from which a dataset is read; its preparation reports missing ones.

        If a prepared dataset has lost all of them, as on another machine, they are returned nevertheless: Snakemake
        keeps what it cannot make again.
        """
        source = self.source(name)
        if isinstance(source, GeneratedCorpus):
            return [os.path.relpath(GRAMMAR)]
        if not isinstance(source, OfficialFiles | UserTable):
            return []
        files = list(dict.fromkeys(source.path(split) for split in source.splits))
        there = [path for path in files if path.exists()]
        return [os.path.relpath(path) for path in (files if is_prepared and not there else there)]

    def _kind(self, name: str) -> str | None:
        wanted = self.settings.data_source
        # Some public corpora have a repository instead of a place on the hub; the project's own have neither.
        order = (wanted, *(["repository"] if wanted == "hub" else []), "project", "table", "generated")
        return next((kind for kind in order if kind in self.sources[name]), None)
