"""Why a measured number is not comparable with the published one."""

from collections.abc import Iterable

from semblance.config.project import Project
from semblance.registry import METRICS
from semblance.specs.cells import LESS_DATA, CellSpec, ClaimSpec, TableSpec

OTHER_DATA, OTHER_ENCODER = "other data", "another encoder"
OTHER_RECIPE, OTHER_MACHINE = "another recipe", "another machine"
OTHER_MODEL = "another model"


def of_table(project: Project, paper: str, table: TableSpec) -> dict[str, dict[str, str | None]]:
    """Return, by row and column, the first reason why a cell is not what the paper measured; None without one.

    Args:
        project: the project.
        paper: name of the paper.
        table: its table.
    """

    def reason(cell: CellSpec) -> str | None:
        if table.published_by_others:
            return OTHER_MODEL
        return next(filter(None, (of_cell(project, paper, part) for part in table.scored(cell))), None)

    return {row: {column: reason(cell) for column, cell in cells.items()} for row, cells in table.cells.items()}


def of_cell(project: Project, paper: str, cell: CellSpec) -> str | None:
    """Return why a cell is not comparable with a published number; None if it is."""
    if METRICS[cell.metric].is_timed:
        return OTHER_MACHINE
    if METRICS[cell.metric].measures == "corpus":
        return OTHER_DATA if _generated(project, cell.dataset) else None
    scored = [on for on in (cell.on, cell.rule.tune_on if cell.rule else "") if on]
    reasons = [*_of_data(project, scored), *_of_run(project, paper, cell.run)]
    if cell.minus:
        reasons.append(of_cell(project, paper, cell.minus))
    order = (OTHER_DATA, OTHER_ENCODER, LESS_DATA, OTHER_RECIPE)
    return next((reason for reason in order if reason in reasons), None)


def claims_of_stand_ins(project: Project, paper: str) -> list[str]:
    """Return the claims of which a side is nothing but untrained stand-ins, and which compare more than training.

    Without training, scores are those of the encoder alone, which is not the paper's. If the other side has the same
    encoder, the claim compares training, as others do.
    """
    return [name for name, claim in project.papers[paper].claims.items() if _is_of_stand_ins(project, paper, claim)]


def _is_of_stand_ins(project: Project, paper: str, claim: ClaimSpec) -> bool:
    if not METRICS[claim.cells[0].metric].on_examples:
        return False
    sides = [claim.runs("better"), claim.runs("than")]
    made = [{project.encoder_made(paper, run) for run in runs} for runs in sides]
    stand_ins = [bool(runs) and all(project.is_untrained_stand_in(paper, run) for run in runs) for runs in sides]
    return any(stand_ins) and made[0] != made[1]


def _of_run(project: Project, paper: str, run: str) -> Iterable[str | None]:
    paper, run = project.named(paper, run)
    spec = project.papers[paper].runs[run]
    yield from _of_data(project, spec.inputs())
    if project.papers[paper].origins[run].is_altered or spec.departs:
        yield OTHER_RECIPE
    if spec.model.encoder and not project.encoders.has_published_weights(spec.model.encoder):
        yield OTHER_ENCODER
    if spec.start_from:
        yield from _of_run(project, paper, spec.start_from)


def _of_data(project: Project, splits: Iterable[str]) -> Iterable[str | None]:
    for name in splits:
        dataset, split = name.split("/")
        if _generated(project, dataset):
            yield OTHER_DATA
        elif split in project.settings.rows_of(dataset):
            yield LESS_DATA


def _generated(project: Project, dataset: str) -> bool:
    """Return whether a dataset's rows are the project's own instead of the paper's."""
    own = project.datasets.source(dataset).kind in ("generated", "project")
    return own and not project.datasets[dataset].quoted
