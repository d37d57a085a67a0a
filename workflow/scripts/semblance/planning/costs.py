"""Estimates of time, memory and disk space of jobs, from recipes and the sizes and rates in config/costs.yaml."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from semblance.config.files import read_checked
from semblance.config.project import Project
from semblance.paths import SCHEMAS
from semblance.planning.jobs import Job, groups_of_seed
from semblance.registry import MODELS, OBJECTIVES, REGULARIZERS
from semblance.specs.costs import CorpusSize, Cost, EncoderSize, Plan, Sizes, Total
from semblance.specs.data import GeneratedCorpus, dataset_of
from semblance.specs.encoders import SentencePretraining, SkipGram
from semblance.specs.run import ModelSpec, RunSpec, StageSpec
from semblance.specs.typed import typed

FORWARD, STEP = 2, 6  # operations per weight and token of a forward pass, and of a training step
BYTES = 4  # per weight
BYTES_OF_TRAINING = 24  # per weight, with gradient, Adam's two averages, and the best epoch's weights
MEMORY_MB = 4000  # of a process without data, including CUDA's libraries
PREDICTION = 40e-6  # megabytes per row
NOTHING = EncoderSize(layers=0, width=0, weights=0)
UNKNOWN = EncoderSize(layers=12, width=768, weights=110)  # BERT base, assumed for a user's model


class Costs:
    """Estimated costs of a project's jobs on a device.

    Args:
        project: the project.
        device: ``cpu`` or ``cuda``.
        root: the checkout, which has config/costs.yaml.
    """

    def __init__(self, project: Project, device: str, root: Path):
        self._project, file = project, root / "config" / "costs.yaml"
        self._sizes = typed(Sizes, read_checked(file, SCHEMAS / "costs.yaml"))
        self.device, self.rate = device, self._sizes.rates[device]
        self._flops = self.rate.flops * (project.settings.threads if device == "cpu" else 1)

    def training(self, job: Job) -> Cost:
        """Return the cost of training a job's runs."""
        specs = self._specs(job.paper, job.runs)
        disk = BYTES * sum(self._saved(job, spec.model) for spec in specs)
        memory = max(self._size(spec.model).weights * (BYTES_OF_TRAINING if spec.stages else BYTES) for spec in specs)
        return self._cost(job, self._training_seconds, memory, disk)

    def scoring(self, job: Job) -> Cost:
        """Return the cost of scoring with a job's runs."""
        specs = self._specs(job.paper, job.runs)
        disk = PREDICTION * sum(self.rows(on) for spec in specs for on in spec.evaluate)
        memory = max(self._size(spec.model).weights * BYTES for spec in specs)
        return self._cost(job, self._scoring_seconds, memory, disk)

    def plan(self, jobs: Iterable[Job], light_jobs: int = 0) -> Plan:
        """Return what training and scoring would cost.

        Args:
            jobs: all jobs of the project.
            light_jobs: the number of tables, figures, lists and claims, which take seconds.
        """
        costs: dict[str, list[Cost]] = {}
        for job in jobs:
            for seed in max((self._project.seeds_of_run(job.paper, run) for run in job.runs), key=len):
                seeded = replace(job, groups=groups_of_seed(self._project, job, seed))
                costs.setdefault(job.paper, []).extend((self.training(seeded), self.scoring(seeded)))
        return Plan(
            preset=self._project.settings.preset,
            seeds=len(self._project.settings.seeds),
            threads=self._project.settings.threads,
            device=self.device,
            rate=self.rate,
            light_jobs=light_jobs,
            papers={paper: Total.of(found) for paper, found in costs.items()},
            total=Total.of([cost for found in costs.values() for cost in found]),
        )

    def _specs(self, paper: str, runs: Sequence[str]) -> list[RunSpec]:
        return [self._project.run(paper, run) for run in runs]

    def _cost(self, job: Job, seconds: Callable[[RunSpec], float], memory: float, disk: float) -> Cost:
        together = 0.0
        for runs in job.groups:
            each = [seconds(spec) for spec in self._specs(job.paper, runs)]
            # Networks over a frozen encoder share its passes; each has its own steps.
            together += max(each) + self._sizes.head * sum(each) if job.trainer == "frozen_encoder" else sum(each)
        return Cost(self._sizes.start + together, MEMORY_MB + memory, disk)

    def _training_seconds(self, spec: RunSpec) -> float:
        """Return the time of all stages, including evaluations on dev and after every stage."""
        after = sum(self._once(spec, on) for on in spec.scored_after_stages())
        return sum(self._stage_seconds(spec, stage) + after for stage in spec.stages)

    def _stage_seconds(self, spec: RunSpec, stage: StageSpec) -> float:
        _, count = stage.recipe.steps(self.examples(stage))
        frozen = MODELS[spec.model.kind].training == "frozen-encoder"
        factor = FORWARD if frozen else STEP + FORWARD * _passes(stage)
        seconds = self._seconds(spec.model, stage.on, count * stage.recipe.batch_size, factor)
        if stage.select:
            evaluated = (stage.select.on, *stage.select.show)
            seconds += (stage.recipe.epochs + 1) * sum(self._once(spec, on) for on in evaluated)
        if stage.watch and stage.watch_every:
            each = self._once(spec, stage.watch)
            seconds += each * count / stage.watch_every
        return seconds

    def _scoring_seconds(self, spec: RunSpec) -> float:
        return spec.timing_repeats * sum(self._once(spec, on) for on in spec.evaluate)

    def _once(self, spec: RunSpec, on: str) -> float:
        """Return the time of scoring a split once."""
        return self._seconds(spec.model, dataset_of(on), self.rows(on), FORWARD)

    def _seconds(self, model: ModelSpec, dataset: str, rows: float, operations: int) -> float:
        """Return the time of an encoder for some rows of a dataset; it is 0 for models that are fitted in one call."""
        if not model.encoder or MODELS[model.kind].training == "fit":
            return 0.0
        size, tokens = self._size(model), self._dataset(dataset).tokens
        # A block has four matrices of attention, width × width, and two that are four times as large.
        weights = 12 * size.layers * size.width**2
        tokens = min(tokens, 2 * (model.max_length or tokens))
        return rows * tokens * weights * operations / self._flops

    def _saved(self, job: Job, model: ModelSpec) -> float:
        """Return the millions of weights that a run saves: of its encoder, or of a network over a frozen one."""
        size = self._size(model)
        # Networks are made as large as one another; on BERT base, with 12 blocks of 768 features, 6.1 to 6.4 million.
        return size.layers * size.width**2 / 1e6 if job.trainer == "frozen_encoder" else size.weights

    def _size(self, model: ModelSpec) -> EncoderSize:
        """Return layers, width and millions of weights of a model's encoder."""
        if not model.encoder:
            return NOTHING
        made = self._project.encoders.made(model.encoder)
        while isinstance(found := self._project.encoders.pretraining(made), SentencePretraining):
            made = self._project.encoders.made(found.start_from)
        if isinstance(found, SkipGram):  # word vectors of few words
            return NOTHING
        if not found:
            return self._sizes.encoders.get(made, UNKNOWN)
        width, layers = found.shape["hidden_size"], found.shape["num_hidden_layers"]
        return EncoderSize(layers, width, 12 * layers * width**2 / 1e6)

    def _dataset(self, name: str) -> CorpusSize:
        return self._sizes.datasets.get(name, CorpusSize())

    def is_whole(self, split: str) -> bool:
        """Return whether a split, named like qqp/train, has the rows that the papers used."""
        dataset, part = split.split("/")
        generated = isinstance(self._project.datasets.source(dataset), GeneratedCorpus)
        return not generated and part not in self._project.settings.rows_of(dataset)

    def examples(self, stage: StageSpec) -> int:
        """Return how many training examples a stage has, before any row is dropped; of triplets, an estimate."""
        rows = self.rows(f"{stage.on}/train") * stage.fraction
        per_row = self._dataset(stage.on).triplets if OBJECTIVES[stage.objective].builds_examples else 1
        return round(rows * per_row)

    def rows(self, split: str) -> int:
        """Return how many rows of a split, named like qqp/train, will be used, before any are dropped."""
        dataset, part = split.split("/")
        source, held_out = self._project.datasets.source(dataset), self._project.datasets[dataset].held_out
        if isinstance(source, GeneratedCorpus):
            if part not in source.rows:
                return min(held_out[part].rows, source.rows[held_out[part].split] // 10)
            taken = [new for new, one in held_out.items() if one.split == part and new not in source.rows]
            return source.rows[part] - sum(self.rows(f"{dataset}/{new}") for new in taken)
        rows = self._dataset(dataset).rows.get(part, 10_000)
        return min(rows, self._project.datasets[dataset].rows.get(part, rows))


def _passes(stage: StageSpec) -> int:
    """Return the forward passes that a stage's regularizer adds to a step; one whose factor is 0 adds none."""
    return sum(
        passes
        for kind, options in stage.regularizer.items()
        for factor, passes in REGULARIZERS[kind].passes.items()
        if getattr(options, factor)
    )
