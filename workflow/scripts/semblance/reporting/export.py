"""results.json: all numbers, claims, runs and audit results of a preset in one machine-readable file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from semblance import findings
from semblance.contradictions import Audit
from semblance.evaluation.counts import core_hours
from semblance.files import read_json, sha256, write_json
from semblance.findings import JudgedClaims, MeasuredTable
from semblance.provenance import Ledger, commit, release
from semblance.reporting.tables import numbers
from semblance.results import (
    JudgedRun,
    ReplicatedPaper,
    Results,
    ShownTable,
    Training,
    UsedDataset,
    UsedEncoder,
    UsedSettings,
)
from semblance.specs.content import Content, DatasetContent, EncoderContent, PaperContent
from semblance.specs.facts import DatasetFacts, EncoderFacts, RunFacts
from semblance.specs.typed import typed

Value = TypeVar("Value", int, str)


def export(content: Content, output: str) -> None:
    """Write results.json.

    Args:
        content: what the report shows.
        output: path of the file.

    Raises:
        UserError: if the files come from different presets or versions; see `semblance.provenance`.
    """
    papers, ledger = content.papers, Ledger(content.preset)
    tables = tuple(table for paper in papers for table in _tables(paper, ledger))
    rendered = [findings.parsed(ledger.rendered(path), JudgedClaims) for paper in papers for path in paper.claims]
    results = Results(
        preset=content.preset,
        about=content.about,
        version=release(),
        commit=commit(),
        settings=typed(UsedSettings, content.settings),
        versions=ledger.versions,  # of the tables and claims, which must be read before
        training=_training([read_json(path) for paper in papers for paths in paper.runs.values() for path in paths]),
        papers={paper.name: ReplicatedPaper(paper.title, paper.authors, paper.url) for paper in papers},
        datasets={name: _dataset(one) for name, one in content.datasets.items()},
        encoders={name: _encoder(one) for name, one in content.encoders.items()},
        recipes={
            f"{paper.name}/{run}": read_json(paths[0])["made_by"]["recipe"]
            for paper in papers
            for run, paths in paper.runs.items()
        },
        checksums=_checksums(content),
        runs=tuple(run for paper in papers for run in _runs(paper)),
        tables=tables,
        claims=tuple(claim for found in rendered for claim in found.claims),
        audit=typed(Audit, read_json(content.audit)),
    )
    write_json(output, asdict(results))


def _tables(paper: PaperContent, ledger: Ledger) -> Iterator[ShownTable]:
    """Yield the tables of a paper with their numbers."""
    for path in paper.tables:
        table = findings.parsed(ledger.rendered(path), MeasuredTable)
        yield ShownTable(table.paper, table.name, table.caption, table.source, tuple(numbers(table)))


def _runs(paper: PaperContent) -> Iterator[JudgedRun]:
    """Yield what each trained run of a paper learned, one seed after another."""
    for run, path in paper.learned.items():
        for judged in findings.judgements(read_json(path), run):
            named = {"paper": paper.name, "run": run, "recipe": judged.made_by["recipe"]}
            yield typed(JudgedRun, {**named, **vars(judged)}, only_known=True)


def _training(facts: Sequence[RunFacts]) -> Training:
    """Return the core-hours of all trainings, and what they ran on; a run that is fitted in one call has no device."""
    return Training(
        core_hours=core_hours(facts),
        device=_distinct(one["device"] for one in facts),
        processor=_distinct(one.get("processor") for one in facts),
        cores=_distinct(one["cores"] for one in facts),
        precision=_distinct(one["precision"] for one in facts),
    )


def _distinct(values: Iterable[Value | None]) -> tuple[Value, ...]:
    return tuple(sorted({value for value in values if value}))


def _checksums(content: Content) -> dict[str, str]:
    """Return the SHA-256 of the files of all tables, claims and figures, by folder and name."""
    pages = [Path(path) for paper in content.papers for path in (*paper.tables, *paper.claims)]
    files = [file for page in pages for file in sorted(page.parent.glob(f"{page.stem}.*"))]
    files += [Path(figure.svg) for paper in content.papers for figure in paper.figures]
    files += map(Path, content.overview)
    return {f"{file.parent.name}/{file.name}": sha256(file) for file in files}


def _dataset(content: DatasetContent) -> UsedDataset:
    """Return the source of a dataset; of its splits the rows used, the rows read, and checksums of official files."""
    facts: DatasetFacts = read_json(content.facts)
    used = {split: found for split, found in facts["splits"].items() if found["used"]}
    return UsedDataset(
        title=content.citation.title,
        source=facts["source"],
        recipe=content.recipe,
        rows={split: one["used"] for split, one in used.items()},
        read={split: one["read"] or 0 for split, one in used.items()},
        sha256={split: one["sha256"] for split, one in used.items() if "sha256" in one},
    )


def _encoder(content: EncoderContent) -> UsedEncoder:
    facts: EncoderFacts = read_json(content.facts)
    return UsedEncoder(
        title=facts["title"],
        source=facts["source"],
        repo=facts.get("repo"),
        revision=facts.get("revision"),
        weights_sha256=facts.get("weights_sha256"),
        stands_in_for=content.stands_in_for,
    )
