"""Which runs share a process: the jobs that train them, and those that predict with them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from semblance.config.project import Project

SCORED_TOGETHER = 3  # times as many runs as are trained in one job: it takes less
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

    Starting a process and its imports costs as much as a small run's training, so that a run may be with
    others like it, as many as the preset allows. What is trained together are chains of runs that start from
    one another, whole, and chains that are alike: of the same kind of model, objectives and regularisers,
    hence the same code. What is scored together are runs of the same kind of model, all of them left to chance or
    none. Runs over one frozen encoder are in one job when they see the same batches, however many they are.
    """
    alike: dict[tuple, list[tuple[str, ...]]] = {}
    for paper in project.papers:
        for chain in _chains(project, paper, verb):
            specs = [project.run(paper, run) for run in chain]
            kinds = frozenset(spec["model"]["kind"] for spec in specs)
            # Not by how many seeds they have: another seed is to leave the scores of the first as they are.
            by_chance = project.left_to_chance(paper, chain[0])
            own = frozenset(map(_learns, specs)) if verb == "train" else by_chance
            alike.setdefault((paper, kinds, own, _beside(project, specs[0])), []).append(chain)
    found = []
    for (paper, kinds, *_), chains in alike.items():
        together = kinds == {SIDE_BY_SIDE}
        most = len(chains) if together else _runs_per_job(project, paper, verb)
        found += [Job(paper, runs, together) for runs in _packed(chains, most)]
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


def _learns(spec: dict) -> tuple:
    """What a run is trained by, in order."""
    return tuple((stage["objective"], *stage.get("regularizer", ())) for stage in spec["stages"])


def _packed(chains: list[tuple[str, ...]], most: int) -> list[tuple[str, ...]]:
    """Chains in as few jobs of at most so many runs as hold them, evenly; one longer than that has its own."""
    size = max(map(len, chains))
    jobs = math.ceil(len(chains) / max(1, most // size))
    return [tuple(run for chain in chains[part::jobs] for run in chain) for part in range(jobs)]
