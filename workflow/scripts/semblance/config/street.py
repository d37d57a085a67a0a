"""Which file needs which: the paths of every artifact, and what each job of the workflow reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from semblance import provenance
from semblance.code import modules
from semblance.config import cells, comparable, jobs, recipes
from semblance.config.costs import Cost, Costs
from semblance.config.jobs import Job
from semblance.config.project import Project
from semblance.paths import GRAMMAR, ROOT

Need = tuple[str, str]  # a kind of artifact, and the run, split or dataset it is of
OF_RUN = {
    "predictions": "predictions",
    "watched": "watched",
    "learning": "learning",
    "facts": "facts.json",
    "speed": "speed.json",
    "learned": "learned.json",
    "curve": "curve.csv",
}


class Street:
    """The layout of ``results/{preset}`` and the edges between its files, for one configuration."""

    def __init__(self, project: Project):
        self.project = project
        self.preset = project.settings["preset"]
        self.results = f"results/{self.preset}"
        self.logs = f"results/logs/{self.preset}"
        self._costs = Costs(project, self.device, ROOT)

    @property
    def device(self) -> str:
        """Where jobs compute.

        On a cluster the machine that submits may have no GPU: its profile sets device: cuda.
        """
        chosen = self.project.settings["device"]
        there = Path("/dev/nvidia0").exists()
        return "cuda" if chosen == "cuda" or (chosen == "auto" and there) else "cpu"

    @property
    def environment(self) -> str:
        """The file in envs/ that --use-conda makes jobs an environment from."""
        return "semblance-cuda" if self.device == "cuda" else "semblance"

    def gpu(self, wanted: object) -> int:
        """The GPUs a job asks for: none where the configuration or the machine has none."""
        return int(bool(wanted) and self.device == "cuda")

    def processes(self, job: Job) -> int:
        """In how many processes, a GPU each, a job trains: one where a regularizer learns from whole batches."""
        stages = [stage for run in job.runs for stage in self.spec(job.paper, run)["stages"]]
        regularized = any("regularizer" in stage for stage in stages)
        return 1 if regularized else self.project.settings["gpus_per_run"]

    def cost(self, job: Job, verb: str) -> Cost:
        """What a job that trains or predicts is reckoned to take."""
        return {"train": self._costs.training, "predict": self._costs.scoring}[verb](job)

    def splits(self, names: Iterable[str]) -> list[str]:
        """The prepared files of splits named like qqp/train."""
        return [f"{self.results}/data/{name}.parquet" for name in names]

    def dataset_facts(self, names: Iterable[str]) -> list[str]:
        return [f"{self.results}/data/{name}/facts.json" for name in names]

    def fetched(self) -> list[str]:
        """Every corpus and encoder."""
        encoders = [f"{self.results}/encoders/{name}/facts.json" for name in self.project.encoders_used()]
        return self.dataset_facts(self.project.datasets_used()) + encoders

    # -- encoders --------------------------------------------------------------------------------

    def encoder_inputs(self, encoder: str) -> dict[str, list[str]]:
        """The text an encoder is pre-trained on and the encoder it starts from, where it has any."""
        spec = self.project.encoder_spec(encoder)
        start = spec.get("start_from")
        # A fetched encoder does not depend on what trains the others.
        trained = ["objectives.pretraining", "objectives.in_batch_ranking"] if spec["kind"] == "generated" else []
        return {
            "data": self.splits(self.project.read_by_encoder(encoder)),
            "grammar": [os.path.relpath(GRAMMAR)] if "generated" in spec.get("corpus", []) else [],
            "start": [self.encoder_folder(start)] if start else [],
            "shipped": _files_in(spec["folder"]) if spec["kind"] == "shipped" else [],
            "code": modules("make_encoder.py", *trained),
        }

    def encoder_folder(self, name: str) -> str:
        return f"{self.results}/encoders/{self.project.encoder_made(name)}/model"

    # -- runs ------------------------------------------------------------------------------------

    def spec(self, paper: str, run: str) -> dict:
        return self.project.run(paper, run)

    def folder(self, paper: str, run: str, seed: object) -> str:
        paper, run = self.project.named(paper, run)
        return f"{self.results}/runs/{paper}/{run}/seed-{seed}"

    def folders(self, paper: str, run: str) -> list[str]:
        """A run's folders, one a seed; a run that trains nothing has one."""
        return [self.folder(paper, run, seed) for seed in self.project.seeds_of_run(paper, run)]

    def jobs(self, script: str | None = None) -> list[Job]:
        """Every run in one job, see `config.jobs`; with `script`, those that this script trains or predicts."""
        found = jobs.of_project(self.project)
        return [job for job in found if script in (None, job.script("train"), job.script("predict"))]

    def of_each(self, job: Job, what: str) -> list[str]:
        """The same file or folder of every run of a job, the seed a wildcard."""
        return [f"{self.folder(job.paper, run, '{seed}')}/{what}" for run in job.runs]

    def encoders(self, job: Job) -> list[str]:
        """The encoder of each set of a job's runs."""
        return [self.encoder_folder(self.spec(job.paper, first)["model"]["encoder"]) for first, *_ in job.sets]

    def learnt(self, job: Job) -> list[dict]:
        """What each run of a job is trained by."""
        specs = self._parts(job, "start_from", "model", "stages", "select_stage")
        return [spec | {"own_task": self._scored_in_training(job.paper, run)} for spec, run in zip(specs, job.runs)]

    def _scored_in_training(self, paper: str, run: str) -> dict | None:
        """Of a run's own task the splits alone: how it is judged is no reason to train it again."""
        task = self.project.own_task(paper, run)
        return task and {key: task[key] for key in ("on", "train")}

    def scored(self, job: Job) -> list[dict]:
        """What each run of a job is scored by."""
        return self._parts(job, "model", "evaluate", "timing_repeats", "may_collapse")

    def _parts(self, job: Job, *keys: str) -> list[dict]:
        return [{key: self.spec(job.paper, run)[key] for key in keys} for run in job.runs]

    def origins(self, job: Job) -> list[str | None]:
        """What each run starts from: another run's model of the same seed, or an encoder; None where there is none."""
        return [self._origin(job.paper, run) for run in job.runs]

    def origins_elsewhere(self, job: Job) -> list[str]:
        """Those that the job does not make itself."""
        own = self.of_each(job, "model")
        return list(dict.fromkeys(origin for origin in self.origins(job) if origin and origin not in own))

    def _origin(self, paper: str, run: str) -> str | None:
        spec = self.spec(paper, run)
        if spec["start_from"]:
            return f"{self.folder(paper, spec['start_from'], '{seed}')}/model"
        return self.encoder_folder(spec["model"]["encoder"]) if "encoder" in spec["model"] else None

    def training_data(self, job: Job) -> list[str]:
        return _union(self.project.read_in_training(job.paper, run) for run in job.runs)

    def prediction_data(self, job: Job) -> list[str]:
        return _union(self.spec(job.paper, run)["evaluate"] for run in job.runs)

    def training_code(self, job: Job) -> list[str]:
        """The engine, the runs' kinds of models, their objectives and regularisers: no other run's."""
        specs = [self.spec(job.paper, run) for run in job.runs]
        stages = [stage for spec in specs for stage in spec["stages"]]
        objectives = {f"objectives.{stage['objective'].replace('-', '_')}" for stage in stages}
        regularizers = {f"regularizers.{kind}" for stage in stages for kind in stage.get("regularizer", ())}
        return modules(job.script("train"), *sorted(self._model_modules(job) | objectives | regularizers))

    def prediction_code(self, job: Job) -> list[str]:
        return modules(job.script("predict"), *sorted(self._model_modules(job)))

    def trains(self, job: Job) -> bool:
        """Whether the engine trains any of its runs."""
        return any(self.spec(job.paper, run)["stages"] for run in job.runs)

    # -- what was learned ------------------------------------------------------------------------

    def own_tasks(self, job: Job) -> dict[str, dict]:
        """By run of a job that is trained and has one, its own task."""
        found = {run: self.project.own_task(job.paper, run) for run in job.runs}
        return {run: task for run, task in found.items() if task}

    def needs_of_learning(self, job: Job) -> list[Need]:
        tasks = self.own_tasks(job)
        kinds = [(kind, run) for run in tasks for kind in ("predictions", "learning")]
        return [*kinds, *(("split", on) for on in dict.fromkeys(task["on"] for task in tasks.values()))]

    def learned(self, job: Job) -> list[str]:
        """A file for each seed of each of those runs."""
        return [path for run in self.own_tasks(job) for path in self._learned(job.paper, run)]

    def _learned(self, paper: str, run: str) -> list[str]:
        """A file for each seed of a run that is trained and has a task of its own."""
        there = self.project.own_task(paper, run)
        return [f"{folder}/{OF_RUN['learned']}" for folder in self.folders(paper, run)] if there else []

    def _with_learning(self, paper: str, needs: Iterable[Need]) -> list[Need]:
        """What is needed of runs, and whether those or what they start from learned."""
        needs = list(needs)
        trained = (self.project.trained(paper, name) for kind, name in needs if kind in ("predictions", "watched"))
        return list(dict.fromkeys([*needs, *(("learned", run) for run in trained if run)]))

    def _model_modules(self, job: Job) -> set[str]:
        kinds = {self.spec(job.paper, run)["model"]["kind"] for run in job.runs}
        return {f"models.{kind.replace('-', '_')}" for kind in kinds}

    def recipe(self, paper: str, run: str) -> str:
        """A short name for all that the configuration says of what is learnt: the run's own and what it starts from."""
        spec = self.spec(paper, run)
        learnt = {key: spec[key] for key in ("model", "stages", "select_stage")}
        encoder = self.project.encoder_spec(spec["model"]["encoder"]) if "encoder" in spec["model"] else None
        start = self.recipe(self.project.named(paper, run)[0], spec["start_from"]) if spec["start_from"] else None
        return provenance.recipe(learnt, encoder, start)

    def made_by(self, job: Job) -> list[dict[str, str]]:
        """What each run of a job writes into its results; see `semblance.provenance`."""
        return [{"preset": self.preset, "recipe": self.recipe(job.paper, run)} for run in job.runs]

    # -- tables, figures, report -----------------------------------------------------------------

    def needs_of_table(self, paper: str, table: str) -> list[Need]:
        return self._with_learning(paper, _each_once(cells.of_table(self.project.papers[paper].table(table))))

    def needs_of_figure(self, paper: str, figure: str) -> list[Need]:
        spec = self.project.papers[paper].figure(figure)
        if spec["kind"] == "metrics-by-step":
            return _each_once(cells.of_figure(spec))
        return [("curve", run) for run in spec.get("runs", [])]

    def needs_of_list(self, paper: str, name: str) -> list[Need]:
        return _each_once(cells.of_list(self.project.papers[paper].listed(name)))

    def needs_of_claims(self, paper: str) -> list[Need]:
        return self._with_learning(paper, _each_once(cells.of_claims(self.project.papers[paper].claims)))

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
        runs = dict.fromkeys(name for kind, name in needs if kind in OF_RUN)
        return {
            "preset": self.preset,
            "recipes": {run: self.recipe(paper, run) for run in runs},
            "runs": {run: self.folders(paper, run) for run in runs},
            "splits": {name: self.splits([name])[0] for kind, name in needs if kind == "split"},
            "datasets": {name: self.dataset_facts([name])[0] for kind, name in needs if kind == "dataset"},
            "chosen_by": {run: self.project.chosen_by(paper, run) for run in runs},
            "trained": {run: self.project.trained(paper, run) for run in runs},
            "single_seed": [run for run in runs if self.project.single_seed(paper, run)],
        }

    def not_comparable(self, paper: str, table: str) -> dict[str, dict[str, str | None]]:
        """Why cells of a table are not what the paper measured."""
        return comparable.of_table(self.project, paper, self.project.papers[paper].table(table))

    def printed(self) -> dict[str, dict[str, dict]]:
        """By paper and table, the printed numbers and what they say they are."""
        said = ("source", "digits", "cell", "rows", "columns", "published")
        return {
            paper.name: {
                name: {key: table[key] for key in said if key in table}
                for name, table in paper.tables.items()
                if "published" in table
            }
            for paper in self.project.papers.values()
        }

    def heading(self, paper: str, item: str) -> dict[str, str]:
        return {"paper": paper, "name": item, "preset": self.preset, "about": self.project.preset["about"]}

    def data_of_figure(self, paper: str, figure: str) -> list[str]:
        """What a figure is drawn from besides what it needs of runs: a table, or tokens compared."""
        spec = self.project.papers[paper].figure(figure)
        if spec["kind"] == "similarity-matrices":
            return [self.similarities(paper, figure)]
        return [f"{self.results}/tables/{paper}-{spec['table']}.json"] if "table" in spec else []

    def similarities(self, paper: str, figure: str) -> str:
        """What a figure of similarity matrices is drawn from."""
        return f"{self.results}/similarities/{paper}-{figure}.json"

    def figures_of_similarities(self) -> list[tuple[str, str, dict]]:
        """Every such figure: its paper, its name and its spec."""
        papers = self.project.papers.values()
        figures = [(paper.name, name, spec) for paper in papers for name, spec in paper.figures.items()]
        return [figure for figure in figures if figure[2]["kind"] == "similarity-matrices"]

    def recipes(self) -> dict[str, dict]:
        """The resolved hyperparameters of every run, see `config.recipes`."""
        return recipes.of_project(self.project, self._costs)

    def plan(self) -> dict:
        """What training and scoring are reckoned to cost, by paper; `reporting.plan` shows it."""
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
            "light": len(self.aliases()),
        }

    def aliases(self) -> dict[str, list[str]]:
        """What ``snakemake {paper}_{item}`` makes, by that name: tables, figures, lists of examples, claims."""
        kinds = {"tables": ("md", "csv", "tex", "json"), "figures": ("svg", "png"), "lists": ("md", "csv", "json")}
        made: dict[str, list[str]] = {}
        for paper in self.project.papers.values():
            for kind, endings in kinds.items():
                for item in getattr(paper, kind):  # a table and its figure may share a name
                    files = [f"{self.results}/{kind}/{paper.name}-{item}.{ending}" for ending in endings]
                    made.setdefault(f"{paper.name}_{item}".replace("-", "_"), []).extend(files)
        return made | {
            f"{paper.name}_claims": [f"{self.results}/claims/{paper.name}.md"]
            for paper in self.project.papers.values()
            if paper.claims
        }

    def report_content(self) -> dict:
        """What the report shows, as paths: by paper its claims, tables, lists, figures and runs; what they used."""
        papers = []
        for paper in self.project.papers.values():
            figures = paper.figures.items()
            papers.append(
                {
                    "name": paper.name,
                    "title": paper.title,
                    "authors": paper.authors,
                    "headline": paper.headline,
                    "tables": [f"{self.results}/tables/{paper.name}-{table}.json" for table in paper.tables],
                    "lists": [f"{self.results}/lists/{paper.name}-{name}.json" for name in paper.lists],
                    "claims": [f"{self.results}/claims/{paper.name}.json"] if paper.claims else [],
                    "figures": [
                        {"caption": spec["caption"], "svg": f"{self.results}/figures/{paper.name}-{figure}.svg"}
                        for figure, spec in figures
                    ],
                    "runs": {r: [f"{f}/facts.json" for f in self.folders(paper.name, r)] for r in paper.runs},
                    "learned": {r: self._learned(paper.name, r) for r in paper.runs},
                }
            )
        return {
            "preset": self.preset,
            "about": self.project.preset["about"],
            "papers": papers,
            "audit": f"{self.results}/audit.json",
            "recipes": f"{self.results}/recipes.md",
            "deviations": os.path.relpath(ROOT / "docs/deviations.md"),
            "datasets": self.dataset_facts(self.project.datasets_used()),
            "encoders": {e: f"{self.results}/encoders/{e}/facts.json" for e in self.project.encoders_used()},
            "stand_ins": {e: self.project.stands_in_for(e) for e in self.project.encoders_used()},
        }

    def judged(self) -> list[str]:
        """Every table, every paper's claims, what every run learned, and the audit, as data."""
        content = self.report_content()
        shown = (path for paper in content["papers"] for path in paper["tables"] + paper["claims"])
        learned = (path for paper in content["papers"] for paths in paper["learned"].values() for path in paths)
        return [*shown, *learned, content["audit"]]

    def report_inputs(self) -> list[str]:
        content = self.report_content()
        files = [
            *content["datasets"],
            *content["encoders"].values(),
            content["audit"],
            content["recipes"],
            content["deviations"],
        ]
        for paper in content["papers"]:
            files += paper["tables"] + paper["lists"] + paper["claims"] + [figure["svg"] for figure in paper["figures"]]
            files += [path for kind in ("runs", "learned") for paths in paper[kind].values() for path in paths]
        return files


def _files_in(folder: str) -> list[str]:
    """Of a folder of the checkout."""
    return sorted(os.path.relpath(path) for path in (ROOT / folder).rglob("*") if path.is_file())


def _each_once(found: Iterable[dict]) -> list[Need]:
    return list(dict.fromkeys(need for cell in found for need in cells.needs(cell)))


def _union(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in lists for name in names))
