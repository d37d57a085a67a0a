"""Targets of Snakemake's command line that no rule makes."""

from collections.abc import Iterable

from semblance.config import own
from semblance.config.project import Project
from semblance.errors import UserError, require
from semblance.paths import ROOT


def unknown(target: str, rules: Iterable[str], project: Project) -> str:
    """Return what is wrong with a target: its paper is not among those that run, or a rule has a similar name."""
    paper = target.replace("-", "_").split("_")[0]
    if paper not in project.papers and (paper == own.NAME or (ROOT / f"config/papers/{paper}.yaml").exists()):
        return f"snakemake: {target}: add {paper} to papers, which are {', '.join(project.papers)}"
    try:
        require(target, rules, "rule", "snakemake")
    except UserError as problem:
        return str(problem)
    return target
