"""What jobs that train, score and make encoders read and are given: files, specs, code."""

import os
from collections.abc import Iterable
from dataclasses import asdict, replace

from semblance import code, provenance
from semblance.config.project import Project
from semblance.paths import GRAMMAR, MODEL, ROOT
from semblance.planning import machine
from semblance.planning.costs import Costs
from semblance.planning.jobs import Job, groups_of_seed
from semblance.planning.layout import Layout
from semblance.specs.data import OfficialFiles
from semblance.specs.encoders import Pretraining, ShippedModel
from semblance.specs.run import RunSpec, TaskRows

PRETRAINING = ("encoders.pretrain",)


class Work:
    """The inputs and parameters of jobs; `job` returns one by its name and seed, which are wildcards of the rules.

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

    def job(self, name: str, seed: object) -> Job:
        """Return a job with the runs that it trains and scores with a seed."""
        job = self.jobs[name]
        return replace(job, groups=groups_of_seed(self.project, job, int(str(seed))))

    def groups(self, job: Job) -> list[list[str]]:
        """Return the runs of a job in the order of training, by group."""
        return [list(group) for group in job.groups]

    def training_specs(self, job: Job) -> dict[str, dict]:
        """Return what each run is trained by; how it is scored and judged is no reason to train it again."""
        return {run: asdict(_trained_with(spec)) for run, spec in self._specs(job).items()}

    def tasks(self, job: Job) -> dict[str, dict]:
        """Return the rows of each run's own task, which training scores before and after."""
        found = {run: self.project.own_task(job.paper, run) for run in job.runs}
        return {run: asdict(TaskRows(task.on, task.train)) for run, task in found.items() if task}

    def training_data(self, job: Job) -> list[str]:
        """Return the splits that a job reads to train its runs."""
        return _union(self.project.read_in_training(job.paper, run) for run in job.runs)

    def origins(self, job: Job, seed: object) -> dict[str, str]:
        """Return the folder from which each run starts, an encoder or another job's run of the same seed."""
        return {run: found[1] for run, found in self._origins(job, seed).items()}

    def origin_inputs(self, job: Job, seed: object) -> list[str]:
        """Return the outputs of other jobs that contain those folders."""
        return list(dict.fromkeys(found[0] for found in self._origins(job, seed).values()))

    def _origins(self, job: Job, seed: object) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for run in job.runs:
            spec = self.project.run(job.paper, run)
            start = spec.start_from
            if start and start not in job.runs:
                folder = self.layout.run("training", job.paper, start, seed)
                found[run] = self.layout.job("training", job.paper, start, seed), f"{folder}/{MODEL}"
            elif not start and spec.model.encoder:
                found[run] = (self.layout.encoder(spec.model.encoder),) * 2
        return found

    def training_code(self, job: Job) -> str:
        """Return the digest of a job's script, trainer, kinds of models, objectives and regularizers."""
        stages = [stage for spec in self._specs(job).values() for stage in spec.stages]
        objectives = {f"objectives.{stage.objective.replace('-', '_')}" for stage in stages}
        regularizers = {f"regularizers.{kind}" for stage in stages for kind in stage.regularizer}
        return code.digest("train.py", *self._plugins(job), *sorted(objectives | regularizers))

    # -- scoring ---------------------------------------------------------------------------------

    def scoring_specs(self, job: Job) -> dict[str, dict]:
        """Return what each run is scored by."""
        specs = {run: replace(spec, stages=(), select_stage=()) for run, spec in self._specs(job).items()}
        return {run: asdict(replace(spec, start_from=None, own_task=None, departs="")) for run, spec in specs.items()}

    def scoring_data(self, job: Job) -> list[str]:
        """Return the splits that a job scores."""
        return _union(spec.evaluate for spec in self._specs(job).values())

    def models(self, job: Job, seed: object) -> dict[str, str]:
        """Return the folder of each run's model."""
        return {run: f"{self.layout.run('training', job.paper, run, seed)}/{MODEL}" for run in job.runs}

    def trained(self, job: Job, seed: object) -> str:
        """Return the output of the job that contains them."""
        return self.layout.job("training", job.paper, job.runs[0], seed)

    def shared_encoders(self, job: Job) -> dict[str, str]:
        """Return the frozen encoder that each run's network needs for scoring; empty for other jobs."""
        if job.trainer != "frozen_encoder":
            return {}
        encoders = {run: spec.model.encoder for run, spec in self._specs(job).items()}
        return {run: self.layout.encoder(encoder) for run, encoder in encoders.items() if encoder}

    def scoring_code(self, job: Job) -> str:
        return code.digest("predict.py", *self._plugins(job))

    # -- both ------------------------------------------------------------------------------------

    def gpus(self, job: Job) -> int:
        """Return the number of GPUs that a job needs: a network needs one even if it is not trained."""
        return self._gpus(job.trainer != "fit")

    def made_by(self, job: Job) -> dict[str, dict[str, str]]:
        """Return what each run writes into its results; see `semblance.provenance`."""
        preset = self.project.settings.preset
        return {run: {"preset": preset, "recipe": recipe(self.project, job.paper, run)} for run in job.runs}

    def _specs(self, job: Job) -> dict[str, RunSpec]:
        return {run: self.project.run(job.paper, run) for run in job.runs}

    def _plugins(self, job: Job) -> list[str]:
        kinds = {spec.model.kind for spec in self._specs(job).values()}
        return [f"trainers.{job.trainer}", *sorted(f"models.{kind.replace('-', '_')}" for kind in kinds)]

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
