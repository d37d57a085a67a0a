"""What the report, results.json and the audit are made of."""

from __future__ import annotations

import os

from semblance.config.project import Paper, Project
from semblance.layout import Layout
from semblance.paths import ROOT

PRINTED = ("source", "digits", "cell", "rows", "columns", "published")  # the keys of a table that the audit reads


def content(project: Project, layout: Layout) -> dict:
    """Return what the report shows, as paths: each paper's claims, tables, lists, figures and runs; what they used."""
    return {
        "preset": project.settings["preset"],
        "about": project.preset["about"],
        "papers": [_of_paper(paper, layout, project) for paper in project.papers.values()],
        "audit": f"{layout.results}/audit.json",
        "recipes": f"{layout.results}/recipes.md",
        "deviations": os.path.relpath(ROOT / "docs/deviations.md"),
        "datasets": layout.dataset_facts(project.datasets_used()),
        "encoders": {name: layout.encoder_facts(name) for name in project.encoders_used()},
        "stand_ins": {name: project.stands_in_for(name) for name in project.encoders_used()},
    }


def _of_paper(paper: Paper, layout: Layout, project: Project) -> dict:
    trained = {run: bool(project.own_task(paper.name, run)) for run in paper.runs}
    return {
        "name": paper.name,
        "title": paper.title,
        "authors": paper.authors,
        "headline": paper.headline,
        "tables": [layout.table(paper.name, table) for table in paper.tables],
        "lists": [f"{layout.results}/lists/{paper.name}-{name}.json" for name in paper.lists],
        "claims": layout.claims(paper),
        "figures": [
            {"caption": spec["caption"], "svg": f"{layout.results}/figures/{paper.name}-{figure}.svg"}
            for figure, spec in paper.figures.items()
        ],
        "runs": {run: layout.of_run("facts", paper.name, run) for run in paper.runs},
        "learned": {run: layout.of_run("learned", paper.name, run) if trained[run] else [] for run in paper.runs},
    }


def of_results(project: Project, layout: Layout) -> list[str]:
    """Return the inputs of results.json: tables, claims, what every run learned, and the audit."""
    shown = content(project, layout)
    tables = (path for paper in shown["papers"] for path in paper["tables"] + paper["claims"])
    learned = (path for paper in shown["papers"] for paths in paper["learned"].values() for path in paths)
    return [*tables, *learned, shown["audit"]]


def of_report(project: Project, layout: Layout) -> list[str]:
    """Return the inputs of the report."""
    shown = content(project, layout)
    files = [*shown["datasets"], *shown["encoders"].values()]
    files += [shown[page] for page in ("audit", "recipes", "deviations")]
    for paper in shown["papers"]:
        files += paper["tables"] + paper["lists"] + paper["claims"] + [figure["svg"] for figure in paper["figures"]]
        files += [path for kind in ("runs", "learned") for paths in paper[kind].values() for path in paths]
    return files


def printed(project: Project) -> dict[str, dict[str, dict]]:
    """Return the printed numbers of each paper's tables, with what they say they are."""
    return {
        paper.name: {
            name: {key: table[key] for key in PRINTED if key in table}
            for name, table in paper.tables.items()
            if "published" in table
        }
        for paper in project.papers.values()
    }
