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
    papers = [own.NAME, *(file.stem for file in (ROOT / "config" / "papers").glob("*.yaml"))]
    begins = [name for name in papers if f"{target}_".replace("-", "_").startswith(f"{name}_".replace("-", "_"))]
    if begins and (paper := max(begins, key=len)) not in project.papers:  # sn3d-longer begins with sn3d
        return f"semblance: {target}: add {paper} to papers, which are {', '.join(project.papers)}"
    return errors.unknown(target, rules, "rule", "semblance", "`snakemake --list-target-rules` lists all names")
