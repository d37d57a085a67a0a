"""What a preset changes in the runs of a paper: by dataset, by pattern of run names, by run."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from semblance.config.project import Paper
from semblance.errors import UserError, require
from semblance.specs.run import RunSpec, StageSpec


def overrides(changes: Mapping[str, Mapping], dataset: str | None, run: str) -> dict:
    """Return the changed keys: those by dataset, then by patterns such as bert-*, last those of the run itself."""
    patterns = [name for name in changes if name not in (dataset, run) and fnmatchcase(run, name)]
    return {key: value for name in (dataset, *patterns, run) for key, value in changes.get(name or "", {}).items()}


def check_overrides(preset: Mapping, paper: Paper, where: str) -> None:
    """Check that each key that the preset changes has an effect on a run of the paper.

    Raises:
        UserError: if a name fits no run and no dataset, or none of the runs uses a key.
    """
    stages = [(run, stage) for run, spec in paper.runs.items() for stage in spec.stages]
    for name, change in preset.get("stages", {}).get(paper.name, {}).items():
        place = f"{where}: stages.{paper.name}"
        used = [_of_stage(stage) for run, stage in stages if name == stage.on or fnmatchcase(run, name)]
        if not used:
            known = dict.fromkeys([*(stage.on for _, stage in stages), *(run for run, _ in stages)])
            require(name, known, "trained run or dataset", place)
        _check_keys(change, used, f"{place}.{name}")
    for name, change in preset.get("models", {}).get(paper.name, {}).items():
        place = f"{where}: models.{paper.name}"
        used = [_of_model(spec) for run, spec in paper.runs.items() if fnmatchcase(run, name)]
        if not used:
            require(name, paper.runs, "run", place)
        _check_keys(change, used, f"{place}.{name}")


def _check_keys(change: Mapping, used: Sequence[set[str]], where: str) -> None:
    for key in change:
        if not any(key in keys for keys in used):
            raise UserError(f"{where}: {key} has no effect there")


def _of_stage(stage: StageSpec) -> set[str]:
    """Return the keys that change a stage."""
    return {*stage.recipe.used(), "learning_rate_factor"} | ({"watch_every"} if stage.watch else set())


def _of_model(spec: RunSpec) -> set[str]:
    """Return the keys that change a model."""
    return {key for key, used in (("max_length", spec.model.encoder), ("dropout_factor", spec.model.dropout)) if used}
