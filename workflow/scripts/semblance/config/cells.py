"""What a cell is measured from, and whether it can be."""

from collections.abc import Callable, Iterator, Mapping

from semblance.config.datasets import Datasets, check_split
from semblance.config.enumerations import SCORED_METRICS
from semblance.errors import UserError, require
from semblance.registry import LABELS, METRICS, MODELS
from semblance.specs.cells import OTHER_HALF, CellSpec, ClaimSpec, FigureSpec, Subset, TableSpec
from semblance.specs.data import dataset_of
from semblance.specs.kinds import LabelKind
from semblance.specs.run import RunSpec

CLASS_METRICS = ", ".join(one.name for one in METRICS.values() if one.of_classes or one.of_probabilities)


def of_table(table: TableSpec) -> Iterator[CellSpec]:
    """Yield the cells of a table that are measured, not means of others."""
    for row in table.cells.values():
        yield from (cell for cell in row.values() if not cell.mean_of)


def means(table: TableSpec) -> Iterator[CellSpec]:
    """Yield the cells of a table whose mean is shown in another cell."""
    for row in table.cells.values():
        for cell in row.values():
            yield from (table.cells[part.row][part.column] for part in cell.mean_of)


def of_claim(claim: ClaimSpec, start_of: Callable[[str], str | None]) -> Iterator[CellSpec]:
    """Yield the cells of a claim; for one of retention, also those before a first stage that just learned something.

    Args:
        claim: the claim.
        start_of: returns the run whose weights a run starts from, if any.
    """
    yield from claim.cells
    if claim.retention:
        learnt = [cell.minus for cell in claim.cells if cell.minus and cell.minus.after_stages == 1]
        yield from filter(None, (cell.before(start_of(cell.run)) for cell in learnt))


def of_figure(figure: FigureSpec) -> Iterator[CellSpec]:
    """Yield the cells of a figure of metrics by step."""
    for lines in figure.lines.values():
        yield from lines.values()


def needs(cell: CellSpec) -> Iterator[tuple[str, str]]:
    """Yield what a cell is computed from: kinds of artifacts, each with its run, split or dataset."""
    for other in (cell.minus, cell.per):
        if other:
            yield from needs(other)
    measures = METRICS[cell.metric].measures
    if measures == "corpus":
        yield "dataset", cell.dataset
    elif measures in ("training", "selection"):
        yield "facts", cell.run
        if METRICS[cell.metric].of_learning:
            yield "learned", cell.run
    elif measures == "scoring":
        yield "speed", cell.run
    elif measures == "learning":
        yield "learned", cell.run
    else:
        if cell.during in (None, OTHER_HALF):
            yield "predictions", cell.run
        if cell.during is not None:
            yield "watched", cell.run
        for subset, on in _subsets(cell):
            if subset.hardest:
                yield "predictions", subset.hardest.run
            yield "split", on  # for its texts: lists show them, and intervals depend on shared sentences
            yield from (("split", split) for split in subset.unseen_in)


def check(cell: CellSpec, runs: Mapping[str, RunSpec], datasets: Datasets, where: str) -> None:
    """Check that a cell can be measured.

    Args:
        cell: the cell.
        runs: the runs that it may name, by name.
        datasets: all datasets.
        where: place of the cell in the configuration, for messages.

    Raises:
        UserError: a name is unknown, a key is missing, or the threshold is tuned on the rows that are scored.
    """
    require(cell.metric, METRICS, "metric", where)
    _check_compared(cell, where)
    for other in filter(None, (cell.minus, cell.per)):
        check(other, runs, datasets, where)
    _check_keys(cell, where)
    if METRICS[cell.metric].measures == "corpus":
        _check_corpus(cell, datasets, where)
        return
    require(cell.run, runs, "run", f"{where}.rows")
    _check_time(cell, runs[cell.run], where)
    if cell.on:
        for on in [cell.on, cell.rule.tune_on] if cell.rule else [cell.on]:
            _check_scored(cell, runs, on, where)
        _check_labels(cell, runs[cell.run], LABELS[datasets[dataset_of(cell.on)].label], where)
    for subset, _ in _subsets(cell):
        for split in subset.unseen_in:
            check_split(datasets, split, f"{where}: unseen_in")
    _check_threshold(cell, where)


def _check_compared(cell: CellSpec, where: str) -> None:
    """Check that the metric has differences or ratios, if the cell shows one."""
    if cell.minus:
        require(cell.metric, SCORED_METRICS, "metric of which there are differences", where)
        if cell.minus.on != cell.on:
            raise UserError(f"{where}: minus is of {cell.minus.on}, not of {cell.on}: give both scores one `on`")
    if cell.per and METRICS[cell.metric].measures not in ("training", "scoring"):
        raise UserError(f"{where}: per divides times, memory and numbers of parameters, not {cell.metric}")


