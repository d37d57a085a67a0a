"""The paths of all artifacts below ``results/{preset}``."""

from collections.abc import Iterable, Iterator

from semblance.config.project import Paper, Project
from semblance.paths import FACTS
from semblance.planning.jobs import Job
from semblance.specs.data import dataset_of

ENDINGS = {
    "tables": ("md", "csv", "tex", "json"),
    "figures": ("svg", "png"),
    "lists": ("md", "csv", "json"),
    "claims": ("md",),  # the others come with it
}


class Layout:
    """Where each artifact of a project is; it does not know what makes or needs them.

    Args:
        project: the project.
        jobs: its jobs, see `planning.jobs`.
    """

    def __init__(self, project: Project, jobs: Iterable[Job]):
        self._project = project
        self._job_of = {(job.paper, run): job.name for job in jobs for run in job.runs}
        self.results = f"results/{project.settings.preset}"
        self.logs = f"results/logs/{project.settings.preset}"

    def dataset(self, name: str) -> str:
        """Return the folder of a prepared dataset."""
        return f"{self.results}/data/{name}"

    def datasets_of(self, splits: Iterable[str]) -> list[str]:
        """Return the folders of the datasets of splits named like qqp/train."""
        return [self.dataset(name) for name in dict.fromkeys(map(dataset_of, splits))]

    def splits(self, names: Iterable[str]) -> dict[str, str]:
        """Return the prepared files of splits named like qqp/train, by name."""
        return {name: f"{self.results}/data/{name}.parquet" for name in names}

    def dataset_facts(self, name: str) -> str:
        return f"{self.dataset(name)}/{FACTS}"

    def encoder(self, name: str) -> str:
        """Return the folder of the encoder that is made for `name`."""
        return f"{self.results}/encoders/{self._project.encoders.made(name)}/model"

    def encoder_facts(self, name: str) -> str:
        return f"{self.results}/encoders/{name}/{FACTS}"

    def job(self, output: str, paper: str, run: str, seed: object) -> str:
        """Return an output of the job that a run is in.

        Args:
            output: ``training`` or ``predictions``.
            paper: name of the paper that names the run.
            run: name of the run.
            seed: the seed, or a wildcard.
        """
        return f"{self.results}/runs/{self._job_of[self._project.named(paper, run)]}/seed-{seed}/{output}"

    def run(self, output: str, paper: str, run: str, seed: object) -> str:
        """Return a run's folder in an output of its job."""
        return f"{self.job(output, paper, run, seed)}/{self._project.named(paper, run)[1]}"

    def runs(self, output: str, paper: str, run: str) -> list[str]:
        """Return a run's folders, one per seed; a run without randomness has one."""
        return [self.run(output, paper, run, seed) for seed in self._project.seeds_of_run(paper, run)]

    def learned(self, paper: str, run: str) -> str:
        """Return the file with the judgement of whether the runs of a job learned."""
        return f"{self.results}/runs/{self._job_of[self._project.named(paper, run)]}/learned.json"

    def made_for(self, kind: str, paper: str, run: str) -> list[str]:
        """Return the outputs of jobs that contain a kind of artifact of a run.

        Args:
            kind: kind of the artifact, as `config.cells.needs` names it, or ``curve`` or ``learning``.
            paper: name of the paper that names the run.
            run: name of the run.
        """
        if kind == "learned":
            return [self.learned(paper, run)]
        output = "predictions" if kind in ("predictions", "speed") else "training"
        return [self.job(output, paper, run, seed) for seed in self._project.seeds_of_run(paper, run)]

    def table(self, paper: str, name: str) -> str:
        """Return the file of a table as data; the other formats are beside it."""
        return f"{self.results}/tables/{paper}-{name}.json"

    def similarities(self, paper: str, figure: str) -> str:
        """Return the file that a figure of similarity matrices is drawn from."""
        return f"{self.results}/similarities/{paper}-{figure}.json"

    def claims(self, paper: Paper) -> list[str]:
        """Return the file of a paper's claims as data; none for a paper without claims."""
        return [f"{self.results}/claims/{paper.name}.json"] if paper.claims else []

    def aliases(self) -> dict[str, tuple[list[str], str]]:
        """Return the files that ``snakemake {paper}_{item}`` makes and their caption, by that name.

        A table and its figure may share a name; the caption is the table's.
        """
        made: dict[str, tuple[list[str], str]] = {}
        for alias, kind, stem, caption in self._shown():
            files, _ = made.setdefault(alias, ([], caption))
            files += [f"{self.results}/{kind}/{stem}.{ending}" for ending in ENDINGS[kind]]
        return made

    def _shown(self) -> Iterator[tuple[str, str, str, str]]:
        """Yield the alias, the kind, the name without its ending, and the caption of everything with an alias."""
        for paper in self._project.papers.values():
            for kind in ("tables", "figures", "lists"):
                for item, spec in getattr(paper, kind).items():
                    stem = f"{paper.name}-{item}"
                    yield stem.replace("-", "_"), kind, stem, spec.caption
            if paper.claims:
                yield f"{paper.name}_claims".replace("-", "_"), "claims", paper.name, f"Claims of {paper.name}"
