"""The resolved recipes of all runs, in Markdown and YAML."""

from collections.abc import Iterable
from typing import Any

import yaml

from semblance.files import write_text
from semblance.registry import OBJECTIVES
from semblance.reporting import frames
from semblance.specs.resolved import Recipes, Resolved, RunRecipe, Setting, StageRecipe, as_plain

NOTE = (
    "Each value as the run uses it. **Bold**: the preset or config.yaml sets it. *Italic*: a default of this project, "
    "because the paper's file does not say. Plain: from the paper's file in config/papers/. Rows are counted before "
    "any are dropped. Encoders have the dropout of their pre-training. Numbers of examples that are built from rows, "
    "such as triplets, and of their steps are estimates. `recipes.yaml` has all keys."
)
COLUMNS = (
    "run",
    "model",
    "stage",
    "rows",
    "objective",
    "optimizer",
    "rate",
    "schedule",
    "epochs × steps",
    "batch",
    "precision",
    "seeds",
    "other",
)


def write(recipes: Recipes, outputs: Any) -> None:
    """Write the recipes to `outputs`, which has the paths md and yaml."""
    write_text(outputs.md, markdown(recipes))
    plain = as_plain(recipes)
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, default_flow_style=None, width=120)
    write_text(outputs.yaml, text)


def markdown(recipes: Recipes) -> str:
    """Return the recipes as a Markdown page with one table per paper."""
    lines = ["# Recipes", "", NOTE]
    for paper, runs in recipes.items():
        table = frames.pipes(COLUMNS, [row for run, recipe in runs.items() for row in rows(run, recipe)])
        lines += ["", f"## {paper}", "", table]
    return "\n".join([*lines, ""])


MODEL = ("kind", "encoder", "weights", "pooling", "features", "heads", "network")  # shown by value


def rows(run: str, recipe: RunRecipe) -> list[list[str]]:
    """Return one row of cells per stage of a run; equal stages that repeat are one row."""
    whole = recipe.settings
    given = {key: one for key, one in recipe.model.items() if one.value or one.set_by != "default"}
    model = ", ".join(
        [
            *(_one(given[key]) for key in MODEL if key in given),
            *_named(given, ("dropout", "hidden_layers", "max_length")),
        ]
    )
    model += f", start from {_one(whole['start_from'])}" if "start_from" in whole else ""
    if "select_stage" in whole:
        model += f", best stage by {', '.join(rule['metric'] for rule in whole['select_stage'].value)}"
    model += f"; departs from the paper: {_one(whole['departs'])}" if "departs" in whole else ""
    seeds = _one(whole["seeds"]).replace("[", "").replace("]", "")
    stages = [_stage(stage, whole, seeds) for stage in recipe.stages]
    counted = {tuple(stage): stages.count(stage) for stage in stages}
    found = [
        [run, model, f"{count} × {stage[0]}" if count > 1 else stage[0], *stage[1:]] for stage, count in counted.items()
    ]
    fitted = _one(whole["training_rows"]) if "training_rows" in whole else "–"
    untrained = {"run": run, "model": model, "rows": fitted, "seeds": seeds}
    return found or [[untrained.get(column, "–") for column in COLUMNS]]


def _stage(recipe: StageRecipe, whole: Resolved, seeds: str) -> list[str]:
    """Return the cells of a stage of a run, whose settings as a whole are given."""
    stage = recipe.settings
    precision = stage["precision"] if stage["precision"].value else whole["precision"]
    schedule = _one(stage["schedule"])
    if "warmup" in stage:
        schedule += f", warm-up {_one(stage['warmup'])}"
    if "milestones" in stage:
        schedule += f" {_one(stage['milestones'])} × {_one(stage['gamma'])}"
    optimizer = ", ".join(
        [_one(stage["optimizer"]), *_named(stage, ("epsilon", "momentum", "weight_decay", "decayed"))]
    )
    other = _named(stage, ("max_grad_norm", "fraction"))
    other += _named(stage, ("frozen_epochs",)) if stage["frozen_epochs"].value else []
    other += [f"{kind} ({', '.join(_named(options, options))})" for kind, options in recipe.regularizers.items()]
    other += [f"best epoch by {stage['select'].value['metric']}"] if "select" in stage else []
    return [
        _one(stage["on"]),
        _one(stage["training_rows"]) + (f", {_one(stage['examples'])} examples" if "examples" in stage else ""),
        ", ".join([_one(stage["objective"]), *_named(stage, OBJECTIVES[stage["objective"].value].constants)]),
        optimizer,
        _one(stage["learning_rate"]),
        schedule,
        f"{_one(stage['epochs'])} × {_one(stage['steps_per_epoch'])}",
        _one(stage["batch_size"]),
        _one(precision),
        seeds,
        ", ".join(other) or "–",
    ]


def _named(settings: Resolved, keys: Iterable[str]) -> list[str]:
    return [f"{key.replace('_', ' ')} {_one(settings[key])}" for key in keys if key in settings]


def _one(setting: Setting) -> str:
    """Return a value as Markdown: plain if the paper's file sets it, italic for a default, else bold."""
    value = setting.value
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return {"paper": text, "default": f"*{text}*"}.get(setting.set_by, f"**{text}**")
