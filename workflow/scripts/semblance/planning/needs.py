"""What tables, figures, lists and claims are made of."""

from collections.abc import Iterable
from dataclasses import asdict

from semblance.config import cells, comparable
from semblance.config.project import Project
from semblance.paths import MODEL
from semblance.planning.jobs import Job
from semblance.planning.layout import Layout
from semblance.planning.work import recipe
from semblance.specs.cells import CellSpec

Need = tuple[str, str]  # a kind of artifact, and the run, split or dataset it belongs to
SCORED = ("predictions", "watched", "curve")  # kinds that are marked if their run did not learn


class Needs:
    """The edges from runs and splits to the results that are rendered from them."""

    def __init__(self, project: Project, layout: Layout):
        self.project, self.layout = project, layout
        self._preset = project.settings.preset

    def of_table(self, paper: str, table: str) -> list[Need]:
        return self._with_learning(paper, _each_once(cells.of_table(self.project.papers[paper].table(table))))

    def of_figure(self, paper: str, figure: str) -> list[Need]:
        spec = self.project.papers[paper].figure(figure)
        return self._with_learning(paper, [*_each_once(cells.of_figure(spec)), *(("curve", run) for run in spec.runs)])

    def of_list(self, paper: str, name: str) -> list[Need]:
        return _each_once(self.project.papers[paper].listed(name).cells.values())

    def of_claims(self, paper: str) -> list[Need]:
        claims = self.project.papers[paper].claims.values()
        return self._with_learning(paper, _each_once(cell for claim in claims for cell in claim.cells))

    def of_learning(self, job: Job) -> list[Need]:
        """Return what shows whether the runs of a job learned their own tasks."""
        tasks = self.own_tasks(job)
        kinds = [(kind, run) for run in tasks for kind in ("predictions", "learning")]
        return [*kinds, *(("split", on) for on in dict.fromkeys(task["on"] for task in tasks.values()))]

    def own_tasks(self, job: Job) -> dict[str, dict]:
        """Return the own task of each run of a job that is trained and has one."""
        found = {run: self.project.own_task(job.paper, run) for run in job.runs}
        return {run: asdict(task) for run, task in found.items() if task}

    def seeds(self, job: Job) -> dict[str, list[int]]:
        """Return the seeds of each run of a job."""
        return {run: self.project.seeds_of_run(job.paper, run) for run in job.runs}

    def tokens_of_figure(self, paper: str, figure: str) -> dict:
        """Return what similarity matrices are computed from: encoder, jobs, and specs of models by their folder."""
        runs = self.project.papers[paper].figure(figure).of
        specs = {run: self.project.run(paper, run).model for run in runs}
        folders = {run: self.layout.runs("training", paper, run)[0] for run in runs}
        return {
            "encoder": self.layout.encoder(specs[runs[0]].encoder or ""),
            "jobs": list(dict.fromkeys(self.layout.made_for("facts", paper, run)[0] for run in runs)),
            "models": {f"{folders[run]}/{MODEL}": asdict(specs[run]) for run in runs},
        }

    def _with_learning(self, paper: str, needs: Iterable[Need]) -> list[Need]:
        """Return needs, and whether the runs among them, or what they start from, learned."""
        needs = list(needs)
        trained = (self.project.trained(paper, name) for kind, name in needs if kind in SCORED)
        return list(dict.fromkeys([*needs, *(("learned", run) for run in trained if run)]))

    def files(self, paper: str, needs: Iterable[Need]) -> list[str]:
        """Return the outputs of jobs that contain what is needed."""
        found: list[str] = []
        for kind, name in needs:
            if kind in ("split", "dataset"):
                found.append(self.layout.dataset(name.split("/")[0]))
            else:
                found += self.layout.made_for(kind, paper, name)
        return list(dict.fromkeys(found))

    def places(self, paper: str, needs: Iterable[Need]) -> dict:
        """Return where it is, by run, split and dataset, as `evaluation.evidence` reads it."""
        needs = list(needs)
        runs = dict.fromkeys(name for kind, name in needs if kind not in ("split", "dataset"))
        return {
            "preset": self._preset,
            "recipes": {run: recipe(self.project, paper, run) for run in runs},
            "training": {run: self.layout.runs("training", paper, run) for run in runs},
            "predictions": {run: self.layout.runs("predictions", paper, run) for run in runs},
            "learned": {name: self.layout.learned(paper, name) for kind, name in needs if kind == "learned"},
            "splits": self.layout.splits(name for kind, name in needs if kind == "split"),
            "datasets": {name: self.layout.dataset_facts(name) for kind, name in needs if kind == "dataset"},
            "chosen_by": {run: self.project.chosen_by(paper, run) for run in runs},
            "trained": {run: self.project.trained(paper, run) for run in runs},
            "single_seed": [run for run in runs if self.project.single_seed(paper, run)],
        }

    def not_comparable(self, paper: str, table: str) -> dict[str, dict[str, str | None]]:
        """Return why cells of a table are not what the paper measured."""
        return comparable.of_table(self.project, paper, self.project.papers[paper].table(table))

    def claims_of_stand_ins(self, paper: str) -> list[str]:
        """Return the claims of which a side is nothing but untrained stand-ins."""
        return comparable.claims_of_stand_ins(self.project, paper)

    def heading(self, paper: str, item: str) -> dict[str, str]:
        return {"paper": paper, "name": item, "preset": self._preset, "about": self.project.settings.about}

    def data_of_figure(self, paper: str, figure: str) -> list[str]:
        """Return the data of a figure besides runs: a table, or similarity matrices of tokens."""
        spec = self.project.papers[paper].figure(figure)
        if spec.kind == "similarity-matrices":
            return [self.layout.similarities(paper, figure)]
        return [self.layout.table(paper, spec.table)] if spec.table else []


def _each_once(found: Iterable[CellSpec]) -> list[Need]:
    return list(dict.fromkeys(need for cell in found for need in cells.needs(cell)))
