"""From one paper's YAML to its runs: grids multiplied out, defaults and the preset filled in."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fnmatch import fnmatchcase

from semblance.errors import UserError, require


def expand_grids(runs: Mapping[str, dict], where: str) -> dict[str, dict]:
    """Every run with a `grid` as one run for each combination, ``{key}`` filled in throughout.

    A value that is nothing but ``{key}`` becomes the grid's own value, a number staying a number. Values
    that make no good name have one given: ``{name: value}`` instead of a list.
    """
    expanded: dict[str, dict] = {}
    for name, spec in runs.items():
        grid = spec.get("grid", {}) if isinstance(spec, Mapping) else {}
        if not (isinstance(grid, Mapping) and all(isinstance(v, (list, Mapping)) and v for v in grid.values())):
            raise UserError(f"{where}: runs.{name}.grid must hold a list of values, or names of values, for each key")
        if not grid:
            expanded[name] = spec
            continue
        body = {k: v for k, v in spec.items() if k != "grid"}
        for values in itertools.product(*map(_choices, grid.values())):
            filling = dict(zip(grid, values, strict=True))
            single = _filled(name, filling)
            if single in expanded:
                raise UserError(f"{where}: runs.{name}: two runs would be called {single!r}; name every grid key in it")
            expanded[single] = _filled(body, filling)
    return expanded


def _choices(values: list | Mapping) -> list[tuple[str, object]]:
    """What a grid's key may be: how each value is written in a name, and the value."""
    if isinstance(values, Mapping):
        return list(values.items())
    return [(f"{v:g}".replace("e-0", "e-") if isinstance(v, float) else str(v), v) for v in values]


def _filled(value, filling: Mapping[str, tuple[str, object]]):
    if isinstance(value, str):
        for key, (text, item) in filling.items():
            if value == f"{{{key}}}":
                return item
            value = value.replace(f"{{{key}}}", text)
        return value
    if isinstance(value, Mapping):
        return {_filled(k, filling): _filled(v, filling) for k, v in value.items()}
    return [_filled(v, filling) for v in value] if isinstance(value, list) else value


def complete(spec: dict, defaults: Mapping, preset: Mapping, paper: str, run: str) -> dict:
    """One run with nothing left unsaid: the paper's defaults under its own keys, the preset's over them."""
    stages = []
    for stage in _unrolled(spec.get("stages", []), preset.get("repeat", {}).get(paper)):
        scaled = _overrides(preset.get("stages", {}).get(paper, {}), stage["on"], run)
        factor = scaled.pop("learning_rate_factor", 1)
        stages.append({**defaults.get("stage", {}), **stage, **scaled})
        if "learning_rate" in stages[-1]:
            # Rounded, so that 25 × 2e-5 reads as 5e-4 in every record of it.
            stages[-1]["learning_rate"] = float(f"{factor * stages[-1]['learning_rate']:.6g}")
    model = {**defaults.get("model", {}), **spec["model"], **preset.get("model", {})}
    model |= _overrides(preset.get("models", {}).get(paper, {}), None, run)
    factor = model.pop("dropout_factor", 1)
    if "dropout" in model:
        model["dropout"] = float(f"{factor * model['dropout']:.6g}")
    return {
        "start_from": spec.get("start_from"),
        "model": model,
        "stages": stages,
        "select_stage": spec.get("select_stage", []),
        "evaluate": spec.get("evaluate", defaults.get("evaluate", [])),
        "timing_repeats": spec.get("timing_repeats", 1),
        "may_collapse": spec.get("may_collapse", not stages),  # what is not trained may find nothing alike
        "own_task": spec.get("own_task"),
    }


def _unrolled(stages: list[dict], times: int | None) -> list[dict]:
    """Every stage in turn, those of a ``repeat`` as often as it says, or as the preset does."""
    return [
        stage
        for item in stages
        for stage in (item["stages"] * (times or item["repeat"]) if "repeat" in item else [item])
    ]


def _overrides(changes: Mapping[str, Mapping], dataset: str | None, run: str) -> dict:
    """What a preset changes: of a stage by its dataset, and of either by patterns of run names such as bert-*."""
    patterns = [change for pattern, change in changes.items() if "*" in pattern and fnmatchcase(run, pattern)]
    return {key: value for change in (changes.get(dataset or "", {}), *patterns) for key, value in change.items()}


def learns_from(spec: Mapping) -> list[str]:
    """The splits, named like qqp/train, that a complete run is fitted on."""
    return list(
        dict.fromkeys([*spec["model"].get("fit_on", []), *(f"{stage['on']}/train" for stage in spec["stages"])])
    )


def chosen_by(spec: Mapping) -> list[str]:
    """The splits that choose an epoch or a stage of a complete run."""
    chosen = [stage["select"]["on"] for stage in spec["stages"] if "select" in stage]
    return list(dict.fromkeys(chosen + [rule["on"] for rule in spec["select_stage"]]))


def inputs(spec: Mapping) -> list[str]:
    """Every split that a complete run reads: those, and what is looked at on the way."""
    looked_at = [split for stage in spec["stages"] for split in stage.get("select", {}).get("show", [])]
    looked_at += [stage["watch"] for stage in spec["stages"] if "watch" in stage]
    return list(dict.fromkeys([*learns_from(spec), *chosen_by(spec), *looked_at]))


def check_chains(runs: Mapping[str, dict], where: str) -> None:
    """Raise UserError for a `start_from` that names no run, or that leads back to itself."""
    for name, spec in runs.items():
        seen, start = [name], spec.get("start_from")
        while start is not None:
            require(start, runs, "run", f"{where}: runs.{seen[-1]}.start_from")
            if start in seen:
                circle = " → ".join([*seen[seen.index(start) :], start])
                raise UserError(f"{where}: runs.{name}.start_from goes in a circle: {circle}")
            seen.append(start)
            start = runs[start].get("start_from")
