"""What the report, results.json and the audit are made of."""

import os
from collections.abc import Mapping
from dataclasses import asdict, replace

from semblance.config.project import Paper, Project
from semblance.paths import FACTS, ROOT
from semblance.planning import digests
from semblance.planning.layout import Layout

SETTINGS = ("seeds", "data_source", "encoder_source", "precision")  # that can change results; others name places


def content(project: Project, layout: Layout) -> dict:
    """Return what the report shows, as paths: each paper's claims, tables, lists, figures and runs; what they used."""
    return {
        "preset": project.settings.preset,
        "about": project.settings.about,
        "papers": [_of_paper(paper, layout, project) for paper in project.papers.values()],
        "audit": f"{layout.results}/audit.json",
        "recipes": f"{layout.results}/recipes.yaml",
        "overview": [f"{layout.results}/figures/overview-{name}.svg" for name in ("claims", "numbers")],
        "scatter": f"{layout.results}/figures/overview-numbers.svg" if printed(project) else None,
        "deviations": os.path.relpath(ROOT / "docs/deviations.md"),
        "settings": {key: getattr(project.settings, key) for key in SETTINGS},
        "datasets": {name: layout.dataset_facts(name) for name in project.datasets_used()},
        "corpora": {name: digests.of_corpus(project, name) for name in project.datasets_used()},
        "encoders": {name: layout.encoder_facts(name) for name in project.encoders_used()},
        "stand_ins": {name: project.stands_in_for(name) for name in project.encoders_used()},
    }


def _of_paper(paper: Paper, layout: Layout, project: Project) -> dict:
    trained = [run for run in paper.runs if project.own_task(paper.name, run)]
    return {
        "name": paper.name,
        "title": paper.title,
        "authors": paper.authors,
        "url": paper.url,
        "headline": paper.headline and asdict(paper.headline),
        "tables": [layout.table(paper.name, table) for table in paper.tables],
        "lists": [f"{layout.results}/lists/{paper.name}-{name}.json" for name in paper.lists],
        "claims": layout.claims(paper),
        "figures": [
            {"caption": spec.caption, "svg": f"{layout.results}/figures/{paper.name}-{figure}.svg"}
            for figure, spec in paper.figures.items()
        ],
        "runs": {run: [f"{one}/{FACTS}" for one in layout.runs("training", paper.name, run)] for run in paper.runs},
        "learned": {run: layout.learned(paper.name, run) for run in trained},
    }


def of_results(project: Project, layout: Layout, shown: Mapping) -> list[str]:
    """Return the inputs of results.json, given the content of the report."""
    rendered = [path for paper in shown["papers"] for path in (*paper["tables"], *paper["claims"], *_drawn(paper))]
    return [*rendered, *shown["overview"], *_learned(shown), *_facts(project, layout), shown["audit"]]


def of_report(project: Project, layout: Layout, shown: Mapping) -> list[str]:
    """Return the inputs of the report, given its content."""
    pages = (shown[page] for page in ("audit", "recipes", "deviations", "scatter"))
    files = [*_facts(project, layout), *filter(None, pages)]
    for paper in shown["papers"]:
        files += paper["tables"] + paper["lists"] + paper["claims"] + _drawn(paper)
    return list(dict.fromkeys([*files, *_learned(shown)]))


def _facts(project: Project, layout: Layout) -> list[str]:
    """Return the outputs that contain the facts of all corpora, encoders and runs."""
    files = [*map(layout.dataset, project.datasets_used()), *map(layout.encoder_facts, project.encoders_used())]
    for paper in project.papers.values():
        files += [one for run in paper.runs for one in layout.made_for("facts", paper.name, run)]
    return list(dict.fromkeys(files))


def _drawn(paper: Mapping) -> list[str]:
    return [figure["svg"] for figure in paper["figures"]]


def _learned(shown: Mapping) -> list[str]:
    return list(dict.fromkeys(path for paper in shown["papers"] for path in paper["learned"].values()))


def printed(project: Project) -> dict[str, dict[str, dict]]:
    """Return the tables of each paper that have published numbers, without texts on which the audit does not depend."""
    return {
        paper.name: {
            name: asdict(replace(table, caption="", note="", unpublished=""))
            for name, table in paper.tables.items()
            if table.published
        }
        for paper in project.papers.values()
    }
