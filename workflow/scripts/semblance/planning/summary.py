"""What the report, results.json and the audit are made of."""

import os
from dataclasses import asdict, replace

from semblance.config.project import Paper, Project
from semblance.paths import FACTS, ROOT
from semblance.planning import digests
from semblance.planning.layout import Layout
from semblance.registry import FIGURES
from semblance.specs.content import Content, DatasetContent, EncoderContent, FigureFile, PaperContent

SETTINGS = ("seeds", "data_source", "encoder_source", "precision")  # that can change results; others name places


def content(project: Project, layout: Layout) -> Content:
    """Return what the report shows: each paper's claims, tables, lists, figures and runs, and what they used."""
    prints = any(table.published for paper in project.papers.values() for table in paper.tables.values())
    return Content(
        preset=project.settings.preset,
        about=project.settings.about,
        settings={key: getattr(project.settings, key) for key in SETTINGS},
        papers=tuple(_of_paper(paper, layout, project) for paper in project.papers.values()),
        datasets={
            name: DatasetContent(
                layout.dataset_facts(name), digests.of_corpus(project, name), project.datasets.citations[name]
            )
            for name in project.datasets_used()
        },
        encoders={
            name: EncoderContent(layout.encoder_facts(name), tuple(project.stands_in_for(name)))
            for name in project.encoders_used()
        },
        audit=f"{layout.results}/audit.json",
        recipes=f"{layout.results}/recipes.yaml",
        overview=tuple(f"{layout.results}/figures/overview-{name}.svg" for name in ("claims", "numbers")),
        scatter=f"{layout.results}/figures/overview-numbers.svg" if prints else None,
        deviations=os.path.relpath(ROOT / "docs/deviations.md"),
    )


def _of_paper(paper: Paper, layout: Layout, project: Project) -> PaperContent:
    trained = [run for run in paper.runs if project.own_task(paper.name, run)]
    return PaperContent(
        name=paper.name,
        title=paper.title,
        authors=paper.authors,
        url=paper.url,
        headline=paper.headline,
        tables=tuple(layout.table(paper.name, table) for table in paper.tables),
        lists=tuple(f"{layout.results}/lists/{paper.name}-{name}.json" for name in paper.lists),
        claims=tuple(layout.claims(paper)),
        figures=tuple(
            FigureFile(spec.caption, FIGURES[spec.kind].reading, f"{layout.results}/figures/{paper.name}-{figure}.svg")
            for figure, spec in paper.figures.items()
        ),
        runs={run: tuple(f"{one}/{FACTS}" for one in layout.runs("training", paper.name, run)) for run in paper.runs},
        learned={run: layout.learned(paper.name, run) for run in trained},
    )


def of_results(project: Project, layout: Layout, shown: Content) -> list[str]:
    """Return the inputs of results.json, given the content of the report."""
    rendered = [path for paper in shown.papers for path in (*paper.tables, *paper.claims, *_drawn(paper))]
    return [*rendered, *shown.overview, *_learned(shown), *_facts(project, layout), shown.audit]


def of_report(project: Project, layout: Layout, shown: Content) -> list[str]:
    """Return the inputs of the report, given its content."""
    pages = (shown.audit, shown.recipes, shown.deviations, shown.scatter)
    files = [*_facts(project, layout), *filter(None, pages)]
    for paper in shown.papers:
        files += [*paper.tables, *paper.lists, *paper.claims, *_drawn(paper)]
    return list(dict.fromkeys([*files, *_learned(shown)]))


def _facts(project: Project, layout: Layout) -> list[str]:
    """Return the outputs that contain the facts of all corpora, encoders and runs."""
    files = [*map(layout.dataset, project.datasets_used()), *map(layout.encoder_facts, project.encoders_used())]
    for paper in project.papers.values():
        files += [one for run in paper.runs for one in layout.made_for("facts", paper.name, run)]
    return list(dict.fromkeys(files))


def _drawn(paper: PaperContent) -> list[str]:
    return [figure.svg for figure in paper.figures]


def _learned(shown: Content) -> list[str]:
    return list(dict.fromkeys(path for paper in shown.papers for path in paper.learned.values()))


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
