"""Measurement of tables: every cell's number, interval and verdict."""

from collections.abc import Mapping

from semblance.contradictions import Check
from semblance.evaluation import audit
from semblance.evaluation.cells import Number, mean, measure
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.learning import worst
from semblance.evaluation.measurements import machines
from semblance.evaluation.metrics import finite
from semblance.evaluation.scored import tunes_on_scored_rows
from semblance.evaluation.verdicts import verdict, with_directions
from semblance.findings import MeasuredCell, MeasuredRow, MeasuredTable
from semblance.progress import bar
from semblance.registry import METRICS
from semblance.specs.cells import LESS_DATA, CellSpec, TableSpec
from semblance.vocabulary import Printed


def measured(
    spec: TableSpec,
    evidence: Evidence,
    not_comparable: Mapping[str, Mapping] | None = None,
    *,
    paper: str,
    name: str,
    about: str,
) -> MeasuredTable:
    """Measure every cell of a table.

    Args:
        spec: the table.
        evidence: the recorded results.
        not_comparable: by row and column, why a cell cannot be compared with the paper's number.
        paper: name of the paper.
        name: name of the table.
        about: what the preset's numbers are worth.
    """
    reasons = not_comparable or {}
    cells = {
        (row, column): _cell(spec, row, column, evidence, reasons.get(row, {}).get(column))
        for row in bar(spec.rows, what="rows", unit="row")
        for column in spec.columns
    }
    for column in spec.columns:
        places = [(row, column) for row in spec.rows if not _is_of_corpus(spec.cells[row][column])]
        cells |= zip(places, with_directions([cells[place] for place in places]), strict=True)
    rows = tuple(MeasuredRow(row, tuple(cells[row, column] for column in spec.columns)) for row in spec.rows)
    of_spec = {key: getattr(spec, key) for key in ("caption", "source", "note", "unpublished", "columns")}
    return MeasuredTable(paper=paper, name=name, about=about, rows=rows, **of_spec)


def _cell(spec: TableSpec, row: str, column: str, evidence: Evidence, reason: str | None) -> MeasuredCell:
    cell, published = spec.cells[row][column], spec.number(row, column)
    number, timed = _number(spec, cell, evidence), bool(cell.metric) and METRICS[cell.metric].is_timed
    contradicted = next((check for check in audit.checks(spec, row, column) if not check.holds), None)
    compared = [one for part in spec.scored(cell) for one in (part, part.minus) if one]
    scored = [one for one in compared if METRICS[one.metric].is_scored]
    learnt = [one for one in compared if METRICS[one.metric].is_scored or METRICS[one.metric].of_learning]
    random = [one for one in compared if METRICS[one.metric].is_scored or METRICS[one.metric].varies]
    value, low, high = map(finite, (number.value, number.low, number.high))
    undefined = value is None and number.value is not None
    return MeasuredCell(
        value=value,
        low=low if high is not None else None,
        high=high if low is not None else None,
        published=published,
        verdict=verdict(number, published, cell.digits, reason or _of_corpus(cell, number, published, contradicted)),
        digits=cell.digits,
        examples=number.examples,
        clusters=number.clusters,
        seeds=len(number.per_seed),
        per_seed=tuple(map(finite, number.per_seed)),
        thresholds=tuple(map(finite, number.thresholds or ())),
        missing=Printed.UNDEFINED if undefined else "not read" if cell.metric == "rows" else "–",
        undefined=undefined,
        learned=worst([found for one in learnt for found in evidence.learned(one.run)]),
        timed=timed,
        machine=", ".join(machines([cell], evidence)) if timed else "",
        single_seed=any(evidence.single_seed(one.run) for one in random),
        threshold_tuned_on_scored_rows=any(map(tunes_on_scored_rows, scored)),
        selected_on_scored_rows=any(map(evidence.is_selected_on, scored)),
        contradicted=contradicted,
        score_of_one=_score_of_one(spec, cell),
        runs=tuple(dict.fromkeys(one.run for one in compared if one.run)),
    )


def _score_of_one(spec: TableSpec, cell: CellSpec) -> float | None:
    """Return what a cell shows for a score of 1: 1, or 100 for percent; None if it shows no score."""
    parts = spec.scored(cell)
    bounded = all(METRICS[part.metric].is_scored and METRICS[part.metric].bounds[1] == 1 for part in parts)
    return cell.scale if bounded and not any(part.minus for part in parts) else None


def _is_of_corpus(cell: CellSpec) -> bool:
    """Return whether a cell describes a corpus; the others of its column may be in other units."""
    return bool(cell.metric) and METRICS[cell.metric].measures == "corpus"


def _of_corpus(cell: CellSpec, number: Number, published: float | None, contradicted: Check | None) -> str | None:
    """Return why a number of a corpus is not comparable with the published one: it was read from fewer rows.

    If the printed number is not the sum of its printed parts, a corpus of either size is whole.
    """
    if cell.metric != "rows" or number.value is None or published is None:
        return None
    whole = min(published, contradicted.gives) if contradicted else published
    return LESS_DATA if number.value < whole else None


def _number(spec: TableSpec, cell: CellSpec, evidence: Evidence) -> Number:
    if not cell.mean_of:
        return measure(cell, evidence)
    return mean(spec.scored(cell), evidence, [part.on_unit_scale for part in cell.mean_of]).scaled(cell.scale)
