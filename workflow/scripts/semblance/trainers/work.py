"""What a job's script gives to a trainer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from semblance.specs.computing import Computing
from semblance.specs.run import RunSpec, TaskRows


@dataclass(frozen=True)
class Work:
    """A group of runs: usually one, or all that share every pass of a frozen encoder.

    Attributes:
        specs: the runs, by name.
        data: files of prepared splits by name, e.g. ``qqp/train``.
        computing: device, precision and threads.
        made_by: provenance of each run, which its results carry.
        folders: destination of each run.
    """

    specs: Mapping[str, RunSpec]
    data: Mapping[str, Path]
    computing: Computing
    made_by: Mapping[str, Mapping]
    folders: Mapping[str, Path]


@dataclass(frozen=True)
class Training(Work):
    """Runs to train.

    Attributes:
        seed: seed of all random choices.
        origin: folder of the encoder or of the run that they start from; None for a model that starts from neither.
        state: file with the state from which interrupted training resumes.
        save_every: seconds between saved states.
        tasks: rows of the own task of each run that has one.
    """

    seed: int
    origin: Path | None
    state: Path
    save_every: float
    tasks: Mapping[str, TaskRows] = field(default_factory=dict)


@dataclass(frozen=True)
class Scoring(Work):
    """Runs to score.

    Attributes:
        models: folder of each run's model.
        encoder: folder of the frozen encoder that their networks share; None for models with encoders of their own.
    """

    models: Mapping[str, Path]
    encoder: Path | None = None
