"""What jobs that train, score and make encoders read and are given: files, specs, code."""

import os
from collections.abc import Iterable
from dataclasses import asdict, replace

from semblance import code, provenance
from semblance.config.project import Project
from semblance.paths import GRAMMAR, MODEL, ROOT
from semblance.planning import machine
from semblance.planning.costs import Cost, Costs
from semblance.planning.jobs import Job, groups_of_seed
from semblance.planning.layout import Layout
from semblance.specs.data import OfficialFiles
from semblance.specs.encoders import Pretraining, ShippedModel
from semblance.specs.run import RunSpec, TaskRows

PRETRAINING = ("encoders.pretrain",)


class Work:
    """The inputs and parameters of jobs, by the job's name (see `planning.jobs`), which is a wildcard of the rules.

    Args:
        project: the project.
        layout: where its artifacts are.
        jobs: its jobs.
    """

    def __init__(self, project: Project, layout: Layout, jobs: Iterable[Job]):
        self.project, self.layout = project, layout
        self.jobs = {job.name: job for job in jobs}
        self.device = machine.device(project.settings)
        self.costs = Costs(project, self.device, ROOT)

    # -- encoders --------------------------------------------------------------------------------

    def of_encoder(self, encoder: str) -> dict[str, list[str]]:
        """Return the inputs of the job that makes an encoder, by kind."""
        source, start = self.project.encoders[encoder].source, self.project.encoders.start_of(encoder)
        grammar = isinstance(source, Pretraining) and source.corpus.generated
        return {
            "data": self.layout.datasets_of(self.project.encoders.read_by(encoder)),
            "grammar": [os.path.relpath(GRAMMAR)] if grammar else [],
            "start": [self.layout.encoder(start)] if start else [],
            "shipped": _files_in(source.folder) if isinstance(source, ShippedModel) else [],
        }

    def encoder_code(self, encoder: str) -> str:
        """Return the digest of the code that makes an encoder; a fetched one does not depend on pre-training."""
        return code.digest("make_encoder.py", *(PRETRAINING if self._is_pretrained(encoder) else ()))

    def gpus_of_encoder(self, encoder: str) -> int:
        return self._gpus(self._is_pretrained(encoder))

    def _is_pretrained(self, encoder: str) -> bool:
        return isinstance(self.project.encoders[encoder].source, Pretraining)

    # -- training --------------------------------------------------------------------------------

    def groups(self, name: str, seed: str) -> list[list[str]]:
        """Return the runs of a job that have a seed in the order of training, by group."""
        return [list(group) for group in groups_of_seed(self.project, self.jobs[name], int(seed))]

    def training_specs(self, name: str) -> dict[str, dict]:
        """Return what each run is trained by; how it is scored and judged is no reason to train it again."""
        return {run: asdict(_trained_with(spec)) for run, spec in self._specs(name).items()}

    def tasks(self, name: str) -> dict[str, dict]:
        """Return the rows of each run's own task, which training scores before and after."""
        found = {run: self.project.own_task(self.jobs[name].paper, run) for run in self.jobs[name].runs}
        return {run: asdict(TaskRows(task.on, task.train)) for run, task in found.items() if task}

    def training_data(self, name: str) -> list[str]:
        """Return the splits that a job reads to train its runs."""
        job = self.jobs[name]
        return _union(self.project.read_in_training(job.paper, run) for run in job.runs)

    def origins(self, name: str, seed: object) -> dict[str, str]:
        """Return the folder from which each run starts, an encoder or another job's run of the same seed."""
        return {run: found[1] for run, found in self._origins(name, seed).items()}

    def origin_inputs(self, name: str, seed: object) -> list[str]:
        """Return the outputs of other jobs that contain those folders."""
        return list(dict.fromkeys(found[0] for found in self._origins(name, seed).values()))

    def _origins(self, name: str, seed: object) -> dict[str, tuple[str, str]]:
        job, found = self.jobs[name], {}
        for run in job.runs:
            spec = self.project.run(job.paper, run)
            start = spec.start_from
            if start and start not in job.runs:
                folder = self.layout.run("training", job.paper, start, seed)
                found[run] = self.layout.job("training", job.paper, start, seed), f"{folder}/{MODEL}"
            elif not start and spec.model.encoder:
                found[run] = (self.layout.encoder(spec.model.encoder),) * 2
        return found

    def training_code(self, name: str) -> str:
        """Return the digest of a job's script, trainer, kinds of models, objectives and regularizers."""
        stages = [stage for spec in self._specs(name).values() for stage in spec.stages]
        objectives = {f"objectives.{stage.objective.replace('-', '_')}" for stage in stages}
        regularizers = {f"regularizers.{kind}" for stage in stages for kind in stage.regularizer}
        return code.digest("train.py", *self._plugins(name), *sorted(objectives | regularizers))

    def gpus(self, name: str) -> int:
        """Return the number of GPUs that a job needs for training."""
        return self._gpus(any(spec.stages for spec in self._specs(name).values()))

    # -- scoring ---------------------------------------------------------------------------------

    def scoring_specs(self, name: str) -> dict[str, dict]:
        """Return what each run is scored by."""
        specs = {run: replace(spec, stages=(), select_stage=()) for run, spec in self._specs(name).items()}
        return {run: asdict(replace(spec, start_from=None, own_task=None, departs="")) for run, spec in specs.items()}

    def scoring_data(self, name: str) -> list[str]:
        """Return the splits that a job scores."""
        return _union(spec.evaluate for spec in self._specs(name).values())

    def models(self, name: str, seed: object) -> dict[str, str]:
        """Return the folder of each run's model."""
        job = self.jobs[name]
        return {run: f"{self.layout.run('training', job.paper, run, seed)}/{MODEL}" for run in job.runs}

    def trained(self, name: str, seed: object) -> str:
        """Return the output of the job that contains them."""
        job = self.jobs[name]
        return self.layout.job("training", job.paper, job.runs[0], seed)

    def shared_encoders(self, name: str) -> dict[str, str]:
        """Return the frozen encoder that each run's network needs for scoring; empty for other jobs."""
        if self.jobs[name].trainer != "frozen_encoder":
            return {}
        encoders = {run: spec.model.encoder for run, spec in self._specs(name).items()}
        return {run: self.layout.encoder(encoder) for run, encoder in encoders.items() if encoder}

    def scoring_code(self, name: str) -> str:
        return code.digest("predict.py", *self._plugins(name))

    def scoring_gpus(self, name: str) -> int:
        return self._gpus(self.jobs[name].trainer != "fit")

    # -- both ------------------------------------------------------------------------------------

    def cost(self, name: str, verb: str) -> Cost:
        """Return the estimated cost of a job that trains or predicts."""
        return {"train": self.costs.training, "predict": self.costs.scoring}[verb](self.jobs[name])

    def made_by(self, name: str) -> dict[str, dict[str, str]]:
        """Return what each run writes into its results; see `semblance.provenance`."""
        job, preset = self.jobs[name], self.project.settings.preset
        return {run: {"preset": preset, "recipe": recipe(self.project, job.paper, run)} for run in job.runs}

    def _specs(self, name: str) -> dict[str, RunSpec]:
        return {run: self.project.run(self.jobs[name].paper, run) for run in self.jobs[name].runs}

    def _plugins(self, name: str) -> list[str]:
        kinds = {spec.model.kind for spec in self._specs(name).values()}
        return [f"trainers.{self.jobs[name].trainer}", *sorted(f"models.{kind.replace('-', '_')}" for kind in kinds)]

    def _gpus(self, wanted: object) -> int:
        return int(bool(wanted) and self.device == "cuda")


def recipe(project: Project, paper: str, run: str) -> str:
    """Return a short name for all that the configuration says of a run's training and of what it starts from."""
    spec = project.run(paper, run)
    encoder = asdict(project.encoders[spec.model.encoder]) if spec.model.encoder else None
    start = recipe(project, project.named(paper, run)[0], spec.start_from) if spec.start_from else None
    return provenance.recipe(asdict(_trained_with(spec)), encoder, start)


def corpus_recipe(project: Project, name: str) -> str:
    """Return a short name for all that the configuration says of a dataset, but for the folder of its files."""
    source = project.datasets.source(name)
    if isinstance(source, OfficialFiles):
        source = replace(source, folder=None)
    return provenance.recipe(asdict(project.datasets[name]), asdict(source))


def _trained_with(spec: RunSpec) -> RunSpec:
    """Return what decides a run's weights, without its evaluation."""
    return RunSpec(spec.model, spec.stages, spec.start_from, spec.select_stage)


def _files_in(folder: str) -> list[str]:
    """Return the files in a folder of the checkout."""
    return sorted(os.path.relpath(path) for path in (ROOT / folder).rglob("*") if path.is_file())


def _union(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in lists for name in names))
