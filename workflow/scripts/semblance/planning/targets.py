"""Targets of Snakemake's command line that no rule makes."""

from collections.abc import Iterable

from semblance import errors
from semblance.config import own
from semblance.config.project import Project
from semblance.paths import ROOT


def unknown(target: str, rules: Iterable[str], project: Project) -> str:
    """Return what is wrong with a target: its preset or paper is not among those that run, or no rule has its name.

    Args:
        target: what the user asked for.
        rules: names of rules without wildcards.
        project: the project.
    """
    if target.startswith("-"):
        return f"semblance: {target}: options belong before --config or --, targets after --"
    if target.startswith("results/"):
        presets = [file.stem for file in (ROOT / "config" / "presets").glob("*.yaml")]
        preset = target.split("/")[1]
        if preset in presets:
            return f"semblance: {target}: add --config preset={preset} -- before it"
        return errors.unknown(preset, presets, "preset", f"semblance: {target}")
    for kind, setting in (("presets", f"preset={target}"), ("papers", f"'papers=[{target}]'")):
        if target in [file.stem for file in (ROOT / "config" / kind).glob("*.yaml")]:
            return f"semblance: {target} is one of the {kind}, not a target: write {setting} after --config"
    paper = target.replace("-", "_").split("_")[0]
    if paper not in project.papers and (paper == own.NAME or (ROOT / f"config/papers/{paper}.yaml").exists()):
        return f"semblance: {target}: add {paper} to papers, which are {', '.join(project.papers)}"
    return errors.unknown(target, rules, "rule", "semblance", "`snakemake --list-target-rules` lists all names")
