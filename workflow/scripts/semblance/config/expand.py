"""Runs from the keys of a paper's file: grids expanded, defaults and the preset merged in."""

import itertools
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from semblance.config.overrides import overrides
from semblance.config.project import PAPER, PRESET, Origins
from semblance.errors import UserError, require
from semblance.specs.recipe import Recipe
from semblance.specs.run import RunSpec, StageSpec
from semblance.specs.typed import missing, typed

RECIPE = {field.name for field in fields(Recipe)}


def expand_grids(runs: Mapping[str, dict], where: str) -> dict[str, dict]:
    """Return the keys of all runs, or claims, with one per combination for each that has a `grid`.

    Each ``{key}`` in names and values is replaced, ``{KEY}`` by the same in upper case, and ``{key.part}`` by that part
    of the grid's value. A value that is only ``{key}`` or ``{key.part}`` becomes what it stands for, with its type.
    Names become lower case. A grid can name its values, ``{name: value}``, if they are not suitable as parts of names.

    Raises:
        UserError: if a grid is not a mapping of lists, if a key of it is used in names alone, or if two have the same
            name.
    """
    expanded: dict[str, dict] = {}
    for name, spec in runs.items():
        grid = spec.get("grid", {}) if isinstance(spec, Mapping) else {}
        if not (isinstance(grid, Mapping) and all(isinstance(v, (list, Mapping)) and v for v in grid.values())):
            raise UserError(f"{where}.{name}.grid must hold a list of values, or names of values, for each key")
        if not grid:
            expanded[name] = spec
            continue
        body = {k: v for k, v in spec.items() if k != "grid"}
        for key in grid:
            if not any(form in str(body) for form in (f"{{{key}}}", f"{{{key}.", f"{{{key.upper()}}}")):
                raise UserError(f"{where}.{name}.grid: {key} changes nothing but names; use {{{key}}} in another key")
        for values in itertools.product(*map(_choices, grid.values())):
            filling = dict(zip(grid, values, strict=True))
            single = _text(name, filling).lower()
            if single in expanded:
                raise UserError(f"{where}.{name}: the name {single!r} would occur twice; write every grid key into it")
            expanded[single] = _filled(body, filling)
    return expanded


def _choices(values: list | Mapping) -> list[tuple[str, object]]:
    """Return the values of a grid's key, each with its form in names."""
    if isinstance(values, Mapping):
        return list(values.items())
    return [(f"{v:g}".replace("e-0", "e-") if isinstance(v, float) else str(v), v) for v in values]


def _filled(value: Any, filling: Mapping[str, tuple[str, object]]) -> Any:
    """Return a value, with its parts, after the replacement of all keys of a grid."""
    if isinstance(value, str):
        for key, (_, item) in filling.items():
            whole = {f"{{{key}}}": item, **_parts(key, item)}
            if value in whole:
                return whole[value]
        return _text(value, filling)
    if isinstance(value, Mapping):
        return {_text(k, filling) if isinstance(k, str) else k: _filled(v, filling) for k, v in value.items()}
    return [_filled(v, filling) for v in value] if isinstance(value, list) else value


def _text(value: str, filling: Mapping[str, tuple[str, object]]) -> str:
    for key, (text, item) in filling.items():
        for form, of in {f"{{{key}}}": text, f"{{{key.upper()}}}": text.upper(), **_parts(key, item)}.items():
            value = value.replace(form, str(of))
    return value


def _parts(key: str, item: object) -> dict[str, object]:
    """Return the parts of a grid's value by the form in which they are used."""
    return {f"{{{key}.{part}}}": of for part, of in item.items()} if isinstance(item, Mapping) else {}


