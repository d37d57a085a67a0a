"""The resolved recipe of every run: each hyperparameter as it will be used, and what set it."""

from __future__ import annotations

from collections.abc import Mapping

from semblance.config.project import Paper, Project
from semblance.planning.costs import Costs
from semblance.registry import MODELS, REGULARIZERS
from semblance.specs.recipe import Recipe

PAPER, PRESET, DEFAULT, SETTING = "paper", "preset", "default", "config.yaml"


def of_project(project: Project, costs: Costs) -> dict[str, dict]:
    """Return the recipes of all runs, by paper and run.

    Every entry is ``{"value": …, "set_by": …}``, where `set_by` is the paper's file, the preset, a default of this
    project, or config/config.yaml.
    """
    return {
        paper.name: {run: _of_run(project, costs, paper, run) for run in paper.runs}
        for paper in project.papers.values()
        if paper.runs
    }


def _of_run(project: Project, costs: Costs, paper: Paper, run: str) -> dict:
    spec, written = paper.runs[run], paper.written[run]
    chosen = PRESET if project.settings["seeds"] is None else SETTING
    found: dict[str, object] = {
        "seeds": _set(project.seeds_of_run(paper.name, run), chosen),
        "model": _of_model(project, spec["model"], written["model"]),
    }
    if spec["start_from"]:
        found["start_from"] = _set(spec["start_from"], PAPER)
    if MODELS[spec["model"]["kind"]].training in ("engine", "frozen-encoder"):
        found["precision"] = _set(project.settings["precision"], SETTING)
        found["threads"] = _set(project.preset["threads"], PRESET)
    # A preset may repeat stages less often than the paper.
    before = {(stage["on"], stage["objective"]): stage for stage in reversed(written["stages"])}
    found["stages"] = [_of_stage(costs, stage, before[stage["on"], stage["objective"]]) for stage in spec["stages"]]
    return found


def _of_model(project: Project, model: Mapping, written: Mapping) -> dict:
    found = {key: _set(value, _origin(key, model, written)) for key, value in model.items()}
    if "encoder" in model:
        spec, made = project.encoder_spec(model["encoder"]), project.encoder_made(model["encoder"])
        named = [str(spec[key]) for key in ("repo", "revision", "package", "path", "folder") if key in spec]
        source = " ".join([spec["kind"], *named])
        own = made == model["encoder"]
        found["weights"] = _set(
            source if own else f"{made}: {source}", PAPER if own and spec["kind"] == "hub" else PRESET
        )
    return found


def _of_stage(costs: Costs, stage: Mapping, written: Mapping) -> dict:
    recipe, split = Recipe.of(stage), f"{stage['on']}/train"
    rows = round(costs.rows(split) * stage.get("fraction", 1))
    per_epoch, steps = recipe.steps(rows)
    found = {"on": _set(stage["on"], PAPER), "objective": _set(stage["objective"], PAPER)}
    found["training_rows"] = _set(rows, PAPER if costs.is_whole(split) else PRESET)
    for key in recipe.used():
        found[key] = _set(getattr(recipe, key), _origin(key, stage, written))
    # What follows from the recipe and the number of rows.
    shorter = PRESET if PRESET in (found["epochs"]["set_by"], found["training_rows"]["set_by"]) else PAPER
    found["steps_per_epoch"] = _set(per_epoch, _origin("steps_per_epoch", stage, written, shorter))
    found["steps"] = _set(steps, PRESET if PRESET in (shorter, found["steps_per_epoch"]["set_by"]) else PAPER)
    found["warmup_steps"] = _set(recipe.warmup_steps(steps), found.get("warmup", found["schedule"])["set_by"])
    for kind, spec in stage.get("regularizer", {}).items():
        said = {**REGULARIZERS[kind].defaults, **spec}
        found[kind] = {key: _set(value, PAPER if key in spec else DEFAULT) for key, value in said.items()}
    for key in ("fraction", "select", "watch", "watch_every"):
        if key in stage:
            found[key] = _set(stage[key], _origin(key, stage, written))
    return found


def _origin(key: str, resolved: Mapping, written: Mapping, unsaid: str = DEFAULT) -> str:
    """Return what set a key: the preset if the paper's file alone gives another value, or none."""
    if key not in resolved:
        return unsaid
    return PAPER if key in written and written[key] == resolved[key] else PRESET


def _set(value: object, by: str) -> dict:
    return {"value": list(value) if isinstance(value, tuple) else value, "set_by": by}
