"""The resolved recipe of every run: each hyperparameter as it will be used, and what set it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from semblance.config.project import PAPER, PRESET, Paper, Project
from semblance.planning.costs import Costs
from semblance.registry import MODELS, OBJECTIVES
from semblance.specs.encoders import named
from semblance.specs.resolved import Recipes, Resolved, RunRecipe, Setting, StageRecipe
from semblance.specs.run import ModelSpec, StageSpec

DEFAULT, SETTING = "default", "config.yaml"  # what else can set a value


def of_project(project: Project, costs: Costs) -> Recipes:
    """Return the recipes of all runs, by paper and run.

    Args:
        project: the project.
        costs: what knows how many rows and examples a stage has.
    """
    return {
        paper.name: {run: _of_run(project, costs, paper, run) for run in paper.runs}
        for paper in project.papers.values()
        if paper.runs
    }


def _of_run(project: Project, costs: Costs, paper: Paper, run: str) -> RunRecipe:
    spec, origins = paper.runs[run], paper.origins[run]
    chosen = PRESET if project.settings.seeds_are_the_presets else SETTING
    found = {"seeds": _set(project.seeds_of_run(paper.name, run), chosen)}
    if spec.start_from:
        found["start_from"] = _set(spec.start_from, PAPER)
    if spec.departs:
        found["departs"] = _set(spec.departs, PAPER)
    training = MODELS[spec.model.kind].training
    if training in ("engine", "frozen-encoder"):
        found["precision"] = _set(project.settings.precision, SETTING)
        if training == "frozen-encoder":
            found |= {"precision": _set("fp32", DEFAULT), "precision_of_encoder": found["precision"]}
        found["threads"] = _set(project.settings.threads, PRESET)
    if spec.model.fit_on:
        found["training_rows"] = _rows(costs, spec.model.fit_on)
    if spec.select_stage:
        found["select_stage"] = _set([_plain(asdict(rule)) for rule in spec.select_stage], PAPER)
    stages = zip(spec.stages, origins.stages, strict=True)
    model = _of_model(project, spec.model, origins.model)
    return RunRecipe(found, model, tuple(_of_stage(costs, *stage) for stage in stages))


def _of_model(project: Project, model: ModelSpec, origins: Mapping[str, str]) -> Resolved:
    kind = MODELS[model.kind]
    keys = {"kind"} | ({"max_length"} if kind.training != "fit" else set()) | kind.requires | kind.allows
    found = {key: _set(value, origins.get(key, DEFAULT)) for key, value in asdict(model).items() if key in keys}
    found |= {name: _set(value, DEFAULT) for name, value in kind.constants.items()}
    if kind.training == "engine":
        found["encoder_dropout"] = _set("as pre-trained", DEFAULT)
    if model.encoder:
        source, made = project.encoders[model.encoder].source, project.encoders.made(model.encoder)
        weights, own = " ".join([source.kind, *named(source).values()]), made == model.encoder
        set_by = PAPER if own and source.kind == "hub" else PRESET
        found["weights"] = _set(weights if own else f"{made}: {weights}", set_by)
    return found


def _of_stage(costs: Costs, stage: StageSpec, origins: Mapping[str, str]) -> StageRecipe:
    recipe, examples = stage.recipe, costs.examples(stage)
    per_epoch, steps = recipe.steps(examples)
    found = {"on": _set(stage.on, PAPER), "objective": _set(stage.objective, PAPER)}
    found["training_rows"] = _rows(costs, [f"{stage.on}/train"], stage.fraction)
    if OBJECTIVES[stage.objective].builds_examples:
        found["examples"] = _set(f"about {examples}", found["training_rows"].set_by)
    found |= {name: _set(value, DEFAULT) for name, value in OBJECTIVES[stage.objective].constants.items()}
    for key in recipe.used():
        found[key] = _set(getattr(recipe, key), origins.get(key, DEFAULT))
    # What follows from the recipe and the number of rows.
    shorter = PRESET if PRESET in (found["epochs"].set_by, found["training_rows"].set_by) else PAPER
    found["steps_per_epoch"] = _set(per_epoch, origins.get("steps_per_epoch", shorter))
    found["steps"] = _set(steps, PRESET if PRESET in (shorter, found["steps_per_epoch"].set_by) else PAPER)
    found["warmup_steps"] = _set(recipe.warmup_steps(steps), found.get("warmup", found["schedule"]).set_by)
    regularizers = {kind: _of_regularizer(kind, options, origins) for kind, options in stage.regularizer.items()}
    if regularizers and not recipe.precision:
        found["precision"] = _set("fp32", DEFAULT)  # see `training.engine`
    for key, value in asdict(stage).items():
        if key in ("fraction", "select", "watch", "watch_every") and key in origins:
            found[key] = _set(value, origins[key])
    return StageRecipe(found, regularizers)


def _of_regularizer(kind: str, options: Any, origins: Mapping[str, str]) -> Resolved:
    return {key: _set(value, origins.get(f"{kind}.{key}", DEFAULT)) for key, value in asdict(options).items()}


def _rows(costs: Costs, splits: Sequence[str], fraction: float = 1) -> Setting:
    rows = round(sum(map(costs.rows, splits)) * fraction)
    return _set(rows, PAPER if all(map(costs.is_whole, splits)) else PRESET)


def _set(value: object, by: str) -> Setting:
    return Setting(_plain(value), by)


def _plain(value: object) -> object:
    """Return a value for YAML, without the entries of a mapping that are unset."""
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items() if part not in (None, ()) and part is not False}
    return list(value) if isinstance(value, tuple) else value