def merged(spec: Mapping, defaults: Mapping, preset: Mapping, paper: str, run: str) -> dict:
    """Return the keys of a run after the paper's defaults and the preset.

    Args:
        spec: keys of the run in the paper's file.
        defaults: keys `defaults` of that file: of stages and of models.
        preset: keys of the preset.
        paper: name of the paper.
        run: name of the run.
    """
    stages = []
    for stage in _unrolled(spec.get("stages", []), preset.get("repeat", {}).get(paper)):
        scaled = overrides(preset.get("stages", {}).get(paper, {}), stage["on"], run)
        factor = scaled.pop("learning_rate_factor", 1)
        stages.append({**defaults.get("stage", {}), **stage, **scaled})
        if "learning_rate" in stages[-1]:
            # Rounded, so that 25 × 2e-5 is recorded as 5e-4.
            stages[-1]["learning_rate"] = float(f"{factor * stages[-1]['learning_rate']:.6g}")
    model = {**defaults.get("model", {}), **spec["model"], **preset.get("model", {})}
    model |= overrides(preset.get("models", {}).get(paper, {}), None, run)
    factor = model.pop("dropout_factor", 1)
    if "dropout" in model:
        model["dropout"] = float(f"{factor * model['dropout']:.6g}")
    # A model without training may give all examples the same score.
    own = {"evaluate": defaults.get("evaluate", []), "may_collapse": not stages}
    own |= {key: value for key, value in spec.items() if key not in ("stages", "model")}
    return own | {"model": model, "stages": stages}


def complete(keys: Mapping, where: str) -> RunSpec:
    """Return a run from its merged keys.

    Raises:
        UserError: if a stage lacks a hyperparameter without a default.
    """
    return typed(RunSpec, {**keys, "stages": [_stage(stage, where) for stage in keys["stages"]]})


def check_effective(spec: Mapping, defaults: Mapping, where: str) -> None:
    """Raise UserError if a stage gives a hyperparameter that its optimizer and schedule do not use.

    Args:
        spec: keys of a run in the paper's file.
        defaults: the paper's defaults of a stage.
        where: place of the run in the configuration, for messages.
    """
    for stage in _unrolled(spec.get("stages", []), None):
        recipe = typed(StageSpec, {"objective": "", **_stage({**defaults, **stage}, where)}).recipe
        given = [key for key in stage if key in RECIPE and stage[key] != defaults.get(key)]
        if unused := [key for key in given if key not in recipe.used()]:
            kinds = f"optimizer {recipe.optimizer} and schedule {recipe.schedule}"
            raise UserError(f"{where}.stages.{unused[0]} has no effect with {kinds}")


def _stage(keys: Mapping, where: str) -> dict:
    if lacking := missing(Recipe, keys):
        raise UserError(f"{where}.stages: the stage on {keys['on']} has no {lacking[0]}, nor have the defaults")
    recipe = {key: value for key, value in keys.items() if key in RECIPE}
    return {key: value for key, value in keys.items() if key not in RECIPE} | {"recipe": recipe}


def origins(keys: Mapping, written: Mapping) -> Origins:
    """Return what set each key of a run, from its merged keys with and without the preset."""
    before = written["stages"]
    if len(before) != len(keys["stages"]):  # a preset may repeat stages less often than the paper
        repeated = {(stage["on"], stage["objective"]): stage for stage in reversed(before)}
        before = [repeated[stage["on"], stage["objective"]] for stage in keys["stages"]]
    stages = [_origins(*both) for both in zip(keys["stages"], before, strict=True)]
    altered = any(keys[part] != written[part] for part in ("model", "stages"))
    return Origins(_origins(keys["model"], written["model"]), tuple(stages), altered)


def _origins(keys: Mapping, written: Mapping) -> dict[str, str]:
    found = {key: PAPER if key in written and written[key] == value else PRESET for key, value in keys.items()}
    # Of a regularizer's options, which no preset can change, these are in the paper's file.
    options = [f"{kind}.{key}" for kind, given in keys.get("regularizer", {}).items() for key in given]
    return found | dict.fromkeys(options, PAPER)


def _unrolled(stages: list[dict], times: int | None) -> list[dict]:
    """Return all stages in order; those of a ``repeat`` occur as often as it or the preset says."""
    return [
        stage
        for item in stages
        for stage in (item["stages"] * (times or item["repeat"]) if "repeat" in item else [item])
    ]


def check_chains(runs: Mapping[str, dict], where: str) -> None:
    """Raise UserError if a `start_from` names no run or leads back to itself."""
    for name, spec in runs.items():
        seen, start = [name], spec.get("start_from")
        while start is not None:
            require(start, runs, "run", f"{where}: runs.{seen[-1]}.start_from")
            if start in seen:
                circle = " → ".join([*seen[seen.index(start) :], start])
                raise UserError(f"{where}: runs.{name}.start_from goes in a circle: {circle}")
            seen.append(start)
            start = runs[start].get("start_from")
