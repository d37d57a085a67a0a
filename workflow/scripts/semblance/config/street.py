"""Which file needs which: the paths of every artifact, and what each job of the workflow reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from semblance.code import modules
from semblance.config import cells
from semblance.config.project import Project
from semblance.paths import GRAMMAR

Need = tuple[str, str]  # a kind of artifact, and the run, split or dataset it is of
OF_RUN = {"predictions": "predictions", "watched": "watched", "facts": "facts.json", "speed": "speed.json"}
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

    def needs_of_table(self, paper: str, table: str) -> list[Need]:
        return _each_once(cells.of_table(self.project.papers[paper].tables[table]))

    def needs_of_figure(self, paper: str, figure: str) -> list[Need]:
        spec = self.project.papers[paper].figures[figure]
        return _each_once(cells.of_figure(spec)) if spec["kind"] == "metrics-by-step" else []

    def needs_of_errors(self, paper: str, errors: str) -> list[Need]:
        spec = self.project.papers[paper].errors[errors]
        return [*_each_once([cells.of_errors(spec)]), ("split", spec["on"])]

    def files(self, paper: str, needs: Iterable[Need]) -> list[str]:
        """The files that hold what is needed."""
        found = []
        for kind, name in needs:
            if kind == "split":
                found += self.splits([name])
            elif kind == "dataset":
                found += self.dataset_facts([name])
            else:
                found += [f"{folder}/{OF_RUN[kind]}" for folder in self.folders(paper, name)]
        return found

    def places(self, paper: str, needs: Iterable[Need]) -> dict[str, dict]:
        """The same, as `evaluation.evidence` looks them up: by run, split and dataset."""
        needs = list(needs)
        return {
            "runs": {name: self.folders(paper, name) for kind, name in needs if kind in OF_RUN},
            "splits": {name: self.splits([name])[0] for kind, name in needs if kind == "split"},
            "datasets": {name: self.dataset_facts([name])[0] for kind, name in needs if kind == "dataset"},
        }

    def heading(self, paper: str, table: str) -> dict[str, str]:
        return {"paper": paper, "name": table, "preset": self.preset, "about": self.project.preset["about"]}

    def data_of_figure(self, paper: str, figure: str) -> list[str]:
        """What a figure is drawn from besides what it needs: a table, or the curves of its runs' first seed."""
        spec = self.project.papers[paper].figures[figure]
        if "table" in spec:
            return [f"{self.results}/tables/{paper}-{spec['table']}.json"]
        return [f"{self.folders(paper, run)[0]}/curve.csv" for run in spec.get("runs", [])]

    def aliases(self) -> dict[str, list[str]]:
        """What ``snakemake {paper}_{item}`` makes, by that name: every table, figure and list of errors."""
        kinds = {"tables": ("md", "csv", "tex", "json"), "figures": ("svg", "png"), "errors": ("md", "csv", "json")}
        return {
            f"{paper.name}_{item}".replace("-", "_"): [
                f"{self.results}/{kind}/{paper.name}-{item}.{e}" for e in endings
            ]
            for paper in self.project.papers.values()
            for kind, endings in kinds.items()
            for item in getattr(paper, kind)
        }

    def report_content(self) -> dict:
        """What the report shows, as paths: by paper its tables, lists of errors, figures and runs; what they used."""
        papers = []
        for paper in self.project.papers.values():
            figures = paper.figures.items()
            papers.append(
                {
                    "name": paper.name,
                    "title": paper.title,
                    "authors": paper.authors,
                    "tables": [f"{self.results}/tables/{paper.name}-{table}.json" for table in paper.tables],
                    "errors": [f"{self.results}/errors/{paper.name}-{errors}.json" for errors in paper.errors],
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
            "stand_ins": {e: self.project.stands_in_for(e) for e in self.project.encoders_used()},
        }

    def report_inputs(self) -> list[str]:
        content = self.report_content()
        files = [*content["datasets"], *content["encoders"].values()]
        for paper in content["papers"]:
            files += paper["tables"] + paper["errors"] + [figure["svg"] for figure in paper["figures"]]
            files += [path for paths in paper["runs"].values() for path in paths]
        return files


def _each_once(found: Iterable[dict]) -> list[Need]:
    return list(dict.fromkeys(need for cell in found for need in cells.needs(cell)))
