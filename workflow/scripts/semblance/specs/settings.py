"""How the papers are run: what config/config.yaml and the preset set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from semblance.specs.computing import Computing
from semblance.specs.typed import typed

PAPERS = ("stl", "minilm", "sn3d", "smart", "metric", "leaderboard")  # unless the settings or the preset name others


@dataclass(frozen=True)
class EncoderChoice:
    """What the settings say about one encoder.

    Attributes:
        same_as: another encoder that is used instead, so that one set of weights serves both.
        source: kind of source; None for that of all encoders.
        path: a user's folder or file.
        hub: keys of a repository on the hub.
        generated: changed keys of a pre-training.
    """

    same_as: str | None = None
    source: str | None = None
    path: str | None = None
    hub: Mapping[str, Any] = field(default_factory=dict)
    generated: Mapping[str, Any] = field(default_factory=dict)

    def changes(self, kind: str) -> Mapping[str, Any]:
        """Return the changed keys of a source of the given kind."""
        return {"hub": self.hub, "generated": self.generated}.get(kind, {})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings, complete: those of config/config.yaml and the command line come before the preset's.

    Attributes:
        preset: name of the preset.
        about: what the preset is for.
        data_source: kind of source of the corpora.
        data_folder: folder of official files.
        encoder_source: kind of source of encoders without one of their own.
        encoders: what is said about single encoders.
        seeds: seeds of every random run.
        seeds_are_the_presets: whether the preset gives the seeds.
        one_seed: patterns of names of runs that have only the first seed, by paper.
        rows: numbers of rows of splits, by dataset.
        threads: CPU threads of a job.
        share_jobs: whether jobs train several runs of a paper one after another; see `planning.jobs`.
        device: where jobs compute.
        precision: precision of training.
    """

    preset: str
    about: str
    data_source: Literal["hub", "files", "generated"]
    data_folder: str | None = None
    encoder_source: str
    encoders: Mapping[str, EncoderChoice]
    seeds: tuple[int, ...]
    seeds_are_the_presets: bool
    one_seed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    threads: int
    share_jobs: bool = False
    device: Literal["auto", "cpu", "cuda"]
    precision: Literal["auto", "fp32", "bf16"]

    @property
    def computing(self) -> Computing:
        """Results depend on the number of threads that compute them, so it is the preset's on any number of cores."""
        return Computing(self.device, self.precision, self.threads)

    def has_one_seed(self, paper: str, run: str) -> bool:
        """Return whether a run has only the first seed, also if it depends on it."""
        return any(fnmatchcase(run, pattern) for pattern in self.one_seed.get(paper, ()))

    def rows_of(self, dataset: str) -> Mapping[str, int]:
        """Return the preset's numbers of rows of a dataset's splits."""
        return self.rows.get(dataset, {})

    def encoder(self, name: str) -> EncoderChoice:
        """Return what is said about an encoder."""
        return self.encoders.get(name, EncoderChoice())

    @classmethod
    def of(cls, chosen: Mapping[str, Any], preset: Mapping[str, Any]) -> Settings:
        """Return the complete settings.

        Args:
            chosen: the checked keys of config/config.yaml, with those of the command line.
            preset: the checked keys of the preset.
        """
        own, given = chosen["encoders"], preset.get("encoders", {})
        keys = {**preset, **{key: value for key, value in chosen.items() if value is not None}}
        keys["encoders"] = {name: _encoder(own.get(name, {}), given.get(name, {})) for name in [*given, *own]}
        keys["seeds"] = [int(seed) for seed in keys["seeds"]]  # to JSON Schema, 1.0 is an integer too
        keys["seeds_are_the_presets"] = chosen["seeds"] is None
        return typed(cls, keys, only_known=True)


def _encoder(chosen: Mapping[str, Any], preset: Mapping[str, Any]) -> EncoderChoice:
    """Return what is chosen for an encoder, and the preset's other keys.

    A source drops the preset's `same_as`; a `same_as` drops all of the preset's keys.
    """
    if chosen.keys() & {"source", "path", "generated"}:
        preset = {key: value for key, value in preset.items() if key not in ("same_as", "source")}
    elif "same_as" in chosen:
        preset = {}
    given = {**preset, **chosen}
    # A key of a source also names the source.
    implied = next((key for key in (*chosen, *given) if key in ("path", "generated")), None)
    return typed(EncoderChoice, {"source": implied, **given})
