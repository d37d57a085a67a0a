"""Which file needs which: the paths of every artifact, and what each job of the workflow reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from semblance.code import modules
from semblance.config.project import Project
from semblance.paths import GRAMMAR

NEURAL = ("bi-encoder", "cross-encoder")


class Street:
    """The layout of ``results/{preset}`` and the edges between its files, for one configuration."""

    def __init__(self, project: Project):
        self.project = project
        self.preset = project.settings["preset"]
        self.results = f"results/{self.preset}"
        self.logs = f"results/logs/{self.preset}"
        self.benchmarks = f"results/benchmarks/{self.preset}"

    def gpu(self, wanted: object) -> int:
        """The GPUs a job asks for: none where the configuration or the machine has none.

        On a cluster the machine that submits may have no GPU: its profile sets device: cuda.
        """
        device = self.project.settings["device"]
        return int(bool(wanted) and (device == "cuda" or (device == "auto" and Path("/dev/nvidia0").exists())))

    def splits(self, names: Iterable[str]) -> list[str]:
        """The prepared files of splits named like qqp/train."""
        return [f"{self.results}/data/{name}.parquet" for name in names]

    def dataset_facts(self, names: Iterable[str]) -> list[str]:
        return [f"{self.results}/data/{name}/facts.json" for name in names]

    # -- encoders --------------------------------------------------------------------------------

    def encoder_inputs(self, encoder: str) -> dict[str, list[str]]:
        """The text an encoder is pre-trained on and the encoder it starts from, where it has any."""
        spec = self.project.encoder_spec(encoder)
        corpus, start = spec.get("corpus"), spec.get("start_from")
        # A fetched encoder does not depend on what trains the others.
        trained = ["objectives.pretraining", "objectives.in_batch_ranking"] if spec["kind"] == "generated" else []
        return {
            "data": self.splits(corpus) if isinstance(corpus, list) else [],
            "grammar": [os.path.relpath(GRAMMAR)] if corpus == "generated" else [],
            "start": [self.encoder_folder(start)] if start else [],
            "code": modules("make_encoder.py", *trained),
        }

    def encoder_folder(self, name: str) -> str:
        return f"{self.results}/encoders/{self.project.encoder_made(name)}/model"

    # -- runs ------------------------------------------------------------------------------------

    def spec(self, paper: str, run: str) -> dict:
        return self.project.papers[paper].runs[run]

    def folder(self, paper: str, run: str, seed: object) -> str:
        return f"{self.results}/runs/{paper}/{run}/seed-{seed}"

    def folders(self, paper: str, run: str) -> list[str]:
        """A run's folders, one a seed; a run that trains nothing has one."""
        return [self.folder(paper, run, seed) for seed in self.project.seeds_of_run(paper, run)]

    def origin(self, paper: str, run: str, seed: object) -> list[str]:
        """The model folder a run starts from: another run's of the same seed, an encoder's, or none."""
        spec = self.spec(paper, run)
        if spec["start_from"]:
            return [f"{self.folder(paper, spec['start_from'], seed)}/model"]
        return [self.encoder_folder(spec["model"]["encoder"])] if "encoder" in spec["model"] else []

    def training_code(self, paper: str, run: str) -> list[str]:
        """The engine, the run's own kind of model and its own objectives: no other run's."""
        spec = self.spec(paper, run)
        objectives = [f"objectives.{stage['objective'].replace('-', '_')}" for stage in spec["stages"]]
        return modules("train.py", self._model_module(spec), *objectives)

    def prediction_code(self, paper: str, run: str) -> list[str]:
        return modules("predict.py", self._model_module(self.spec(paper, run)))

    def is_neural(self, paper: str, run: str) -> bool:
        return self.spec(paper, run)["model"]["kind"] in NEURAL

    def _model_module(self, spec: dict) -> str:
        return f"models.{spec['model']['kind'].replace('-', '_')}"

    # -- tables, figures, report -----------------------------------------------------------------

    def predictions_of_table(self, paper: str, table: str) -> dict[str, list[str]]:
        """By run, the predictions folder of every seed a table is computed from."""
        runs = self.project.papers[paper].runs_of_table(table)
        return {run: [f"{folder}/predictions" for folder in self.folders(paper, run)] for run in runs}

    def facts_of_table(self, paper: str, table: str) -> dict[str, str]:
        """By dataset, the facts of those a table shows."""
        datasets = self.project.papers[paper].datasets_of_table(table)
        return dict(zip(datasets, self.dataset_facts(datasets)))

    def heading(self, paper: str, table: str) -> dict[str, str]:
        return {"paper": paper, "name": table, "preset": self.preset, "about": self.project.preset["about"]}

    def data_of_figure(self, paper: str, figure: str) -> list[str]:
        """What a figure is drawn from: the curves of its runs' first seed, or a table."""
        spec = self.project.papers[paper].figures[figure]
        if "table" in spec:
            return [f"{self.results}/tables/{paper}-{spec['table']}.json"]
        return [f"{self.folders(paper, run)[0]}/curve.csv" for run in spec["runs"]]

    def report_content(self) -> dict:
        """What the report shows: by paper its tables, figures and runs; the facts of datasets and encoders."""
        papers = []
        for paper in self.project.papers.values():
            figures = paper.figures.items()
            papers.append(
                {
                    "name": paper.name,
                    "title": paper.title,
                    "authors": paper.authors,
                    "tables": [f"{self.results}/tables/{paper.name}-{table}.json" for table in paper.tables],
                    "figures": [
                        {"caption": spec["caption"], "svg": f"{self.results}/figures/{paper.name}-{figure}.svg"}
                        for figure, spec in figures
                    ],
                    "runs": {r: [f"{f}/facts.json" for f in self.folders(paper.name, r)] for r in paper.runs},
                }
            )
        return {
            "preset": self.preset,
            "about": self.project.preset["about"],
            "papers": papers,
            "datasets": self.dataset_facts(self.project.datasets_used()),
            "encoders": {e: f"{self.results}/encoders/{e}/facts.json" for e in self.project.encoders_used()},
        }

    def report_inputs(self) -> list[str]:
        content = self.report_content()
        files = [*content["datasets"], *content["encoders"].values()]
        for paper in content["papers"]:
            files += paper["tables"] + [figure["svg"] for figure in paper["figures"]]
            files += [path for paths in paper["runs"].values() for path in paths]
        return files
