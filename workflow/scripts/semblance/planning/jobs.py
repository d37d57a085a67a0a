"""Which runs share a process, the one that trains them and the one that predicts with them."""

from __future__ import annotations

from dataclasses import dataclass

from semblance.config.project import Project
from semblance.registry import MODELS

NEURAL = "neural"  # all kinds of models that the engine trains or that only score: they may share a job
Set = tuple[str, ...]  # runs that share every pass of a frozen encoder; any other run is one by itself


@dataclass(frozen=True)
class Job:
    """Runs of one paper that are trained in one process and scored in another, set after set."""

    paper: str
    kind: str  # of their models, or `NEURAL`
    sets: tuple[Set, ...]

    @property
    def runs(self) -> tuple[str, ...]:
        return tuple(run for beside in self.sets for run in beside)

    @property
    def places(self) -> list[list[int]]:
        """Of each set, where its runs are among the job's."""
        numbers = iter(range(len(self.runs)))
        return [[next(numbers) for _ in beside] for beside in self.sets]

    @property
    def side_by_side(self) -> bool:
        return self.kind != NEURAL and MODELS[self.kind].training == "frozen-encoder"

    @property
    def neural(self) -> bool:
        return self.kind == NEURAL

    def script(self, verb: str) -> str:
        """The script that trains or predicts the runs."""
        if self.side_by_side:
            return f"{verb}_side_by_side.py"
        fitted = not self.neural and MODELS[self.kind].training == "fit"
        return "fit.py" if verb == "train" and fitted else f"{verb}.py"

    @property
    def title(self) -> str:
        more = f" and {len(self.runs) - 1} more" if len(self.runs) > 1 else ""
        return f"{self.paper} {self.runs[0]}{more}"

    @property
    def name(self) -> str:
        return self.title.replace(" ", "_").replace("-", "_")


def of_project(project: Project) -> list[Job]:
    """Every run in one job; what trains runs in one process scores them in another.

    Starting a process and its imports costs more than a small run's training, so that a preset may have all runs of a
    paper share jobs: one for all that are neural, what a run starts from before it, and one for every other kind, which
    is to wait for no network, nor for a GPU. Else every set has a job of its own.
    """
    together: dict[tuple[str, str, object], list[Set]] = {}
    for paper in project.papers:
        for beside in _sets(project, paper):
            kind = project.run(paper, beside[0])["model"]["kind"]
            kind = kind if MODELS[kind].training in ("fit", "frozen-encoder") else NEURAL
            own = None if project.preset.get("share_jobs") else beside
            together.setdefault((paper, kind, own), []).append(beside)
    return [Job(paper, kind, tuple(sets)) for (paper, kind, _), sets in together.items()]


def _sets(project: Project, paper: str) -> list[Set]:
    """Every run of a paper, with those beside it, after what it starts from."""
    sets: dict[object, list[str]] = {}
    for run in sorted(project.papers[paper].runs, key=lambda run: _depth(project, paper, run)):
        sets.setdefault(_beside(project, project.run(paper, run)) or run, []).append(run)
    return [tuple(runs) for runs in sets.values()]


def _depth(project: Project, paper: str, run: str) -> int:
    """From how many runs, one after another, it starts."""
    start = project.run(paper, run)["start_from"]
    return 1 + _depth(project, paper, start) if start else 0


def _beside(project: Project, spec: dict) -> tuple:
    """What runs that are trained side by side have in common: encoder, batches, and what chooses their epoch."""
    if MODELS[spec["model"]["kind"]].training != "frozen-encoder":
        return ()
    [stage] = spec["stages"]
    order = (stage.get(key) for key in ("on", "epochs", "batch_size", "steps_per_epoch"))
    encoded = (project.encoder_made(spec["model"]["encoder"]), spec["model"]["max_length"])
    return (*encoded, *order, stage["select"]["on"])
