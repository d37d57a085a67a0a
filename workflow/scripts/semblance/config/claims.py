"""Checks of claims: that their cells can be measured, and that their keys go together."""

from functools import partial

from semblance.config import cells
from semblance.config.enumerations import CLAIMED_METRICS
from semblance.config.project import Paper, Project
from semblance.errors import UserError, require
from semblance.registry import METRICS
from semblance.specs.cells import ClaimSpec


def check(project: Project, paper: Paper) -> None:
    """Check all claims of a paper.

    Raises:
        UserError: one compares what cannot be measured or compared.
    """
    runs = project.runs_known_to(paper)
    for name, claim in paper.claims.items():
        where = f"{paper.where}: claims.{name}"
        if claim.part_of:
            require(claim.part_of, paper.claims.keys() - {name}, "other claim", f"{where}.part_of")
            if paper.claims[claim.part_of].part_of:
                raise UserError(f"{where}.part_of: {claim.part_of} is itself a part of another claim")
        for cell in cells.of_claim(claim, partial(project.start_from, paper.name)):
            cells.check(cell, runs, project.datasets, where)
            require(cell.metric, CLAIMED_METRICS, "metric that a claim can compare", where)
        for cell in claim.candidates:
            cells.check(cell, runs, project.datasets, f"{where}.choose_on")
            if claim.choose_on in runs[cell.run].learns_from():
                raise UserError(f"{where}.choose_on: {cell.run} is trained on {claim.choose_on}; choose on other rows")
        _check_claim(claim, where)
        if claim.retention:
            _check_scored_before(project, paper.name, claim, f"{where}.retention")


def _check_claim(claim: ClaimSpec, where: str) -> None:
    if claim.choose_on:
        _check_choice(claim, f"{where}.choose_on")
    if claim.mean_over:
        for number, part in enumerate(claim.mean_over):
            _check_claim(part, f"{where}.mean_over.{number}")
            if not METRICS[part.cells[0].metric].is_scored:
                raise UserError(f"{where}.mean_over.{number}: {part.cells[0].metric} is no score of examples")
        return
    name, metric = claim.cells[0].metric, METRICS[claim.cells[0].metric]
    if claim.retention and not metric.on_examples:
        raise UserError(f"{where}.retention: {name} is no score that could be lost")
    if claim.retention and len({bool(cell.minus) for cell in claim.cells}) > 1:
        raise UserError(f"{where}.retention: each cell needs minus, the same score just after it was learned, or none")
    if len({cell.metric for cell in claim.cells}) > 1:
        raise UserError(
            f"{where}: a claim compares one metric, not {', '.join(sorted({c.metric for c in claim.cells}))}"
        )
    splits = {cell.on for cell in claim.cells} if metric.on_examples else set()
    if len(splits) > 1:
        raise UserError(f"{where}: a claim compares scores of one split, not of {' and '.join(sorted(splits))}")
    if claim.pairs and len(claim.better) != len(claim.than):
        raise UserError(f"{where}.pairs: better has {len(claim.better)} cells, than has {len(claim.than)}")
    if (claim.than_value is None) == (not claim.than):
        raise UserError(f"{where}: give either than or than_value")
    if claim.spread and any(len(side) % claim.spread for side in (claim.better, claim.than)):
        raise UserError(
            f"{where}.spread: {len(claim.better)} and {len(claim.than)} cells cannot be divided into groups of "
            f"{claim.spread}"
        )
    several = [
        key for key in ("better_the", "than_the", "pairs", "spread") if getattr(claim, key) not in ("mean", None)
    ]
    if claim.spread and (len(several) > 1 or not claim.than):
        raise UserError(f"{where}: spread compares two sides; it does not go with {[*several, 'than_value'][0]}")
    if several and claim.within and claim.pairs != "all":
        raise UserError(f"{where}: within compares two sides, or all pairs; it does not go with {several[0]}")
    if not metric.on_examples:
        if several or any(cell.minus for cell in claim.cells):
            raise UserError(f"{where}: {name} does not go with {(several or ['minus'])[0]}")
        if claim.than_value is not None and claim.than_value <= 0:
            raise UserError(
                f"{where}.than_value: {claim.than_value}, but effects are relative to it: it must be positive"
            )


def _check_scored_before(project: Project, paper: str, claim: ClaimSpec, where: str) -> None:
    """Check that what may be lost was also scored before it was learned, which a run is on its own task alone."""
    for cell in (cell.minus for cell in claim.cells if cell.minus):
        before, own = cell.before(project.start_from(paper, cell.run)), project.own_task(paper, cell.run)
        if before and before.at_start and (not own or own.on != cell.on):
            task = f"{own.on}, its own task," if own else "no split"
            raise UserError(f"{where}: before training, {cell.run} is scored on {task} and not on {cell.on}")


def _check_choice(claim: ClaimSpec, where: str) -> None:
    """Check that a claim with `choose_on` has something to choose, and compares other rows than those that choose."""
    if not METRICS[claim.cells[0].metric].on_examples:
        raise UserError(f"{where}: {claim.cells[0].metric} is no score of examples, by which a cell could be chosen")
    keys = ("better_the", "than_the", "pairs", "spread", "retention", "mean_over")
    others = [key for key in keys if getattr(claim, key) not in ("mean", None, False, ())]
    others += ["minus" for cell in claim.cells if cell.minus]
    others += ["epoch, after_stages or selected_by" for cell in claim.cells if cell.during is not None]
    if others:
        raise UserError(f"{where} chooses one cell of each side; it does not go with {others[0]}")
    if max(len(claim.better), len(claim.than)) < 2:
        raise UserError(f"{where}: each side has one cell, so there is nothing to choose")
    if any(cell.on == claim.choose_on for cell in claim.cells):
        raise UserError(f"{where}: {claim.choose_on} has the rows that are compared; choose on others, such as dev")
