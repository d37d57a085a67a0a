"""Loading of the whole configuration: files read, checked, and put together as a project."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from semblance.config import checks, datasets, members, own, tables
from semblance.config.encoders import Encoders, described
from semblance.config.expand import check_chains, check_effective, complete, expand_grids, merged, origins
from semblance.config.files import SETTINGS, check, read_checked, read_yaml, with_numbers
from semblance.config.overrides import check_names, check_overrides
from semblance.config.project import Paper, Project
from semblance.errors import UserError, require
from semblance.paths import SCHEMAS
from semblance.specs.cells import ListSpec
from semblance.specs.settings import PAPERS, Settings
from semblance.specs.typed import typed

Spec = TypeVar("Spec")


def load(root: Path, settings: dict) -> Project:
    """Read and check the configuration in `root`/config.

    Args:
        root: the checkout.
        settings: the settings of config/config.yaml, with those of the command line.

    Raises:
        UserError: for the first error, with its file and key, and how to correct it.
    """
    config, schema = root / "config", SCHEMAS
    settings = {key: None if v == "null" else v for key, v in settings.items()}  # a text on the command line
    settings = {key: with_numbers(v) if key in ("seeds", "encoders") else v for key, v in settings.items()}
    settings["own"] = with_numbers(settings.get("own"), own.NUMBERS)
    check(settings, schema / "config.yaml", SETTINGS)
    if settings["own"] and own.NAME not in (settings["papers"] or ()):
        raise UserError(f"{own.WHERE} is read only if papers contains {own.NAME}: write papers: [{own.NAME}] as well")
    require(settings["preset"], _names(config / "presets"), "preset", f"{SETTINGS}: preset")
    preset = read_checked(config / "presets" / f"{settings['preset']}.yaml", schema / "preset.yaml")
    if settings["data_folder"] and not settings["data_source"] and preset["data_source"] != "files":
        raise UserError(f"{SETTINGS}: data_folder is not read unless data_source is files: set it too")
    of_preset = f"config/presets/{settings['preset']}.yaml"
    settings["papers"] = _chosen_papers(settings["papers"], preset.get("papers"), of_preset)
    corpora = read_checked(config / "datasets.yaml", schema / "datasets.yaml")
    check_names(preset, _names(config / "papers"), corpora, of_preset)
    encoders = read_checked(config / "encoders.yaml", schema / "encoders.yaml")
    for where, chosen in ((SETTINGS, settings), (of_preset, preset)):
        _check_encoders(chosen.get("encoders", {}), encoders, f"{where}: encoders")
    if own.NAME in settings["papers"]:
        brought = own.checked(settings["own"])
        settings = {**settings, "encoders": {**settings["encoders"], **own.places(brought)}}
        corpora, encoders = {**corpora, **own.datasets(brought)}, {**encoders, **own.encoders(brought)}
    papers = _papers(config / "papers", schema / "paper.yaml", settings, preset)
    chosen_settings = Settings.of(settings, preset)
    specs = {name: datasets.spec(plain) for name, plain in corpora.items()}
    citations = {name: datasets.citation(plain) for name, plain in corpora.items()}
    sources = {name: datasets.sources(plain) for name, plain in corpora.items()}
    for name, spec in specs.items():
        datasets.check_splits(name, spec, sources[name])
    project = Project(
        chosen_settings,
        datasets.Datasets(specs, citations, sources, chosen_settings),
        Encoders({name: described(name, plain) for name, plain in encoders.items()}, chosen_settings),
        papers,
    )
    checks.check(project)
    for paper in papers.values():
        check_overrides(preset, paper, of_preset)
    return project


def _chosen_papers(papers: list[str] | None, made_for: list[str] | None, where: str) -> Sequence[str]:
    """Return the papers that the settings name, or else those that the preset is made for.

    Raises:
        UserError: if the settings name others than the preset is made for.
    """
    if papers is None:
        return made_for or PAPERS
    if made_for and (others := [name for name in papers if name not in made_for]):
        raise UserError(
            f"{where} is made for {', '.join(made_for)} alone, not {', '.join(others)}: leave papers out, choose "
            "another preset, or add to that file the names, to papers, and their recipes, to stages"
        )
    return papers


def _papers(folder: Path, schema: Path, settings: Mapping, preset: Mapping) -> dict[str, Paper]:
    """Return the papers that the settings name; those that compare the others come last."""
    found, together = {}, {}
    for name in settings["papers"]:
        require(name, [*_names(folder), own.NAME], "paper", f"{SETTINGS}: papers")
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
        for paper in raw["members"]:
            require(paper, [*_names(folder), own.NAME], "paper", f"{where}: members")
        others = {other: paper for other, paper in found.items() if paper.runs}
        found |= members.on_the_same_datasets(raw, others, where)
        found[name] = _paper(name, members.filled(raw, others, where), schema, preset)
    return found


def _check_encoders(chosen: Mapping[str, dict], known: Mapping[str, dict], where: str) -> None:
    """Check what the settings or a preset say about encoders."""
    for name, spec in chosen.items():
        require(name, known, "encoder", where)
        if "same_as" in spec:
            require(spec["same_as"], known, "encoder", f"{where}.{name}.same_as")
        named = {key for key in ("path", "generated", "same_as") if key in spec}
        named |= {spec["source"]} if "source" in spec else set()
        if len(named) > 1:
            raise UserError(f"{where}.{name}: {' and '.join(sorted(named))} contradict each other; name one source")


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
    if name in preset.get("repeat", {}) and not any(
        "repeat" in one for run in runs.values() for one in run.get("stages", ())
    ):
        raise UserError(f"{where}: no run repeats stages, so the preset's repeat.{name} has no effect: remove it")
    defaults = raw.get("defaults", {})
    written, complete_keys = (
        {run: merged(spec, defaults, changes, name, run) for run, spec in runs.items()} for changes in ({}, preset)
    )

    for run, spec in runs.items():
        check_effective(spec, defaults.get("stage", {}), f"{where}: runs.{run}")

    def each(part: str, read: Callable[[Mapping, str], Spec]) -> dict[str, Spec]:
        return {item: read(keys, f"{where}: {part}.{item}") for item, keys in raw.get(part, {}).items()}

    return Paper(
        name=name,
        title=raw["title"],
        authors=raw["authors"],
        runs={run: complete(found, f"{where}: runs.{run}") for run, found in complete_keys.items()},
        tables=each("tables", tables.table),
        figures=each("figures", tables.figure),
        lists={item: typed(ListSpec, keys) for item, keys in raw.get("lists", {}).items()},
        claims={item: tables.claim(keys) for item, keys in raw.get("claims", {}).items()},
        where=where,
        origins={run: origins(found, written[run]) for run, found in complete_keys.items()},
        url=raw.get("url"),
        headline=tables.headline(raw["headline"]) if "headline" in raw else None,
    )
