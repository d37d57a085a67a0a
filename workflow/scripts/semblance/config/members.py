"""A file of `members`: runs of several papers, scored on the same ground and set against one another.

Such a file has no runs of its own. Its tables have a row for each member, and its claims may compare whole
kinds of models; another paper's run is written paper/run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from semblance.errors import require

if TYPE_CHECKING:
    from semblance.config.project import Paper

# How a claim names all members of some kinds of models: by whether both sentences are read at once.
GROUPS = {
    "cross-encoders": ("cross-encoder",),
    "bi-encoders": ("bi-encoder", "multitask"),
}


def filled(raw: Mapping, papers: Mapping[str, Paper], where: str) -> dict:
    """The file with a row for each member in each table, and the members that its claims name.

    Members of papers that are not rebuilt are left out, and so are claims with nobody on one side. Raises
    UserError for a run that a paper does not have.
    """
    members = _chosen(raw, papers, where)
    rows = {f"{paper}: {title}": {"run": f"{paper}/{run}"} for paper, title, run in members}
    kinds = {f"{paper}/{run}": papers[paper].runs[run]["model"]["kind"] for paper, _, run in members}
    groups = {name: [{"run": run} for run, kind in kinds.items() if kind in of] for name, of in GROUPS.items()}
    claims = {
        name: {**claim, **{side: groups.get(claim[side], claim[side]) for side in ("better", "than")}}
        for name, claim in raw.get("claims", {}).items()
    }
    return {
        **raw,
        "tables": {name: {**table, "rows": rows} for name, table in raw.get("tables", {}).items()},
        "claims": {name: claim for name, claim in claims.items() if claim["better"] and claim["than"]},
    }


def on_the_same_ground(raw: Mapping, papers: Mapping[str, Paper], where: str) -> dict[str, Paper]:
    """The papers, the members among their runs scored on the splits of `ground` as well."""
    found = dict(papers)
    for name, _, run in _chosen(raw, papers, where):
        runs = found[name].runs
        evaluate = list(dict.fromkeys([*runs[run]["evaluate"], *raw["ground"]]))
        found[name] = replace(found[name], runs={**runs, run: {**runs[run], "evaluate": evaluate}})
    return found


def _chosen(raw: Mapping, papers: Mapping[str, Paper], where: str) -> list[tuple[str, str, str]]:
    """Paper, title and run of every member whose paper is rebuilt."""
    found = []
    for paper, titles in raw["members"].items():
        for title, run in titles.items() if paper in papers else ():
            require(run, papers[paper].runs, "run", f"{where}: members.{paper}")
            found.append((paper, title, run))
    return found