def _check_keys(cell: CellSpec, where: str) -> None:
    """Check that the cell has all keys that its metric needs."""
    metric = METRICS[cell.metric]
    wanted = ["dataset", "split"] if metric.measures == "corpus" else ["run"]
    if metric.measures not in ("corpus", "training", "selection", "learning"):
        wanted.append("on")
    if metric.uses_threshold:
        wanted.append("threshold")
    if metric.measures == "evaluation":
        wanted.append("epoch")
    if missing := sorted(key for key in wanted if getattr(cell, key) in ("", None)):
        given = {key: value for key in ("run", "on", "dataset") if (value := getattr(cell, key))}
        raise UserError(f"{where}: a cell of {cell.metric} needs {', '.join(missing)} as well: {given}")


def _check_corpus(cell: CellSpec, datasets: Datasets, where: str) -> None:
    require(cell.dataset, datasets, "dataset", where)
    splits = (*datasets[cell.dataset].splits, *datasets[cell.dataset].unlabelled)
    for split in cell.split.split("+"):
        require(split, splits, f"split of {cell.dataset}", where)
    if cell.metric == "label-share" and cell.subset.label is None:
        raise UserError(f"{where}: label-share needs subset: {{label: …}}")


def _check_time(cell: CellSpec, spec: RunSpec, where: str) -> None:
    """Check that the cell names one time of training at most, and that its run selects an epoch if it needs one."""
    if METRICS[cell.metric].measures == "selection" and not (spec.stages and spec.stages[-1].select):
        raise UserError(f"{where}: {cell.run} selects no epoch, so that it has no {cell.metric}")
    if len([time for time in (cell.epoch, cell.after_stages, cell.selected_by) if time is not None]) > 1:
        raise UserError(f"{where}: give one of epoch, after_stages and selected_by of {cell.run}")
    if cell.selected_by and cell.rule:
        raise UserError(f"{where}: selected_by needs a fixed threshold, which no rows of {cell.run} tune")


def _check_labels(cell: CellSpec, spec: RunSpec, label: LabelKind, where: str) -> None:
    """Check that the metric fits the labels and what the run predicts."""
    metric = METRICS[cell.metric]
    of_classes = metric.of_classes or metric.of_probabilities
    if of_classes and not spec.model.gives_probabilities(label):
        raise UserError(f"{where}: {cell.metric} needs class probabilities; {cell.run} has none on {cell.on}")
    if label.classes and metric.is_scored and not of_classes:
        raise UserError(f"{where}: {cell.metric} does not fit the classes of {cell.on}; {CLASS_METRICS} do")


def _check_threshold(cell: CellSpec, where: str) -> None:
    if cell.rule and cell.rule.between and not cell.rule.between[0] < cell.rule.between[1]:
        raise UserError(f"{where}: threshold.between: {list(cell.rule.between)}: give the lower end first")
    if cell.rule and cell.on and _overlap(cell) and not cell.rule.leaks:
        raise UserError(
            f"{where}: the threshold is tuned on {cell.on}, the rows that are scored; tune it on others, "
            "or write leaks: true beside tune_on, and the table will say so"
        )


def _check_scored(cell: CellSpec, runs: Mapping[str, RunSpec], on: str, where: str) -> None:
    for run in [cell.run, *[subset.hardest.run for subset, _ in _subsets(cell) if subset.hardest]]:
        require(run, runs, "run", where)
        if cell.epoch is not None and run == cell.run:
            require(on, [stage.watch for stage in runs[run].stages if stage.watch], f"watch of {run} on", where)
        elif cell.after_stages is not None and run == cell.run:
            require(on, runs[run].scored_after_stages(), f"select_stage of {run} on", where)
        else:
            if cell.selected_by and run == cell.run:
                _check_selected(runs[run], run, where)
            require(on, runs[run].evaluate, f"evaluation of {run} on", where)
            if on == cell.on and on in runs[run].model.fit_on:
                raise UserError(f"{where}: {run} is fitted on {on}, the rows that are scored; score others")


def _check_selected(spec: RunSpec, run: str, where: str) -> None:
    if MODELS[spec.model.kind].training == "frozen-encoder":
        raise UserError(f"{where}: {run}, over a frozen encoder, keeps no predictions of its epochs for selected_by")
    if any(rule.patience is not None for rule in spec.selection()):
        raise UserError(
            f"{where}: patience ends the training of {run} by all rows: selected_by cannot leave half of them out"
        )


def _overlap(cell: CellSpec) -> bool:
    """Return whether a row may be both tuned on and scored: not on two splits, nor on the two halves of one."""
    halves = [subset.half for subset, _ in _subsets(cell)]
    return cell.rule is not None and cell.rule.tune_on == cell.on and (None in halves or halves[0] == halves[1])


def _subsets(cell: CellSpec) -> Iterator[tuple[Subset, str]]:
    """Yield the subsets on which a cell is scored and its threshold tuned, each with its split."""
    yield cell.subset, cell.on
    if cell.rule:
        yield cell.rule.subset, cell.rule.tune_on
