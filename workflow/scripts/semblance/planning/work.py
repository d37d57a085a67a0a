"""What jobs that train, score and make encoders read and are given: files, specs, code."""

import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from semblance import code
from semblance.config.project import Project
from semblance.paths import GRAMMAR, MODEL, ROOT
from semblance.planning import digests, machine
from semblance.planning.costs import Cost, Costs
from semblance.planning.jobs import Job, groups_of_seed
from semblance.planning.layout import Layout
from semblance.specs.encoders import PATTERNS, LocalFiles, Pretraining, ShippedModel
from semblance.specs.run import RunSpec, TaskRows

PRETRAINING = ("encoders.pretrain",)


class Work:
    """All jobs of a project by what wildcards of the rules name: a job and its seed, or an encoder.

    Args:
        project: the project.
        layout: where its artifacts are.
        jobs: its jobs.
    """

    def __init__(self, project: Project, layout: Layout, jobs: Iterable[Job]):
        self.project, self.layout = project, layout
        self.jobs = {job.name: job for job in jobs}
        self.costs = Costs(project, machine.device(project.settings), ROOT)
        self._seeded: dict[tuple[str, int], SeededJob] = {}

    def job(self, name: str, seed: int | str) -> "SeededJob":
        """Return a job with a seed; every rule asks for it many times."""
        key = name, int(seed)
        if key not in self._seeded:
            self._seeded[key] = SeededJob(self.project, self.layout, self.costs, self.jobs[name], key[1])
        return self._seeded[key]

    def encoder(self, name: str) -> "EncoderJob":
        """Return the job that makes an encoder."""
        return EncoderJob(self.project, self.layout, self.costs.device, name)


@dataclass(frozen=True)
class SeededJob:
    """A job with one seed: what its training and its scoring read and are given."""

    project: Project
    layout: Layout
    costs: Costs
    whole: Job
    seed: int

    @cached_property
    def job(self) -> Job:
        """The job with the runs that have the seed."""
        return replace(self.whole, groups=groups_of_seed(self.project, self.whole, self.seed))

    @property
    def trainer(self) -> str:
        return self.job.trainer

    @property
    def groups(self) -> list[list[str]]:
        """The runs in the order of training, by group."""
        return [list(group) for group in self.job.groups]

    @property
    def gpus(self) -> int:
        """The number of GPUs: a network needs one even if it is not trained."""
        return int(self.trainer != "fit" and self.costs.device == "cuda")

    @property
    def made_by(self) -> dict[str, dict[str, str]]:
        """What each run writes into its results; see `semblance.provenance`."""
        preset, paper = self.project.settings.preset, self.job.paper
        return {run: {"preset": preset, "recipe": digests.of_run(self.project, paper, run)} for run in self.job.runs}

    @cached_property
    def _specs(self) -> dict[str, RunSpec]:
        return {run: self.project.run(self.job.paper, run) for run in self.job.runs}

    @property
    def _plugins(self) -> list[str]:
        kinds = {spec.model.kind for spec in self._specs.values()}
        return [f"trainers.{self.trainer}", *sorted(f"models.{_identifier(kind)}" for kind in kinds)]

    # -- training --------------------------------------------------------------------------------

    @cached_property
    def training_cost(self) -> Cost:
        return self.costs.training(self.job)

    @property
    def training_specs(self) -> dict[str, dict]:
        """What each run is trained by; how it is scored and judged is no reason to train it again."""
        return {run: asdict(spec.as_trained()) for run, spec in self._specs.items()}

    @property
    def tasks(self) -> dict[str, dict]:
        """The rows of each run's own task, which training scores before and after."""
        found = self.project.own_tasks(self.job.paper, self.job.runs)
        return {run: asdict(TaskRows(task.on, task.train)) for run, task in found.items()}

    @property
    def training_data(self) -> list[str]:
        """The splits that training reads."""
        return _union(self.project.read_in_training(self.job.paper, run) for run in self.job.runs)

    @property
    def origins(self) -> dict[str, str]:
        """The folder from which each run starts, an encoder or another job's run of the same seed."""
        return {run: folder for run, (_, folder) in self._origins.items()}

    @property
    def origin_inputs(self) -> list[str]:
        """The outputs of other jobs that contain those folders."""
        return list(dict.fromkeys(output for output, _ in self._origins.values()))

    @property
    def _origins(self) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for run, spec in self._specs.items():
            if spec.start_from and spec.start_from not in self._specs:
                start = "training", self.job.paper, spec.start_from, self.seed
                found[run] = self.layout.job(*start), f"{self.layout.run(*start)}/{MODEL}"
            elif not spec.start_from and spec.model.encoder:
                found[run] = (self.layout.encoder(spec.model.encoder),) * 2
        return found

    @property
    def training_code(self) -> str:
        """The digest of the job's script, trainer, kinds of models, objectives, regularizers and selecting metrics."""
        stages = [stage for spec in self._specs.values() for stage in spec.stages]
        rules = [rule for spec in self._specs.values() for rule in spec.select_stage]
        rules += [stage.select for stage in stages if stage.select]
        used = {f"objectives.{_identifier(stage.objective)}" for stage in stages}
        used |= {f"regularizers.{kind}" for stage in stages for kind, _ in stage.regularizer.items()}
        used |= {f"metrics:{_identifier(rule.metric)}" for rule in rules}
        return _code("train.py", self.training_specs, *self._plugins, *sorted(used))

    # -- scoring ---------------------------------------------------------------------------------

    @cached_property
    def scoring_cost(self) -> Cost:
        return self.costs.scoring(self.job)

    @property
    def scoring_specs(self) -> dict[str, dict]:
        """What each run is scored by."""
        return {run: asdict(spec.as_scored()) for run, spec in self._specs.items()}

    @property
    def scoring_data(self) -> list[str]:
        """The splits that are scored."""
        return _union(spec.evaluate for spec in self._specs.values())

    @property
    def models(self) -> dict[str, str]:
        """The folder of each run's model."""
        return {run: f"{self.layout.run('training', self.job.paper, run, self.seed)}/{MODEL}" for run in self.job.runs}

    @property
    def trained(self) -> str:
        """The output of training that contains them."""
        return self.layout.job("training", self.job.paper, self.job.runs[0], self.seed)

    @property
    def shared_encoders(self) -> dict[str, str]:
        """The frozen encoder that each run's network needs for scoring; empty for other jobs."""
        if self.trainer != "frozen_encoder":
            return {}
        encoders = {run: spec.model.encoder for run, spec in self._specs.items()}
        return {run: self.layout.encoder(encoder) for run, encoder in encoders.items() if encoder}

    @property
    def scoring_code(self) -> str:
        """The digest of the job's script, trainer and kinds of models."""
        return _code("predict.py", self.scoring_specs, *self._plugins)


