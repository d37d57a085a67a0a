"""The paths of all artifacts below ``results/{preset}``."""

from __future__ import annotations

from collections.abc import Iterable

from semblance.config.project import Paper, Project

OF_RUN = {  # kinds of artifacts of a run and seed, by the name of their file or folder
    "predictions": "predictions",
    "watched": "watched",
    "learning": "learning",
    "facts": "facts.json",
    "speed": "speed.json",
    "learned": "learned.json",
    "curve": "curve.csv",
}
ENDINGS = {"tables": ("md", "csv", "tex", "json"), "figures": ("svg", "png"), "lists": ("md", "csv", "json")}


class Layout:
    """Where each artifact of a project lies; it knows nothing of what makes or needs them."""

    def __init__(self, project: Project):
        self._project = project
        self.results = f"results/{project.settings['preset']}"
        self.logs = f"results/logs/{project.settings['preset']}"

    def splits(self, names: Iterable[str]) -> list[str]:
        """Return the prepared files of splits named like qqp/train."""
        return [f"{self.results}/data/{name}.parquet" for name in names]

    def dataset_facts(self, names: Iterable[str]) -> list[str]:
        return [f"{self.results}/data/{name}/facts.json" for name in names]

    def encoder_folder(self, name: str) -> str:
        return f"{self.results}/encoders/{self._project.encoder_made(name)}/model"

    def encoder_facts(self, name: str) -> str:
        return f"{self.results}/encoders/{name}/facts.json"

    def folder(self, paper: str, run: str, seed: object) -> str:
        """Return the folder of a run and seed; the seed may be a wildcard."""
        paper, run = self._project.named(paper, run)
        return f"{self.results}/runs/{paper}/{run}/seed-{seed}"

    def folders(self, paper: str, run: str) -> list[str]:
        """Return a run's folders, one per seed; a run without randomness has one."""
        return [self.folder(paper, run, seed) for seed in self._project.seeds_of_run(paper, run)]

    def of_run(self, kind: str, paper: str, run: str) -> list[str]:
        """Return the artifacts of a kind in `OF_RUN`, one per seed."""
        return [f"{folder}/{OF_RUN[kind]}" for folder in self.folders(paper, run)]

    def table(self, paper: str, name: str) -> str:
        """Return the file of a table as data; the other formats are beside it."""
        return f"{self.results}/tables/{paper}-{name}.json"

    def similarities(self, paper: str, figure: str) -> str:
        """Return the file that a figure of similarity matrices is drawn from."""
        return f"{self.results}/similarities/{paper}-{figure}.json"

    def claims(self, paper: Paper) -> list[str]:
        """Return the file of a paper's claims as data; none for a paper without claims."""
        return [f"{self.results}/claims/{paper.name}.json"] if paper.claims else []

    def aliases(self) -> dict[str, list[str]]:
        """Return what ``snakemake {paper}_{item}`` makes, by that name: tables, figures, lists, claims."""
        made: dict[str, list[str]] = {}
        for paper in self._project.papers.values():
            for kind, endings in ENDINGS.items():
                for item in getattr(paper, kind):  # a table and its figure may share a name
                    files = [f"{self.results}/{kind}/{paper.name}-{item}.{ending}" for ending in endings]
                    made.setdefault(f"{paper.name}_{item}".replace("-", "_"), []).extend(files)
            if paper.claims:
                made[f"{paper.name}_claims"] = [f"{self.results}/claims/{paper.name}.md"]
        return made
