"""What tables, figures, lists and claims are made of."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from semblance.config import cells
from semblance.config.project import Project
from semblance.paths import MODEL, SELECTING, WATCHED
from semblance.planning import digests
from semblance.planning.jobs import Job
from semblance.planning.layout import Layout
from semblance.registry import FIGURES
from semblance.specs.cells import CellSpec
from semblance.specs.data import dataset_of
from semblance.specs.places import Places, RunPlaces

Need = tuple[str, str]  # a kind of artifact, and the run, split or dataset it belongs to
JUDGED = ("predictions", "watched", "curve", "learned")  # kinds that are marked if their run did not learn


@dataclass(frozen=True)
class ComparedModels:
    """Networks whose tokens a figure compares: their encoder, the outputs of their jobs, and their specs by folder."""

    encoder: str
    jobs: list[str]
    models: dict[str, dict]


@dataclass(frozen=True)
class Needed:
    """What one table, figure, list, set of claims or judgement of learning is made of.

    Attributes:
        project: the project.
        layout: where its artifacts are.
        paper: the paper whose runs are named.
        needs: what is needed, each once.
    """

    project: Project
    layout: Layout
    paper: str
    needs: tuple[Need, ...]

    @property
    def files(self) -> list[str]:
        """The outputs of jobs that contain it."""
        found: list[str] = []
        for kind, name in self.needs:
            if kind in ("split", "dataset"):
                found.append(self.layout.dataset(dataset_of(name)))
            else:
                found += self.layout.made_for(kind, self.paper, name)
        return list(dict.fromkeys(found))

    @property
    def places(self) -> Places:
        """Where it is, as `evaluation.evidence` reads it."""
        runs = dict.fromkeys(name for kind, name in self.needs if kind not in ("split", "dataset"))
        return Places(
            preset=self.project.settings.preset,
            runs={run: self._run(run) for run in runs},
            learned={run: self.layout.learned(self.paper, run) for run in self._of("learned")},
            splits=self.layout.splits(self._of("split")),
            datasets={name: self.layout.dataset_facts(name) for name in self._of("dataset")},
        )

    def _run(self, run: str) -> RunPlaces:
        project, layout, paper = self.project, self.layout, self.paper
        spec, start = project.run(paper, run), project.start_from(paper, run)
        return RunPlaces(
            recipe=digests.of_run(project, paper, run),
            training=tuple(layout.runs("training", paper, run)),
            predictions=tuple(layout.runs("predictions", paper, run)),
            chosen_by=tuple(project.chosen_by(paper, run)),
            chosen_before=(*spec.chosen_before(), *(project.chosen_by(paper, start) if start else ())),
            selection=spec.selection(),
            selecting=WATCHED if spec.select_stage else SELECTING,
            start_from=start,
            trained=tuple(project.trained(paper, run)),
            single_seed=project.single_seed(paper, run),
        )

    def _of(self, kind: str) -> list[str]:
        return [name for of, name in self.needs if of == kind]


class Needs:
    """The edges from runs and splits to the results that are rendered from them."""

    def __init__(self, project: Project, layout: Layout):
        self.project, self.layout = project, layout

    def table(self, paper: str, name: str) -> Needed:
        """Return what a table is measured from."""
        return self._scored(paper, _of_cells(cells.of_table(self.project.papers[paper].table(name))))

    def figure(self, paper: str, name: str) -> Needed:
        """Return what a figure is drawn from besides `data_of_figure`."""
        spec = self.project.papers[paper].figure(name)
        return self._scored(paper, [*_of_cells(cells.of_figure(spec)), *(("curve", run) for run in spec.runs)])

    def listed(self, paper: str, name: str) -> Needed:
        """Return what a list of examples is made from."""
        return self._needed(paper, _of_cells(self.project.papers[paper].listed(name).cells.values()))

    def claims(self, paper: str) -> Needed:
        """Return what the claims of a paper are judged from."""
        start_of = partial(self.project.start_from, paper)
        claims = self.project.papers[paper].claims.values()
        compared = [cell for claim in claims for cell in (*cells.of_claim(claim, start_of), *claim.candidates)]
        return self._scored(paper, _of_cells(compared))

    def learning(self, job: Job) -> Needed:
        """Return what shows whether the runs of a job learned their own tasks."""
        tasks = self.project.own_tasks(job.paper, job.runs)
        kinds = [(kind, run) for run in tasks for kind in ("predictions", "learning")]
        return self._needed(job.paper, [*kinds, *(("split", task.on) for task in tasks.values())])

    def seeds(self, job: Job) -> dict[str, list[int]]:
        """Return the seeds of each run of a job."""
        return {run: self.project.seeds_of_run(job.paper, run) for run in job.runs}

    def tokens_of_figure(self, paper: str, figure: str) -> "ComparedModels":
        """Return what the similarity matrices of a figure are computed from."""
        runs = self.project.papers[paper].figure(figure).of
        specs = {run: self.project.run(paper, run).model for run in runs}
        folders = {run: self.layout.runs("training", paper, run)[0] for run in runs}
        return ComparedModels(
            encoder=self.layout.encoder(specs[runs[0]].encoder or ""),
            jobs=list(dict.fromkeys(self.layout.made_for("facts", paper, run)[0] for run in runs)),
            models={f"{folders[run]}/{MODEL}": asdict(specs[run]) for run in runs},
        )

    def _scored(self, paper: str, needs: Sequence[Need]) -> Needed:
        """Return needs, and whether the runs among them, and those that they start from, learned."""
        trained = (run for kind, name in needs if kind in JUDGED for run in self.project.trained(paper, name))
        return self._needed(paper, [*needs, *(("learned", run) for run in trained)])

    def _needed(self, paper: str, needs: Iterable[Need]) -> Needed:
        return Needed(self.project, self.layout, paper, tuple(dict.fromkeys(needs)))

    def data_of_figure(self, paper: str, figure: str) -> list[str]:
        """Return the data of a figure besides runs: a table, or similarity matrices of tokens."""
        spec = self.project.papers[paper].figure(figure)
        if FIGURES[spec.kind].data == "matrices":
            return [self.layout.similarities(paper, figure)]
        return [self.layout.table(paper, spec.table)] if spec.table else []


def _of_cells(found: Iterable[CellSpec]) -> list[Need]:
    return [need for cell in found for need in cells.needs(cell)]
