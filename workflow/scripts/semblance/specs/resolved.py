"""Resolved recipes: every hyperparameter of a run as it will be used, with what set it; see `planning.recipes`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from semblance.specs.typed import typed


@dataclass(frozen=True)
class Setting:
    """A value, and what set it: the paper's file, the preset, a default of this project, or config/config.yaml."""

    value: Any
    set_by: str


Resolved = Mapping[str, Setting]  # by key


@dataclass(frozen=True)
class StageRecipe:
    """What a stage is trained with.

    Attributes:
        settings: its data, objective and hyperparameters, and the steps that follow from them.
        regularizers: options of its regularizer, by the name of that.
    """

    settings: Resolved
    regularizers: Mapping[str, Resolved]


@dataclass(frozen=True)
class RunRecipe:
    """What a run is made with.

    Attributes:
        settings: what concerns the run as a whole, such as its seeds and precision.
        model: its model.
        stages: its stages in order.
    """

    settings: Resolved
    model: Resolved
    stages: tuple[StageRecipe, ...]


Recipes = Mapping[str, Mapping[str, RunRecipe]]  # by paper and run


def as_plain(recipes: Recipes) -> dict[str, dict[str, dict]]:
    """Return recipes as plain dicts, for YAML."""
    return {paper: {run: asdict(recipe) for run, recipe in runs.items()} for paper, runs in recipes.items()}


def recipes_from(content: Mapping[str, Mapping[str, Mapping]]) -> Recipes:
    """Return recipes from the content of their YAML."""
    return {paper: {run: typed(RunRecipe, one) for run, one in runs.items()} for paper, runs in content.items()}
