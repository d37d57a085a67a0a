"""What each job reads and is given: files, code, specs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from semblance import provenance
from semblance.code import modules
from semblance.config import cells, comparable
from semblance.config.project import Project
from semblance.layout import OF_RUN, Layout
from semblance.paths import GRAMMAR, ROOT
from semblance.planning import jobs, recipes
from semblance.planning.costs import Cost, Costs
from semblance.planning.jobs import Job

Need = tuple[str, str]  # a kind of artifact, and the run, split or dataset it belongs to


class Needs:
    """The edges between the files of one configuration, and the parameters of its jobs."""

    def __init__(self, project: Project, layout: Layout):
        self.project, self.layout = project, layout
        self.preset = project.settings["preset"]
        self._costs = Costs(project, self.device, ROOT)

    @property
    def device(self) -> str:
        """Where jobs compute.

        On a cluster, the machine that submits jobs may have no GPU; its profile sets ``device: cuda``.
        """
        chosen = self.project.settings["device"]
        there = Path("/dev/nvidia0").exists()
        return "cuda" if chosen == "cuda" or (chosen == "auto" and there) else "cpu"

    @property
    def environment(self) -> str:
        """The file in envs/ from which --use-conda makes the jobs' environment."""
        return "semblance-cuda" if self.device == "cuda" else "semblance"

    def gpu(self, wanted: object) -> int:
        """Return the number of GPUs that a job asks for: none if the configuration or the machine has none."""
        return int(bool(wanted) and self.device == "cuda")

    def processes(self, job: Job) -> int:
        """Return in how many processes, with a GPU each, a job trains: one if a regularizer needs whole batches."""
        stages = [stage for run in job.runs for stage in self.spec(job.paper, run)["stages"]]
        regularized = any("regularizer" in stage for stage in stages)
        return 1 if regularized else self.project.settings["gpus_per_run"]

    def cost(self, job: Job, verb: str) -> Cost:
        """Return the estimated cost of a job that trains or predicts."""
        return {"train": self._costs.training, "predict": self._costs.scoring}[verb](job)

    def plan(self) -> dict:
        """Return the estimated cost of training and scoring by paper; `reporting.plan` renders it."""
        papers: dict[str, dict] = {}
        work = [(job, self.cost(job, verb)) for job in self.jobs() for verb in ("train", "predict")]
        for job, cost in work:
            seeds = max(len(self.project.seeds_of_run(job.paper, run)) for run in job.runs)
            found = papers.setdefault(job.paper, {"jobs": 0, "seconds": 0.0, "longest": 0.0, "disk_mb": 0.0})
            found["jobs"] += seeds
            found["seconds"] += seeds * cost.seconds
            found["disk_mb"] += seeds * cost.disk_mb
            found["longest"] = max(found["longest"], cost.seconds)
        return {
            "preset": self.preset,
            "seeds": len(self.project.seeds),
            "threads": self.project.preset["threads"],
            "device": self.device,
            "rate": self._costs.rate,
            "papers": papers,
            "light": len(self.layout.aliases()),
        }

    def recipes(self) -> dict[str, dict]:
        """Return the resolved hyperparameters of every run, see `planning.recipes`."""
        return recipes.of_project(self.project, self._costs)

    # -- datasets and encoders -------------------------------------------------------------------

    def fetched(self) -> list[str]:
        """Return the facts of every corpus and encoder: what a machine without a network needs first."""
        encoders = [self.layout.encoder_facts(name) for name in self.project.encoders_used()]
        return self.layout.dataset_facts(self.project.datasets_used()) + encoders

    def of_encoder(self, encoder: str) -> dict[str, list[str]]:
        """Return the inputs of the job that makes an encoder, by kind."""
        spec = self.project.encoder_spec(encoder)
        start = spec.get("start_from")
        # A fetched encoder does not depend on the code that trains others.
        trained = ["objectives.pretraining", "objectives.in_batch_ranking"] if spec["kind"] == "generated" else []
        return {
            "data": self.layout.splits(self.project.read_by_encoder(encoder)),
            "grammar": [os.path.relpath(GRAMMAR)] if "generated" in spec.get("corpus", []) else [],
            "start": [self.layout.encoder_folder(start)] if start else [],
            "shipped": _files_in(spec["folder"]) if spec["kind"] == "shipped" else [],
            "code": modules("make_encoder.py", *trained),
        }

    # -- runs ------------------------------------------------------------------------------------

    def spec(self, paper: str, run: str) -> dict:
        return self.project.run(paper, run)

    def jobs(self, script: str | None = None) -> list[Job]:
        """Return all jobs, or those that a script trains or predicts."""
        found = jobs.of_project(self.project)
        return [job for job in found if script in (None, job.script("train"), job.script("predict"))]

    def of_each(self, job: Job, what: str) -> list[str]:
        """Return the same file or folder of each run of a job, with the seed as a wildcard."""
        return [f"{self.layout.folder(job.paper, run, '{seed}')}/{what}" for run in job.runs]

    def encoders(self, job: Job) -> list[str]:
        """Return the encoder of each set of a job's runs."""
        firsts = [self.spec(job.paper, first) for first, *_ in job.sets]
        return [self.layout.encoder_folder(spec["model"]["encoder"]) for spec in firsts]

    def learnt(self, job: Job) -> list[dict]:
        """Return what each run of a job is trained by."""
        specs = self._parts(job, "start_from", "model", "stages", "select_stage")
        return [spec | {"own_task": self._scored_in_training(job.paper, run)} for spec, run in zip(specs, job.runs)]

    def _scored_in_training(self, paper: str, run: str) -> dict | None:
        """Return the splits of a run's own task; how it is judged is no reason to train again."""
        task = self.project.own_task(paper, run)
        return task and {key: task[key] for key in ("on", "train")}

    def scored(self, job: Job) -> list[dict]:
        """Return what each run of a job is scored by."""
        return self._parts(job, "model", "evaluate", "timing_repeats", "may_collapse")

    def _parts(self, job: Job, *keys: str) -> list[dict]:
        return [{key: self.spec(job.paper, run)[key] for key in keys} for run in job.runs]

    def origins(self, job: Job) -> list[str | None]:
        """Return what each run starts from: another run's model of the same seed, an encoder, or None."""
        return [self._origin(job.paper, run) for run in job.runs]

    def origins_elsewhere(self, job: Job) -> list[str]:
        """Return the origins that the job does not make itself."""
        own = self.of_each(job, "model")
        return list(dict.fromkeys(origin for origin in self.origins(job) if origin and origin not in own))

    def _origin(self, paper: str, run: str) -> str | None:
        spec = self.spec(paper, run)
        if spec["start_from"]:
            return f"{self.layout.folder(paper, spec['start_from'], '{seed}')}/model"
        return self.layout.encoder_folder(spec["model"]["encoder"]) if "encoder" in spec["model"] else None

    def training_data(self, job: Job) -> list[str]:
        return _union(self.project.read_in_training(job.paper, run) for run in job.runs)

    def prediction_data(self, job: Job) -> list[str]:
        return _union(self.spec(job.paper, run)["evaluate"] for run in job.runs)

    def training_code(self, job: Job) -> list[str]:
        """Return the code of a job's script, kinds of models, objectives and regularizers."""
        specs = [self.spec(job.paper, run) for run in job.runs]
        stages = [stage for spec in specs for stage in spec["stages"]]
        objectives = {f"objectives.{stage['objective'].replace('-', '_')}" for stage in stages}
        regularizers = {f"regularizers.{kind}" for stage in stages for kind in stage.get("regularizer", ())}
        return modules(job.script("train"), *sorted(self._model_modules(job) | objectives | regularizers))

    def prediction_code(self, job: Job) -> list[str]:
        return modules(job.script("predict"), *sorted(self._model_modules(job)))

    def _model_modules(self, job: Job) -> set[str]:
        kinds = {self.spec(job.paper, run)["model"]["kind"] for run in job.runs}
        return {f"models.{kind.replace('-', '_')}" for kind in kinds}

    def trains(self, job: Job) -> bool:
        """Return whether the engine trains any of a job's runs."""
        return any(self.spec(job.paper, run)["stages"] for run in job.runs)

    def recipe(self, paper: str, run: str) -> str:
        """Return a short name for all that the configuration says of a run's training and of what it starts from."""
        spec = self.spec(paper, run)
        learnt = {key: spec[key] for key in ("model", "stages", "select_stage")}
        encoder = self.project.encoder_spec(spec["model"]["encoder"]) if "encoder" in spec["model"] else None
        start = self.recipe(self.project.named(paper, run)[0], spec["start_from"]) if spec["start_from"] else None
        return provenance.recipe(learnt, encoder, start)

    def made_by(self, job: Job) -> list[dict[str, str]]:
        """Return what each run of a job writes into its results; see `semblance.provenance`."""
        return [{"preset": self.preset, "recipe": self.recipe(job.paper, run)} for run in job.runs]

    # -- what runs learned -----------------------------------------------------------------------

    def own_tasks(self, job: Job) -> dict[str, dict]:
        """Return the own task of each run of a job that is trained and has one."""
        found = {run: self.project.own_task(job.paper, run) for run in job.runs}
        return {run: task for run, task in found.items() if task}

    def of_learning(self, job: Job) -> list[Need]:
        tasks = self.own_tasks(job)
        kinds = [(kind, run) for run in tasks for kind in ("predictions", "learning")]
        return [*kinds, *(("split", on) for on in dict.fromkeys(task["on"] for task in tasks.values()))]

    def learned(self, job: Job) -> list[str]:
        """Return the files that say what each of those runs learned, one per seed."""
        return [path for run in self.own_tasks(job) for path in self.layout.of_run("learned", job.paper, run)]

    def _with_learning(self, paper: str, needs: Iterable[Need]) -> list[Need]:
        """Return needs, and whether the runs among them, or what they start from, learned."""
        needs = list(needs)
        trained = (self.project.trained(paper, name) for kind, name in needs if kind in ("predictions", "watched"))
        return list(dict.fromkeys([*needs, *(("learned", run) for run in trained if run)]))

    # -- tables, figures, lists, claims ----------------------------------------------------------

    def of_table(self, paper: str, table: str) -> list[Need]:
        return self._with_learning(paper, _each_once(cells.of_table(self.project.papers[paper].table(table))))

    def of_figure(self, paper: str, figure: str) -> list[Need]:
        spec = self.project.papers[paper].figure(figure)
        if spec["kind"] == "metrics-by-step":
            return _each_once(cells.of_figure(spec))
        return [("curve", run) for run in spec.get("runs", [])]

    def of_list(self, paper: str, name: str) -> list[Need]:
        return _each_once(cells.of_list(self.project.papers[paper].listed(name)))

    def of_claims(self, paper: str) -> list[Need]:
        return self._with_learning(paper, _each_once(cells.of_claims(self.project.papers[paper].claims)))

    def files(self, paper: str, needs: Iterable[Need]) -> list[str]:
        """Return the files that hold what is needed."""
        found = []
        for kind, name in needs:
            if kind == "split":
                found += self.layout.splits([name])
            elif kind == "dataset":
                found += self.layout.dataset_facts([name])
            else:
                found += self.layout.of_run(kind, paper, name)
        return found

    def places(self, paper: str, needs: Iterable[Need]) -> dict:
        """Return the same by run, split and dataset, as `evaluation.evidence` reads them."""
        needs = list(needs)
        runs = dict.fromkeys(name for kind, name in needs if kind in OF_RUN)
        return {
            "preset": self.preset,
            "recipes": {run: self.recipe(paper, run) for run in runs},
            "runs": {run: self.layout.folders(paper, run) for run in runs},
            "splits": {name: self.layout.splits([name])[0] for kind, name in needs if kind == "split"},
            "datasets": {name: self.layout.dataset_facts([name])[0] for kind, name in needs if kind == "dataset"},
            "chosen_by": {run: self.project.chosen_by(paper, run) for run in runs},
            "trained": {run: self.project.trained(paper, run) for run in runs},
            "single_seed": [run for run in runs if self.project.single_seed(paper, run)],
        }

    def not_comparable(self, paper: str, table: str) -> dict[str, dict[str, str | None]]:
        """Return why cells of a table are not what the paper measured."""
        return comparable.of_table(self.project, paper, self.project.papers[paper].table(table))

    def heading(self, paper: str, item: str) -> dict[str, str]:
        return {"paper": paper, "name": item, "preset": self.preset, "about": self.project.preset["about"]}

    def data_of_figure(self, paper: str, figure: str) -> list[str]:
        """Return the data of a figure besides runs: a table, or compared tokens."""
        spec = self.project.papers[paper].figure(figure)
        if spec["kind"] == "similarity-matrices":
            return [self.layout.similarities(paper, figure)]
        return [self.layout.table(paper, spec["table"])] if "table" in spec else []

    def figures_of_similarities(self) -> list[tuple[str, str, dict]]:
        """Return paper, name and spec of each figure of similarity matrices."""
        papers = self.project.papers.values()
        figures = [(paper.name, name, spec) for paper in papers for name, spec in paper.figures.items()]
        return [figure for figure in figures if figure[2]["kind"] == "similarity-matrices"]


def _files_in(folder: str) -> list[str]:
    """Return the files in a folder of the checkout."""
    return sorted(os.path.relpath(path) for path in (ROOT / folder).rglob("*") if path.is_file())


def _each_once(found: Iterable[dict]) -> list[Need]:
    return list(dict.fromkeys(need for cell in found for need in cells.needs(cell)))


def _union(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in lists for name in names))