@dataclass(frozen=True)
class EncoderJob:
    """The job that makes an encoder."""

    project: Project
    layout: Layout
    device: str
    name: str

    @property
    def inputs(self) -> dict[str, list[str]]:
        """The inputs, by kind."""
        source, start = self.project.encoders[self.name].source, self.project.encoders.start_of(self.name)
        grammar = isinstance(source, Pretraining) and source.corpus.generated
        return {
            "data": self.layout.datasets_of(self.project.encoders.read_by(self.name)),
            "grammar": [os.path.relpath(GRAMMAR)] if grammar else [],
            "start": [self.layout.encoder(start)] if start else [],
            "shipped": _files_in(source.folder) if isinstance(source, ShippedModel) else [],
            "files": self._files_of(source) if isinstance(source, LocalFiles) else [],
        }

    def _files_of(self, source: LocalFiles) -> list[str]:
        """Return a user's files of an encoder; of one made of a lost folder, the folder: Snakemake then keeps it."""
        path = Path(source.path).expanduser()
        if path.is_dir():
            return sorted(os.path.relpath(file) for pattern in PATTERNS for file in path.glob(pattern))
        return [os.path.relpath(path)] if path.is_file() or Path(self.layout.encoder(self.name)).exists() else []

    @property
    def computing(self) -> dict | None:
        """How it is computed; a fetched encoder depends on none of it."""
        return asdict(self.project.settings.computing) if self._is_pretrained else None

    @property
    def code(self) -> str:
        """The digest of the code that makes it; a fetched one does not depend on pre-training."""
        if not self._is_pretrained:
            return _code("make_encoder.py", None)
        return _code("make_encoder.py", "binary", *PRETRAINING)  # the kind of pairs that pre-training makes

    @property
    def gpus(self) -> int:
        return int(self._is_pretrained and self.device == "cuda")

    @property
    def _is_pretrained(self) -> bool:
        return isinstance(self.project.encoders[self.name].source, Pretraining)


def _files_in(folder: str) -> list[str]:
    """Return the files in a folder of the checkout."""
    return sorted(os.path.relpath(path) for path in (ROOT / folder).rglob("*") if path.is_file())


def _code(script: str, spec: object, *plugins: str) -> str:
    """Return the digest of a job's code, with what the registry declares of the names that it uses."""
    return code.digest(script, *plugins, declared=digests.declared(spec, code.modules(script, *plugins)))


def _identifier(name: str) -> str:
    """Return the module or function of a name of the registry."""
    return name.replace("-", "_")


def _union(lists: Iterable[Iterable[str]]) -> list[str]:
    return list(dict.fromkeys(name for names in lists for name in names))
