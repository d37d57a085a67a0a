"""Specs of datasets, and of the sources that they are read from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from semblance.paths import ROOT


def dataset_of(split: str) -> str:
    """Return the dataset of a split that is named like qqp/train."""
    return split.partition("/")[0]


@dataclass(frozen=True)
class HeldOut:
    """A split that is held out of another one where a source does not have it.

    Attributes:
        split: the split that it is held out of.
        rows: number of rows, at random.
    """

    split: str
    rows: int


@dataclass(frozen=True)
class DatasetSpec:
    """What a dataset is, whatever its source.

    Attributes:
        label: the kind of label, a key of `registry.LABELS`.
        splits: the splits that are prepared.
        empty_text: whether rows without text or label are dropped and counted, or refused.
        unlabelled: splits that are only counted.
        held_out: splits that are held out of another one where a source does not have them.
        minimum_characters: rows with a shorter text are dropped and counted.
        rows: maximum number of rows of splits, which are sampled at random.
        sampled_by: what is sampled: single rows, or premises, each with all rows whose first sentence it is.
        version: version of a dataset that is the project's own.
        quoted: whether its rows are quoted from the papers, though the project has typed them in.
    """

    label: str
    splits: tuple[str, ...]
    empty_text: Literal["drop", "refuse"]
    unlabelled: tuple[str, ...] = ()
    held_out: Mapping[str, HeldOut] = field(default_factory=dict)
    minimum_characters: int = 1
    rows: Mapping[str, int] = field(default_factory=dict)
    sampled_by: Literal["premise"] | None = None
    version: int | None = None
    quoted: bool = False


@dataclass(frozen=True)
class Citation:
    """What a dataset is, for readers: its name, whose work it is, and its licence."""

    title: str
    cite: str = ""
    licence: str = ""


@dataclass(frozen=True)
class HubTable:
    """A table on the hub.

    Attributes:
        repo: name of the repository.
        revision: full commit id.
        splits: the hub's name of each split.
        columns: the table's columns of sentence1, sentence2, label and, if any, group.
        configuration: name of the configuration.
    """

    repo: str
    revision: str
    splits: Mapping[str, str]
    columns: Mapping[str, str]
    configuration: str | None = None
    kind: Literal["hub"] = "hub"


# Formats of official files, each read by the function of that name in `data.formats`.
Format = Literal[
    "glue-qqp-tsv",
    "stsb-csv",
    "msr-paraphrase",
    "snli-jsonl",
    "cs224n-csv",
    "stress-csv",
]


@dataclass(frozen=True)
class RepositoryFiles:
    """Files of a public git repository at one commit.

    Attributes:
        url: address of the repository's raw files.
        commit: full commit id.
        format: name of their format.
        splits: the path of each split.
        blobs: git's id of each of these files, which is checked.
    """

    url: str
    commit: str
    format: Format
    splits: Mapping[str, str]
    blobs: Mapping[str, str]
    kind: Literal["repository"] = "repository"


@dataclass(frozen=True)
class OfficialFiles:
    """Files in a corpus's official format, or in the checkout (kind ``project``).

    Attributes:
        format: name of their format.
        splits: the path of each split in the folder.
        folder: the user's folder of corpora; None is the checkout.
    """

    format: Format
    splits: Mapping[str, str]
    folder: str | None = None
    kind: Literal["files", "project"] = "files"

    def path(self, split: str) -> Path:
        folder = ROOT if self.kind == "project" else Path(self.folder or "").expanduser()
        return folder / self.splits[split]


@dataclass(frozen=True)
class UserTable:
    """A user's own file of pairs; see `data.tables`.

    Attributes:
        splits: the file of each split.
        columns: the file's columns of sentence1, sentence2 and label.
        lowest: lowest score on the file's scale; None for labels.
        highest: highest score.
    """

    splits: Mapping[str, str]
    columns: Mapping[str, str]
    lowest: float | None = None
    highest: float | None = None
    kind: Literal["table"] = "table"

    def path(self, split: str) -> Path:
        """Return the file of a split, relative to Snakemake's working directory."""
        return Path(self.splits[split]).expanduser()


@dataclass(frozen=True)
class GeneratedCorpus:
    """A corpus of the generator.

    Attributes:
        corpus: kind of corpus; `data.sources.GENERATED` has the generator of each.
        rows: number of rows of each split.
        stream: seed of its texts; None is the kind of corpus, so that such datasets share texts.
    """

    corpus: Literal["duplicates", "graded", "inference", "stress", "sentiment", "polarity"]
    rows: Mapping[str, int]
    stream: str | None = None
    kind: Literal["generated"] = "generated"


Source = HubTable | RepositoryFiles | OfficialFiles | UserTable | GeneratedCorpus
SOURCES: dict[str, type] = {
    "hub": HubTable,
    "repository": RepositoryFiles,
    "files": OfficialFiles,
    "project": OfficialFiles,
    "table": UserTable,
    "generated": GeneratedCorpus,
}
