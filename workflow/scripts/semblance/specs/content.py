"""The contents of the report and of results.json, as paths of files."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semblance.specs.cells import Headline
from semblance.specs.data import Citation


@dataclass(frozen=True)
class FigureFile:
    """A drawn figure, its caption, and how to read it."""

    caption: str
    reading: str
    svg: str


@dataclass(frozen=True)
class PaperContent:
    """What is shown of a paper.

    Attributes:
        name: its name.
        title: its title.
        authors: its authors.
        url: its address; None if it has none.
        headline: its main comparison; None if it has none.
        tables: files of measured tables.
        lists: files of lists.
        claims: file of its claims; empty if it has none.
        figures: its figures.
        runs: facts of every run, one file per seed.
        learned: by trained run, the file that says whether it learned.
    """

    name: str
    title: str
    authors: str
    url: str | None
    headline: Headline | None
    tables: tuple[str, ...]
    lists: tuple[str, ...]
    claims: tuple[str, ...]
    figures: tuple[FigureFile, ...]
    runs: Mapping[str, tuple[str, ...]]
    learned: Mapping[str, str]


@dataclass(frozen=True)
class DatasetContent:
    """A dataset: the file of its facts, the digest of its configuration, and where it comes from."""

    facts: str
    recipe: str
    citation: Citation


@dataclass(frozen=True)
class EncoderContent:
    """An encoder: the file of its facts, and the other encoders for which it stands in."""

    facts: str
    stands_in_for: tuple[str, ...]


@dataclass(frozen=True)
class Content:
    """What the report and results.json are made of.

    Attributes:
        preset: name of the preset.
        about: what the preset's numbers are worth.
        settings: the settings that can change results.
        papers: the papers.
        datasets: the datasets that were used, by name.
        encoders: the encoders that were used, by name.
        audit: file of the audit.
        recipes: file of all recipes.
        overview: drawings of all claims and of all published numbers.
        scatter: the drawing of all published numbers, if there are any.
        deviations: page of the deviations from the papers.
    """

    preset: str
    about: str
    settings: Mapping[str, Any]
    papers: tuple[PaperContent, ...]
    datasets: Mapping[str, DatasetContent]
    encoders: Mapping[str, EncoderContent]
    audit: str
    recipes: str
    overview: tuple[str, ...]
    scatter: str | None
    deviations: str
