"""Loading of the whole configuration: files read, checked, and put together as a project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from semblance.config import checks, members, own
from semblance.config.expand import check_chains, complete, expand_grids, merged, origins
from semblance.config.files import check, read_checked, read_yaml, with_numbers
from semblance.config.project import Paper, Project
from semblance.errors import require


def load(root: Path, settings: dict) -> Project:
    """Read and check everything under `root`/config. Raises UserError naming file, key and remedy."""
    config, schema = root / "config", root / "config" / "schema"
    settings = {key: with_numbers(said) if key in ("seeds", "encoders") else said for key, said in settings.items()}
    check(settings, schema / "config.yaml", "config/config.yaml")
    require(settings["preset"], _names(config / "presets"), "preset", "config/config.yaml: preset")
    preset = read_checked(config / "presets" / f"{settings['preset']}.yaml", schema / "preset.yaml")
    for where, said in (("config/config.yaml", settings), (f"config/presets/{settings['preset']}.yaml", preset)):
        check(_generated(said.get("encoders", {})), schema / "encoders.yaml", f"{where}: encoders")
    datasets = read_checked(config / "datasets.yaml", schema / "datasets.yaml")
    encoders = read_checked(config / "encoders.yaml", schema / "encoders.yaml")
    if own.NAME in settings["papers"]:
        brought = own.checked(settings["own"])
        settings = {**settings, "encoders": {**settings["encoders"], **own.places(brought)}}
        datasets, encoders = {**datasets, **own.datasets(brought)}, {**encoders, **own.encoders(brought)}
    papers = _papers(config / "papers", schema / "paper.yaml", settings, preset)
    project = Project(settings, preset, datasets, encoders, papers)
    checks.check(project)
    return project


def _papers(folder: Path, schema: Path, settings: Mapping, preset: Mapping) -> dict[str, Paper]:
    """What is to be rebuilt, those that compare the others last."""
    found, together = {}, {}
    for name in settings["papers"]:
        require(name, [*_names(folder), own.NAME], "paper", "config/config.yaml: papers")
        if name == own.NAME:
            board = read_yaml(folder / "leaderboard.yaml")["tables"]
            # Models that come as they are: no preset cuts their texts.
            found[name] = _paper(name, own.paper(settings["own"], board), schema, {})
            continue
        raw = read_yaml(folder / f"{name}.yaml")
        if "members" in raw:
            together[name] = raw
        else:
            found[name] = _paper(name, raw, schema, preset)
    for name, raw in together.items():
        where = _where(name)
        check({key: raw[key] for key in raw if key not in ("tables", "claims")}, schema, where)
        others = {other: paper for other, paper in found.items() if paper.runs}
        found |= members.on_the_same_ground(raw, others, where)
        found[name] = _paper(name, members.filled(raw, others, where), schema, preset)
    return found


def _generated(chosen: Mapping[str, dict]) -> dict[str, dict]:
    """What is changed of generated encoders, as config/encoders.yaml would say it."""
    return {
        name: {"title": name, "generated": spec["generated"]} for name, spec in chosen.items() if "generated" in spec
    }


def _names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml"))


def _where(paper: str) -> str:
    return f"config/papers/{paper}.yaml"


def _paper(name: str, raw: dict, schema: Path, preset: Mapping) -> Paper:
    where = _where(name)
    # Grids first: what stands in for a number while it is written is one when it is checked.
    if isinstance(raw.get("runs"), Mapping):
        raw["runs"] = expand_grids(raw["runs"], where)
    check(raw, schema, where)
    runs = raw.get("runs", {})
    check_chains(runs, where)
    written, keys = (
        {run: merged(spec, raw.get("defaults", {}), changes, name, run) for run, spec in runs.items()}
        for changes in ({}, preset)
    )
    return Paper(
        name=name,
        title=raw["title"],
        authors=raw["authors"],
        runs={run: complete(found, f"{where}: runs.{run}") for run, found in keys.items()},
        **{section: raw.get(section, {}) for section in ("tables", "figures", "lists", "claims")},
        where=where,
        origins={run: origins(found, written[run]) for run, found in keys.items()},
        headline=raw.get("headline"),
    )
