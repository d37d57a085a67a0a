"""results.json, the results of a finished preset: its contents, and how it is read.

config/schema/results.yaml describes the file for its users.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semblance.contradictions import Audit
from semblance.errors import UserError
from semblance.files import read_json
from semblance.findings import JudgedClaim, Judgement
from semblance.specs.typed import typed


@dataclass(frozen=True)
class UsedSettings:
    """The settings that can change results."""

    seeds: tuple[int, ...]
    data_source: str
    encoder_source: str
    precision: str

    def plain(self) -> dict[str, Any]:
        """Return them as in config/config.yaml."""
        return {**vars(self), "seeds": list(self.seeds)}


@dataclass(frozen=True)
class Training:
    """Core-hours of all trainings, and the distinct devices, processors, numbers of cores and precisions."""

    core_hours: float
    device: tuple[str, ...]
    processor: tuple[str, ...]
    cores: tuple[int, ...]
    precision: tuple[str, ...]


@dataclass(frozen=True)
class ReplicatedPaper:
    """A paper that was replicated."""

    title: str
    authors: str
    url: str | None = None


@dataclass(frozen=True)
class UsedDataset:
    """A dataset: by split, the rows used, the rows read, and SHA-256 of the official files; `recipe` is a digest."""

    title: str
    source: str
    recipe: str
    rows: Mapping[str, int]
    read: Mapping[str, int]
    sha256: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class UsedEncoder:
    """An encoder, and the encoders of the papers for which it stands in."""

    title: str
    source: str
    repo: str | None
    revision: str | None
    weights_sha256: str | None
    stands_in_for: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class JudgedRun(Judgement):
    """What one seed of a run learned; `recipe` is the digest of its configuration."""

    paper: str
    run: str
    recipe: str


@dataclass(frozen=True, kw_only=True)
class ShownNumber:
    """A number of a table; see `findings.MeasuredCell`. `contradicted`: whether other printed numbers contradict it."""

    row: str
    column: str
    value: float | None
    low: float | None
    high: float | None
    undefined: bool
    examples: int | None
    clusters: int | None
    seeds: int
    learned: str | None
    timed: bool
    published: float | None
    verdict: str | None
    digits: int
    threshold_tuned_on_scored_rows: bool
    selected_on_scored_rows: bool
    contradicted: bool


@dataclass(frozen=True)
class ShownTable:
    """The numbers of a table."""

    paper: str
    name: str
    caption: str
    source: str
    numbers: tuple[ShownNumber, ...]


@dataclass(frozen=True)
class Results:
    """The results of a preset.

    Attributes:
        preset: name of the preset.
        about: what its numbers are worth.
        version: release of semblance.
        commit: commit of the code that wrote the file; ends with -dirty if files were changed.
        settings: the settings that can change results.
        versions: versions of the libraries that made all runs; None if there are no runs.
        training: what the runs were trained on, and for how long.
        papers: the papers, by name.
        datasets: the datasets, by name.
        encoders: the encoders, by name.
        recipes: digest of every run's configuration, by paper/run.
        checksums: SHA-256 of the files of tables, claims and figures, by folder and name.
        runs: what every trained run learned, one seed after another.
        tables: the tables of all papers.
        claims: the judged claims of all papers.
        audit: comparison of published numbers with each other.
    """

    preset: str
    about: str
    version: str
    commit: str
    settings: UsedSettings
    versions: Mapping[str, str] | None
    training: Training
    papers: Mapping[str, ReplicatedPaper]
    datasets: Mapping[str, UsedDataset]
    encoders: Mapping[str, UsedEncoder]
    recipes: Mapping[str, str]
    checksums: Mapping[str, str]
    runs: tuple[JudgedRun, ...]
    tables: tuple[ShownTable, ...]
    claims: tuple[JudgedClaim, ...]
    audit: Audit

    @property
    def used_precision(self) -> str:
        """What the setting `precision` meant on the machines of the trainings, if it was ``auto``."""
        used = {precision for found in self.training.precision for precision in found.split(" and ")}
        return ("bf16" if "bf16" in used else "fp32") if used else self.settings.precision

    def claims_of(self, paper: str) -> list[JudgedClaim]:
        """Return the judged claims of a paper."""
        return [claim for claim in self.claims if claim.paper == paper]

    def runs_of(self, paper: str) -> list[JudgedRun]:
        """Return what the trained runs of a paper learned, one seed after another."""
        return [run for run in self.runs if run.paper == paper]

    def tables_of(self, paper: str) -> list[ShownTable]:
        """Return the tables of a paper."""
        return [table for table in self.tables if table.paper == paper]


def read_results(path: Path) -> Results:
    """Read a results.json, which must have all that this version writes; what a later version has added is left out.

    Raises:
        UserError: if the file is missing, is not JSON, or lacks something.
    """
    if not path.is_file():
        raise UserError(f"{path} is not there: run the preset first, or correct the path")
    try:
        content = read_json(path)
    except ValueError as problem:
        raise UserError(f"{path} is not JSON ({problem}): name the results.json of a preset") from None
    if not isinstance(content, dict) or "commit" not in content:
        raise UserError(f"{path} is no results.json: name the results.json of a preset")
    try:
        return typed(Results, content, only_known=True)
    except TypeError as problem:
        made = f"commit {content['commit']} made {path}, with another version of semblance"
        raise UserError(f"{made} ({problem}): run the preset again") from None


def file_of(named: str) -> Path:
    """Return the file that a setting names: results.json itself, or a folder that contains it."""
    return Path(named) / "results.json" if Path(named).is_dir() else Path(named)


def check_named(first: str | None, second: str | None) -> list[str]:
    """Check that all settings name results, before a job says so among Snakemake's own errors; return no files.

    Raises:
        UserError: as `read_results`, or if a setting is missing.
    """
    for setting, one in {"first": first, "second": second}.items():
        if not one:
            raise UserError(
                f"{setting}= is missing: snakemake --cores 1 compare --config first=results/demo second=results/laptop"
            )
        read_results(file_of(one))
    return []
