"""What a preset changes in the runs of a paper: by dataset, by pattern of run names, by run."""

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase

from semblance.config.project import Paper
from semblance.errors import UserError, require
from semblance.specs.run import RunSpec, StageSpec


def overrides(changes: Mapping[str, Mapping], dataset: str | None, run: str) -> dict:
    """Return the changed keys: those by dataset, then by patterns such as bert-*, last those of the run itself.

    Args:
        changes: changed keys by the name of a dataset, a pattern or a run.
        dataset: dataset of the stage; None for a model.
        run: name of the run.
    """
    patterns = [name for name in changes if name not in (dataset, run) and fnmatchcase(run, name)]
    return {key: value for name in (dataset or run, *patterns, run) for key, value in changes.get(name, {}).items()}


def check_names(preset: Mapping, papers: Collection[str], corpora: Mapping[str, Mapping], where: str) -> None:
    """Raise UserError if a preset names a paper, a dataset or a split that does not exist.

    Args:
        preset: keys of the preset.
        papers: names of papers.
        corpora: datasets in config/datasets.yaml, by name.
        where: file of the preset, for messages.
    """
    for part in ("one_seed", "stages", "models", "repeat"):
        for paper in preset.get(part, {}):
            require(paper, papers, "paper", f"{where}: {part}")
    for name, splits in preset.get("rows", {}).items():
        require(name, corpora, "dataset", f"{where}: rows")
        for split in splits:
            require(split, corpora[name]["splits"], "split", f"{where}: rows.{name}")


def check_overrides(preset: Mapping, paper: Paper, where: str) -> None:
    """Check that each key that the preset changes has an effect on a run of the paper.

    Args:
        preset: keys of the preset.
        paper: the paper, with the preset's changes.
        where: file of the preset, for messages.

    Raises:
        UserError: if a name fits no run and no dataset, or none of the runs uses a key.
    """
    stages = [((stage.on, run), _of_stage(stage)) for run, spec in paper.runs.items() for stage in spec.stages]
    models = [((run,), _of_model(spec)) for run, spec in paper.runs.items()]
    for part, what, parts in (("stages", "trained run or dataset", stages), ("models", "run", models)):
        place = f"{where}: {part}.{paper.name}"
        for name, change in preset.get(part, {}).get(paper.name, {}).items():
            used = [keys for names, keys in parts if name in names or fnmatchcase(names[-1], name)]
            if not used:
                require(name, dict.fromkeys(known for names, _ in parts for known in names), what, place)
            for key in change:
                if not any(key in keys for keys in used):
                    raise UserError(f"{place}.{name}: no run that it fits uses {key}; remove it")


def _of_stage(stage: StageSpec) -> set[str]:
    """Return the keys that change a stage."""
    return {*stage.recipe.used(), "learning_rate_factor"} | ({"watch_every"} if stage.watch else set())


def _of_model(spec: RunSpec) -> set[str]:
    """Return the keys that change a model."""
    keys = {"max_length"} if spec.model.encoder else set()
    return keys | ({"dropout_factor"} if spec.model.dropout else set())
