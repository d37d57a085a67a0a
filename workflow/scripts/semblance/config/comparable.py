"""Why a number of ours is not the one a paper printed: other data, another encoder, less data, another recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from semblance.config.project import Project
from semblance.registry import METRICS
from semblance.specs.cells import one_cell, parts_of_mean, subtracted

OTHER_DATA, OTHER_ENCODER, LESS_DATA = "other data", "another encoder", "less data"
OTHER_RECIPE, OTHER_MACHINE = "another recipe", "another machine"


def of_table(project: Project, paper: str, table: Mapping) -> dict[str, dict[str, str | None]]:
    """By row and column, the first reason why a cell is not what the paper measured; None where there is none."""
    found: dict[str, dict[str, str | None]] = {row: {} for row in table["rows"]}
    for name, row in table["rows"].items():
        for title, column in table["columns"].items():
            if "mean_of" not in {**row, **column}:
                found[name][title] = of_cell(project, paper, one_cell(table, row, column))
    for name, row in table["rows"].items():
        for title, column in table["columns"].items():
            parts = [found[name][part] for part, _ in parts_of_mean(column)]
            parts += [found[part][title] for part, _ in parts_of_mean(row)]
            if parts:
                found[name][title] = next(filter(None, parts), None)
    return found


def of_cell(project: Project, paper: str, cell: Mapping) -> str | None:
    if METRICS[cell["metric"]].is_timed:
        return OTHER_MACHINE
    if METRICS[cell["metric"]].measures == "corpus":
        return OTHER_DATA if _generated(project, cell["dataset"]) else None
    rule = cell.get("threshold")
    rule = rule if isinstance(rule, Mapping) else {}
    scored = filter(None, [cell.get("on"), rule.get("tune_on")])
    reasons = [*_of_data(project, scored), *_of_run(project, paper, cell["run"])]
    if "minus" in cell:
        reasons.append(of_cell(project, paper, subtracted(cell)))
    order = (OTHER_DATA, OTHER_ENCODER, LESS_DATA, OTHER_RECIPE)
    return next((reason for reason in order if reason in reasons), None)


def _of_run(project: Project, paper: str, run: str) -> Iterable[str | None]:
    paper, run = project.named(paper, run)
    spec = project.papers[paper].runs[run]
    yield from _of_data(project, spec.inputs())
    if project.papers[paper].origins[run].is_altered:
        yield OTHER_RECIPE
    if spec.model.encoder and _stood_in_for(project, spec.model.encoder):
        yield OTHER_ENCODER
    if spec.start_from:
        yield from _of_run(project, paper, spec.start_from)


def _stood_in_for(project: Project, encoder: str) -> bool:
    """Whether it is made here, or has another's weights; what comes from a path is taken for what it is said to be."""
    taken = project.encoder_spec(encoder)
    kind, published = taken["kind"], project.encoders[encoder]
    if kind == "path":
        return False
    return kind in ("generated", "shipped") or taken != {
        "kind": kind,
        "title": taken["title"],
        **published.get(kind, {}),
    }


def _of_data(project: Project, splits: Iterable[str]) -> Iterable[str | None]:
    for name in splits:
        dataset, split = name.split("/")
        if _generated(project, dataset):
            yield OTHER_DATA
        elif split in project.preset.get("rows", {}).get(dataset, {}):
            yield LESS_DATA


def _generated(project: Project, dataset: str) -> bool:
    """Whether its rows are the project's own, not the corpus the papers used."""
    return project.dataset_source(dataset)["kind"] in ("generated", "project")
