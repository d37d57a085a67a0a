"""Loading of the whole configuration: files read, checked, and put together as a project."""

from collections.abc import Mapping
from pathlib import Path

from semblance.config import checks, datasets, members, own, tables
from semblance.config.expand import check_chains, complete, expand_grids, merged, origins
from semblance.config.files import check, read_checked, read_yaml, with_numbers
from semblance.config.project import Paper, Project
from semblance.errors import require


def load(root: Path, settings: dict) -> Project:
    """Read and check the configuration in `root`/config.

    Args:
        root: the checkout.
        settings: the settings of config/config.yaml, with those of the command line.

    Raises:
        UserError: for the first error, with its file and key, and how to correct it.
    """
    config, schema = root / "config", root / "config" / "schema"
    settings = {key: with_numbers(v) if key in ("seeds", "encoders") else v for key, v in settings.items()}
    check(settings, schema / "config.yaml", "config/config.yaml")
    require(settings["preset"], _names(config / "presets"), "preset", "config/config.yaml: preset")
    preset = read_checked(config / "presets" / f"{settings['preset']}.yaml", schema / "preset.yaml")
    for where, chosen in (("config/config.yaml", settings), (f"config/presets/{settings['preset']}.yaml", preset)):
        check(_generated(chosen.get("encoders", {})), schema / "encoders.yaml", f"{where}: encoders")
    corpora = read_checked(config / "datasets.yaml", schema / "datasets.yaml")
    encoders = read_checked(config / "encoders.yaml", schema / "encoders.yaml")
    if own.NAME in settings["papers"]:
        brought = own.checked(settings["own"])
        settings = {**settings, "encoders": {**settings["encoders"], **own.places(brought)}}
        corpora, encoders = {**corpora, **own.datasets(brought)}, {**encoders, **own.encoders(brought)}
    papers = _papers(config / "papers", schema / "paper.yaml", settings, preset)
    specs = {name: datasets.spec(described) for name, described in corpora.items()}
    sources = {name: datasets.sources(described) for name, described in corpora.items()}
    project = Project(settings, preset, specs, sources, encoders, papers)
    checks.check(project)
    return project


def _papers(folder: Path, schema: Path, settings: Mapping, preset: Mapping) -> dict[str, Paper]:
    """Return the papers that the settings name; those that compare the others come last."""
    found, together = {}, {}
    for name in settings["papers"]:
        require(name, [*_names(folder), own.NAME], "paper", "config/config.yaml: papers")
        if name == own.NAME:
            board = read_yaml(folder / "leaderboard.yaml")["tables"]
            # No preset applies to models of the user, e.g. to their maximum lengths.
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
        found |= members.on_the_same_datasets(raw, others, where)
        found[name] = _paper(name, members.filled(raw, others, where), schema, preset)
    return found


def _generated(chosen: Mapping[str, dict]) -> dict[str, dict]:
    """Return the changed keys of generated encoders in the form of config/encoders.yaml."""
    return {
        name: {"title": name, "generated": spec["generated"]} for name, spec in chosen.items() if "generated" in spec
    }


def _names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml"))


def _where(paper: str) -> str:
    return f"config/papers/{paper}.yaml"


def _paper(name: str, raw: dict, schema: Path, preset: Mapping) -> Paper:
    where = _where(name)
    # Before the schema, because a value such as {rate} is a number only after its grid is expanded.
    for part in ("runs", "claims"):
        if isinstance(raw.get(part), Mapping):
            raw[part] = expand_grids(raw[part], f"{where}: {part}")
    check(raw, schema, where)
    runs = raw.get("runs", {})
    check_chains(runs, where)
    written, complete_keys = (
        {run: merged(spec, raw.get("defaults", {}), changes, name, run) for run, spec in runs.items()}
        for changes in ({}, preset)
    )
    return Paper(
        name=name,
        title=raw["title"],
        authors=raw["authors"],
        runs={run: complete(found, f"{where}: runs.{run}") for run, found in complete_keys.items()},
        tables={item: tables.table(keys, f"{where}: tables.{item}") for item, keys in raw.get("tables", {}).items()},
        figures={item: tables.figure(keys) for item, keys in raw.get("figures", {}).items()},
        lists={item: tables.listed(keys) for item, keys in raw.get("lists", {}).items()},
        claims={item: tables.claim(keys) for item, keys in raw.get("claims", {}).items()},
        where=where,
        origins={run: origins(found, written[run]) for run, found in complete_keys.items()},
        headline=tables.headline(raw["headline"]) if "headline" in raw else None,
    )
