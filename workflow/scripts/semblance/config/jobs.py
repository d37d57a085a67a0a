"""Which runs share a process: the jobs that train them, and those that predict with them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from semblance.config.project import Project

SCORED_TOGETHER = 3  # times as many runs as are trained in one job: it takes less
NEURAL = ("bi-encoder", "cross-encoder", "multitask", "library-bi-encoder", "library-cross-encoder")
SIDE_BY_SIDE = "siamese-3d"  # the kind of model whose runs share one pass of a frozen encoder


@dataclass(frozen=True)
class Job:
    """Runs of one paper that are trained, or scored, in one process."""

    paper: str
    runs: tuple[str, ...]
    side_by_side: bool  # over one pass of a frozen encoder, not one after another

    def script(self, verb: str) -> str:
        """The script that trains or predicts the runs."""
        return f"{verb}_side_by_side.py" if self.side_by_side else f"{verb}.py"

    @property
    def title(self) -> str:
        more = f" and {len(self.runs) - 1} more" if len(self.runs) > 1 else ""
        return f"{self.paper} {self.runs[0]}{more}"

    @property
    def name(self) -> str:
        return self.title.replace(" ", "_").replace("-", "_")


def of_project(project: Project, verb: str) -> list[Job]:
    """Every run in one job that trains it, or in one that predicts with it, by `verb`.

    Starting a process and its imports costs more than a small run's training, so that a run may be with others of its
    paper, as many as the preset allows. What is trained together are chains of runs that start from one another, whole.
    All of a job are neural, or of one kind: what needs no network waits for none, nor for a GPU. Like runs lie beside
    each other, lest an edit of what some are made of reaches every job. Runs over one frozen encoder are in one job
    when they see the same batches, however many.
    """
    together: dict[tuple, list[tuple[str, ...]]] = {}
    for paper in project.papers:
        for chain in sorted(_chains(project, paper, verb), key=lambda chain: _made_of(project, paper, chain)):
            spec = project.run(paper, chain[0])
            kind = "neural" if spec["model"]["kind"] in NEURAL else spec["model"]["kind"]
            together.setdefault((paper, kind, _beside(project, spec)), []).append(chain)
    found = []
    for (paper, _, beside), chains in together.items():
        most = len(chains) if beside else _runs_per_job(project, paper, verb)
        found += [Job(paper, runs, bool(beside)) for runs in _packed(chains, most)]
    return found


def _runs_per_job(project: Project, paper: str, verb: str) -> int:
    allowed = project.preset.get("runs_per_job", {}).get(paper, 1)
    return allowed * SCORED_TOGETHER if allowed > 1 and verb == "predict" else allowed


def _chains(project: Project, paper: str, verb: str) -> list[tuple[str, ...]]:
    """The runs of a paper, those that are trained from one another together and in order; else one by one."""
    runs = project.papers[paper].runs
    if verb == "predict" or _runs_per_job(project, paper, verb) == 1:
        return [(run,) for run in runs]
    chains: dict[str, list[str]] = {}
    for run in sorted(runs, key=lambda run: len(_before(project, paper, run))):
        chains.setdefault([*_before(project, paper, run), run][0], []).append(run)
    return [tuple(chains[run]) for run in runs if run in chains]


def _before(project: Project, paper: str, run: str) -> list[str]:
    """The runs that a run starts from, the first one first."""
    start = project.run(paper, run)["start_from"]
    return [*_before(project, paper, start), start] if start else []


def _beside(project: Project, spec: dict) -> tuple:
    """What runs that are trained side by side have in common: encoder, batches, and what chooses their epoch."""
    if spec["model"]["kind"] != SIDE_BY_SIDE:
        return ()
    [stage] = spec["stages"]
    order = (stage.get(key) for key in ("on", "epochs", "batch_size", "steps_per_epoch"))
    encoded = (project.encoder_made(spec["model"]["encoder"]), spec["model"]["max_length"])
    return (*encoded, *order, stage["select"]["on"])


def _made_of(project: Project, paper: str, chain: tuple[str, ...]) -> list[tuple]:
    """The kinds of models of a chain's runs, and what they are trained by, in order."""
    specs = [project.run(paper, run) for run in chain]
    learnt = [[(stage["objective"], *stage.get("regularizer", ())) for stage in spec["stages"]] for spec in specs]
    return [(spec["model"]["kind"], by) for spec, by in zip(specs, learnt, strict=True)]


def _packed(chains: list[tuple[str, ...]], most: int) -> list[tuple[str, ...]]:
    """Chains in their order, in as many jobs as runs make at `most` a job, evenly; a chain is where it begins."""
    runs = sum(map(len, chains))
    jobs: list[tuple[str, ...]] = [()] * math.ceil(runs / most)
    before = 0
    for chain in chains:
        jobs[before * len(jobs) // runs] += chain
        before += len(chain)
    return [job for job in jobs if job]
