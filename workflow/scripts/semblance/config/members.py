"""Files with `members`: runs of several papers, compared on the same datasets.

Such a file has no runs of its own. Its tables have one row per member, and its claims may compare kinds of models.
Runs of other papers are written paper/run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from semblance.config.enumerations import SCORED_METRICS
from semblance.config.project import Paper
from semblance.errors import UserError, require
from semblance.registry import MODELS
from semblance.specs.data import dataset_of
from semblance.specs.run import RunSpec

# Names for all members whose models encode both sentences of a pair jointly or separately.
GROUPS = {"cross-encoders": "jointly", "bi-encoders": "separately"}


def filled(raw: Mapping, papers: Mapping[str, Paper], where: str) -> dict:
    """Return the keys of a file with one row per member in each table, and the members that its claims name.

    Members of papers that are not configured are omitted, as are claims without members on one side. `better` and
    `than` are names in `GROUPS`.

    Args:
        raw: keys of the file.
        papers: papers that are configured, by name.
        where: the file, for messages.

    Raises:
        UserError: if a paper does not have a run, or a side of a claim is not in `GROUPS`.
    """
    members = _chosen(raw, papers, where)
    rows = {f"{paper}: {title}": {"run": f"{paper}/{run}"} for paper, title, run in members}
    kinds = {f"{paper}/{run}": papers[paper].runs[run].model.kind for paper, _, run in members}
    groups = {
        name: [{"run": run} for run, kind in kinds.items() if MODELS[kind].encodes == how]
        for name, how in GROUPS.items()
    }
    specs = [spec for paper, _, run in members for spec in _with_origins(papers[paper].runs, run)]
    tables, claims = {}, {}
    for name, table in raw.get("tables", {}).items():
        column = f"{where}: tables.{name}.columns"
        columns = {
            title: _unseen(cell, table, specs, f"{column}.{title}") for title, cell in table.get("columns", {}).items()
        }
        tables[name] = {**table, "rows": rows, "columns": columns}
    for name, claim in raw.get("claims", {}).items():
        for side in ("better", "than"):
            require(claim.get(side), GROUPS, "group of models", f"{where}: claims.{name}.{side}")
        sides = {side: groups[claim[side]] for side in ("better", "than")}
        if all(sides.values()):
            claims[name] = {
                **claim,
                **sides,
                "cell": _unseen(claim.get("cell", {}), {}, specs, f"{where}: claims.{name}"),
            }
    return {**raw, "tables": tables, "claims": claims}


def _with_origins(runs: Mapping[str, RunSpec], run: str | None) -> list[RunSpec]:
    """Return a run and those from which it starts."""
    return [runs[run], *_with_origins(runs, runs[run].start_from)] if run else []


def _unseen(cell: Mapping, table: Mapping, specs: Sequence[RunSpec], where: str) -> dict:
    """Restrict a cell to pairs on which no member was trained or selected.

    Its threshold is tuned on pairs on which no member was trained. Corpora overlap: CS224N's STS and QQP are other
    splits of the pairs of STS-B and GLUE.

    Raises:
        UserError: if the cell does not say on which split it is scored, or its threshold tuned.
    """
    keys = {**table.get("cell", {}), **cell}
    if keys.get("metric") not in SCORED_METRICS:
        return dict(cell)
    rule, found = keys.get("threshold"), dict(cell)
    if "on" not in keys or isinstance(rule, Mapping) and "tune_on" not in rule:
        raise UserError(f"{where}: a cell of {keys['metric']} needs on, and its threshold a number or tune_on, as well")
    found["subset"] = {**cell.get("subset", {}), **_not_in(keys["on"], specs, RunSpec.learns_from, RunSpec.chosen_by)}
    if isinstance(rule, Mapping):
        unseen = _not_in(rule["tune_on"], specs, RunSpec.learns_from)
        found["threshold"] = {**rule, "subset": {**rule.get("subset", {}), **unseen}}
    return found


def _not_in(on: str, specs: Sequence[RunSpec], *used: Callable[[RunSpec], list[str]]) -> dict:
    """Return the filter for pairs in no split of other corpora; splits of one corpus are disjoint anyway."""
    others = dict.fromkeys(split for of in used for spec in specs for split in of(spec))
    splits = [split for split in others if dataset_of(split) != dataset_of(on)]
    return {"unseen_in": splits} if splits else {}


def on_the_same_datasets(raw: Mapping, papers: Mapping[str, Paper], where: str) -> dict[str, Paper]:
    """Return the papers with members that are also evaluated on the splits in `evaluate_on`.

    Args:
        raw: keys of the file with members.
        papers: papers that are configured, by name.
        where: the file, for messages.
    """
    found = dict(papers)
    for name, _, run in _chosen(raw, papers, where):
        runs = found[name].runs
        evaluate = tuple(dict.fromkeys([*runs[run].evaluate, *raw["evaluate_on"]]))
        found[name] = replace(found[name], runs={**runs, run: replace(runs[run], evaluate=evaluate)})
    return found


def _chosen(raw: Mapping, papers: Mapping[str, Paper], where: str) -> list[tuple[str, str, str]]:
    """Return paper, title and run of the members of configured papers; raise UserError if there are none."""
    found = []
    for paper, titles in raw["members"].items():
        for title, run in titles.items() if paper in papers else ():
            require(run, papers[paper].runs, "run", f"{where}: members.{paper}")
            found.append((paper, title, run))
    if not found:
        raise UserError(f"{where}: its members are runs of {', '.join(raw['members'])}: name one in papers too")
    return found
