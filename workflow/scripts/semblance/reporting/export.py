"""results.json: all numbers, claims, runs and audit results of a preset in one machine-readable file."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from semblance import findings
from semblance.evaluation.counts import core_hours
from semblance.files import read_json, sha256, write_json
from semblance.findings import MeasuredTable
from semblance.provenance import Ledger, commit, release
from semblance.reporting.tables import numbers
from semblance.specs.content import Content, DatasetContent, EncoderContent, PaperContent
from semblance.specs.facts import DatasetFacts, EncoderFacts, RunFacts

ENCODER = ("title", "source", "repo", "revision", "weights_sha256")


def export(content: Content, output: str) -> None:
    """Write the file that config/schema/results.yaml describes.

    Args:
        content: what the report shows.
        output: path of the file.

    Raises:
        UserError: if the files come from different presets or versions; see `semblance.provenance`.
    """
    papers, ledger = content.papers, Ledger(content.preset)
    tables = [table for paper in papers for table in _tables(paper, ledger)]
    claims = [claim for paper in papers for path in paper.claims for claim in ledger.rendered(path)["claims"]]
    facts = [read_json(path) for paper in papers for paths in paper.runs.values() for path in paths]
    whole = {
        "preset": content.preset,
        "about": content.about,
        "version": release(),
        "commit": commit(),
        "settings": content.settings,
        "versions": ledger.versions,  # of the tables and claims, which must be read before
        "training": _training(facts),
        "papers": {paper.name: {key: getattr(paper, key) for key in ("title", "authors", "url")} for paper in papers},
        "datasets": {name: _dataset(one) for name, one in content.datasets.items()},
        "encoders": {name: _encoder(one) for name, one in content.encoders.items()},
        "recipes": {
            f"{paper.name}/{run}": read_json(paths[0])["made_by"]["recipe"]
            for paper in papers
            for run, paths in paper.runs.items()
        },
        "checksums": _checksums(content),
        "runs": [run for paper in papers for run in _runs(paper)],
        "tables": tables,
        "claims": claims,
        "audit": read_json(content.audit),
    }
    write_json(output, whole)


def _tables(paper: PaperContent, ledger: Ledger) -> Iterator[dict]:
    """Yield the tables of a paper with their numbers."""
    for path in paper.tables:
        table = findings.parsed(ledger.rendered(path), MeasuredTable)
        named = {key: getattr(table, key) for key in ("paper", "name", "caption", "source")}
        yield named | {"numbers": numbers(table)}


def _runs(paper: PaperContent) -> Iterator[dict]:
    """Yield what each trained run of a paper learned, one seed after another."""
    for run, path in paper.learned.items():
        for judged in findings.judgements(read_json(path), run):
            learned = asdict(judged)
            yield {"paper": paper.name, "run": run, "recipe": learned.pop("made_by")["recipe"], **learned}


def _training(facts: Sequence[RunFacts]) -> dict:
    """Return the core-hours of all trainings, and what they ran on; a run that is fitted in one call has no device."""
    return {
        "core_hours": core_hours(facts),
        "device": _distinct(one["device"] for one in facts),
        "processor": _distinct(one.get("processor") for one in facts),
        "cores": _distinct(one["cores"] for one in facts),
        "precision": _distinct(one["precision"] for one in facts),
    }


def _distinct(values: Iterable[str | int | None]) -> list:
    return sorted({value for value in values if value})


def _checksums(content: Content) -> dict[str, str]:
    """Return the SHA-256 of the files of all tables, claims and figures, by folder and name."""
    pages = [Path(path) for paper in content.papers for path in (*paper.tables, *paper.claims)]
    files = [file for page in pages for file in sorted(page.parent.glob(f"{page.stem}.*"))]
    files += [Path(figure.svg) for paper in content.papers for figure in paper.figures]
    files += map(Path, content.overview)
    return {f"{file.parent.name}/{file.name}": sha256(file) for file in files}


def _dataset(content: DatasetContent) -> dict:
    """Return the source of a dataset; of its splits the rows used, the rows read, and checksums of official files."""
    facts: DatasetFacts = read_json(content.facts)
    used = {split: found for split, found in facts["splits"].items() if found["used"]}
    by_split = {
        "rows": {split: one["used"] for split, one in used.items()},
        "read": {split: one["read"] for split, one in used.items()},
        "sha256": {split: one["sha256"] for split, one in used.items() if "sha256" in one},
    }
    named = {"source": facts["source"], "recipe": content.recipe, "title": content.citation.title}
    return named | {name: splits for name, splits in by_split.items() if splits}


def _encoder(content: EncoderContent) -> dict:
    facts: EncoderFacts = read_json(content.facts)
    return {key: facts.get(key) for key in ENCODER} | {"stands_in_for": content.stands_in_for}
