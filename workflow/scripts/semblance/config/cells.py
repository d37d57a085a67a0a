"""What a table's cell says, before anything is measured: its keys put together, checked, and what it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from semblance.errors import UserError, require
from semblance.registry import ENUMERATIONS, METRICS
from semblance.specs.cells import cells_of_claim, one_cell, subtracted
from semblance.specs.run import RunSpec


def of_table(table: Mapping) -> Iterator[dict]:
    """Every cell of a table that is measured, not the mean of others."""
    for row in table["rows"].values():
        for column in table["columns"].values():
            if "mean_of" not in {**row, **column}:
                yield one_cell(table, row, column)


def of_figure(figure: Mapping) -> Iterator[dict]:
    """Every line of a figure of metrics by step: the figure's run, a panel's keys and a metric."""
    for panel in figure["panels"].values():
        for metric in figure["metrics"].values():
            yield {"run": figure["run"], **panel, "metric": metric, "epoch": 0}


def of_list(listed: Mapping) -> Iterator[dict]:
    """What a list of examples is read from, as cells: each run's predictions, threshold."""
    for run in listed["runs"].values() if "runs" in listed else [listed["run"]]:
        yield {key: listed[key] for key in ("on", "threshold")} | {"run": run, "metric": "accuracy"}


def of_claims(claims: Mapping[str, Mapping]) -> Iterator[dict]:
    """Every cell that any of these claims compares."""
    for claim in claims.values():
        for side in cells_of_claim(claim):
            yield from side


def needs(cell: Mapping) -> Iterator[tuple[str, str]]:
    """What a cell is computed from: artifacts by kind, each with the run, split or dataset it is of."""
    if "minus" in cell:
        yield from needs(subtracted(cell))
    measures = METRICS[cell["metric"]].measures
    if measures == "corpus":
        yield "dataset", cell["dataset"]
    elif measures == "training":
        yield "facts", cell["run"]
    elif measures == "scoring":
        yield "speed", cell["run"]
    else:
        yield ("watched" if "epoch" in cell else "predictions"), cell["run"]
        for subset, on in _subsets(cell):
            if "hardest" in subset:
                yield "predictions", subset["hardest"]["for"]
            yield "split", on  # for its texts: lists show them, and intervals go by which examples share a sentence
            yield from (("split", split) for split in subset.get("unseen_in", ()))


def check(cell: Mapping, runs: Mapping[str, RunSpec], datasets: Iterable[str], where: str) -> None:
    """Check that a cell can be measured.

    Raises:
        UserError: a name is unknown, a key is missing, or the threshold is tuned on the rows that are scored.
    """
    require(cell.get("metric"), METRICS, "metric", where)
    if "minus" in cell:
        require(cell["metric"], ENUMERATIONS["scored-metrics"], "metric of which there are differences", where)
        check(subtracted(cell), runs, datasets, where)
    metric = METRICS[cell["metric"]]
    wanted = {"dataset", "split"} if metric.measures == "corpus" else {"run"}
    if metric.measures not in ("corpus", "training"):
        wanted |= {"on"}
    if metric.needs_threshold or metric.measures == "threshold":
        wanted |= {"threshold"}
    if metric.measures == "evaluation":
        wanted |= {"epoch"}
    if not wanted <= cell.keys():
        missing = ", ".join(sorted(wanted - cell.keys()))
        raise UserError(f"{where}: a cell of {cell['metric']} needs {missing} as well: {dict(cell)}")
    if "dataset" in wanted:
        require(cell["dataset"], datasets, "dataset", where)
        return
    require(cell["run"], runs, "run", f"{where}.rows")
    rule = cell.get("threshold") if isinstance(cell.get("threshold"), Mapping) else None
    for on in [cell["on"], *([rule["tune_on"]] if rule else [])] if "on" in cell else []:
        _check_scored(cell, runs, on, where)
    if rule and "on" in cell and _overlap(cell, rule) and not rule.get("leaks"):
        raise UserError(
            f"{where}: the threshold is tuned on {cell['on']}, the rows that are scored; tune it on others, "
            "or write leaks: true beside tune_on, and the table will say so"
        )


def _check_scored(cell: Mapping, runs: Mapping[str, RunSpec], on: str, where: str) -> None:
    for run in [cell["run"], *[subset["hardest"]["for"] for subset, _ in _subsets(cell) if "hardest" in subset]]:
        require(run, runs, "run", f"{where}.rows")
        if "epoch" in cell and run == cell["run"]:
            watched = [stage.watch for stage in runs[run].stages if stage.watch]
            require(on, watched, f"watch of {run} on", where)
        else:
            require(on, runs[run].evaluate, f"evaluation of {run} on", where)


def _overlap(cell: Mapping, rule: Mapping) -> bool:
    """Whether some row may be both tuned on and scored: not on two splits, nor on the two halves of one."""
    halves = [subset.get("half") for subset in (cell.get("subset", {}), rule.get("subset", {}))]
    return rule["tune_on"] == cell["on"] and (None in halves or halves[0] == halves[1])


def _subsets(cell: Mapping) -> Iterator[tuple[Mapping, str]]:
    """The parts a cell is scored and tuned on, each with the split it is of."""
    yield cell.get("subset", {}), cell["on"]
    if isinstance(cell.get("threshold"), Mapping):
        yield cell["threshold"].get("subset", {}), cell["threshold"]["tune_on"]
