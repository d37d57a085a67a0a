"""Which runs share a process, the one that trains them and the one that predicts with them."""

from dataclasses import dataclass
from typing import Literal

from semblance.config.project import Project
from semblance.registry import MODELS
from semblance.specs.run import RunSpec

Trainer = Literal["engine", "frozen_encoder", "fit"]  # modules of `semblance.trainers`
TRAINERS: dict[str, Trainer] = {"engine": "engine", "none": "engine", "frozen-encoder": "frozen_encoder", "fit": "fit"}
Group = tuple[str, ...]  # runs that share every pass of a frozen encoder; any other run is a group of one


@dataclass(frozen=True)
class Job:
    """Runs of one paper that are trained in one process and scored in another, group after group."""

    paper: str
    trainer: Trainer
    groups: tuple[Group, ...]

    @property
    def runs(self) -> tuple[str, ...]:
        return tuple(run for group in self.groups for run in group)

    @property
    def name(self) -> str:
        """The paper and the first run, and how many more there are; below `runs/`, the job's folder has this name."""
        more = f"+{len(self.runs) - 1}" if len(self.runs) > 1 else ""
        return f"{self.paper}/{self.runs[0]}{more}"


def of_project(project: Project) -> list[Job]:
    """Return all jobs; every run is in one.

    Starting a process and its imports cost more than a small run's training, so a preset may let all runs of a paper
    share jobs: one for all neural networks, ordered so that a run follows the one it starts from, and one for every
    other kind of model, which then waits for no network, nor for a GPU. Otherwise every group has a job of its own.
    """
    jobs: dict[tuple, list[Group]] = {}
    for paper in project.papers:
        for group in _groups(project, paper):
            kind = project.run(paper, group[0]).model.kind
            trainer = TRAINERS[MODELS[kind].training]
            shared = "networks" if trainer == "engine" else kind
            own = None if project.settings.share_jobs else group
            jobs.setdefault((paper, trainer, shared, own), []).append(group)
    return [Job(paper, trainer, tuple(groups)) for (paper, trainer, *_), groups in jobs.items()]


def groups_of_seed(project: Project, job: Job, seed: int) -> tuple[Group, ...]:
    """Return a job's groups without the runs to which the preset gives another seed only.

    Untrained runs stay, although one seed is enough for them: others may start from them.

    Args:
        project: the project.
        job: the job.
        seed: one of the preset's seeds.
    """
    settings = project.settings
    every = seed == settings.seeds[0]
    found = (tuple(run for run in group if every or not settings.has_one_seed(job.paper, run)) for group in job.groups)
    return tuple(group for group in found if group)


def _groups(project: Project, paper: str) -> list[Group]:
    """Return the groups of a paper's runs, each after those that its runs start from."""
    groups: dict[object, list[str]] = {}
    for run in sorted(project.papers[paper].runs, key=lambda run: len(project.lineage(paper, run))):
        groups.setdefault(_shared(project, project.run(paper, run)) or run, []).append(run)
    return [tuple(runs) for runs in groups.values()]


def _shared(project: Project, spec: RunSpec) -> tuple:
    """Return what runs of one group have in common: encoder, batches, and what selects their epoch."""
    if MODELS[spec.model.kind].training != "frozen-encoder":
        return ()
    [stage], recipe = spec.stages, spec.stages[0].recipe
    order = (stage.on, recipe.epochs, recipe.batch_size, recipe.steps_per_epoch)
    encoded = (project.encoders.made(spec.model.encoder or ""), spec.model.max_length)
    return (*encoded, *order, stage.select and (stage.select.on, stage.select.metric))
