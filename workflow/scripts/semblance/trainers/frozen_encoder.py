"""Networks over one frozen encoder, which encodes each batch once for all of them.

Each network has its own optimizer, schedule, random stream, early stopping and curve. It ends with the same weights as
if it were trained alone.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np
import torch
from accelerate import Accelerator
from torch import Tensor

from semblance import device, objectives
from semblance.curve import Curve
from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation.collapse import require_differences
from semblance.evaluation.selecting import score_of
from semblance.files import sha256
from semblance.models.siamese_3d import Model, probabilities, scores, timed_probabilities
from semblance.models.siamese_3d.frozen import Encoder, States
from semblance.models.siamese_3d.network import Network, parameters
from semblance.paths import CURVE, LEARNING, MODEL
from semblance.specs.facts import RunFacts
from semblance.specs.run import RunSpec, SelectionSpec
from semblance.tokens import ColumnTokens
from semblance.trainers.prediction import record
from semblance.trainers.work import Scoring, Training
from semblance.training.checkpoint import Checkpoint, Meter
from semblance.training.engine import Learner, Selection, train_together
from semblance.training.learning import Learning
from semblance.training.streams import Stream


class Batches:
    """Training examples as states of the frozen encoder, computed once for all networks that ask for a batch.

    The encoder has the accelerator's precision. The networks are computed in fp32, because their features differ by
    less than the steps of bf16.

    Args:
        encoder: the frozen encoder.
        pairs: labelled pairs.
        max_length: highest number of tokens; longer texts are truncated.
        accelerated: device and precision.
    """

    def __init__(self, encoder: Encoder, pairs: Pairs, max_length: int, accelerated: Accelerator):
        self._encoder, self._accelerated = encoder, accelerated
        self._tokens = ColumnTokens(encoder.tokenizer, pairs.columns, max_length=max_length)
        self._targets = torch.tensor(pairs.targets, dtype=torch.float32)
        self.lengths = self._tokens.lengths
        self._latest: tuple[np.ndarray, States] | None = None

    def batch(self, indices: np.ndarray) -> tuple[States, Tensor]:
        """Return the states of both sentences of some pairs, and their targets."""
        if self._latest is None or not np.array_equal(self._latest[0], indices):
            with self._accelerated.autocast():
                self._latest = indices, self._encoder.states(self._tokens.batch(indices))
        return self._latest[1], self._targets[indices]


class NetworkTask:
    """A network and the batches that it shares; implements the engine's `Trainable`."""

    encoder = None  # is frozen, and no part of the network

    def __init__(self, network: Network, batches: Batches):
        self.module, self.lengths, self.batch = network, batches.lengths, batches.batch

    def forward(self, states: States) -> Tensor:
        return self.module(*states)


def train(work: Training) -> dict[str, RunFacts]:
    """Train a group of runs that share encoder, corpus and batches, and return the runs' facts."""
    accelerated = device.accelerator(work.computing, work.seed)
    encoder = Encoder(work.origin, accelerated.device.type)
    specs = list(work.specs.values())
    max_length, [stage] = specs[0].model.max_length, specs[0].stages
    pairs, dev = (rows.read(work.data[name]) for name in (f"{stage.on}/train", stage.select.on))
    pairs.require_every_class(f"{stage.on}/train")
    batches = Batches(encoder, pairs, max_length, accelerated)
    folders = [work.folders[run] for run in work.specs]
    curves = [Curve(folder / CURVE) for folder in folders]
    made = [learner(spec, work.seed, encoder, batches, accelerated, curve) for spec, curve in zip(specs, curves)]
    models, learners = zip(*made, strict=True)
    tasks, made_by = [work.tasks.get(run) for run in work.specs], [work.made_by[run] for run in work.specs]
    learned = Learning(tasks, work.data, made_by, [folder / LEARNING for folder in folders])
    learned.before(lambda pairs: _scores(models, encoder, pairs, max_length))
    checkpoint, meter = Checkpoint(work.state, work.save_every), Meter()
    checkpoint.run = meter
    if checkpoint.saved:
        meter.load_state_dict(checkpoint.saved["run"])
    select = _selection(models, encoder, dev, stage.select, max_length)
    stages = train_together(learners, seed=work.seed, select=select, checkpoint=checkpoint)
    for model, folder in zip(models, folders):
        model.save(folder / MODEL)
    shared = {
        "trained_together": len(models),
        **meter.facts(),
        # Of the encoder, and of the networks.
        **device.describe(accelerated, [device.precision(accelerated), *(stage["precision"] for stage in stages)]),
    }
    learned.after(lambda pairs: _scores(models, encoder, pairs, max_length))
    return {
        run: {"parameters": parameters(model.network), "stages": [trained]} | shared
        for run, model, trained in zip(work.specs, models, stages, strict=True)
    }


def learner(
    spec: RunSpec, seed: int, encoder: Encoder, batches: Batches, accelerated: Accelerator, curve: Curve
) -> tuple[Model, Learner]:
    """Return a run's network with random weights, and what trains it.

    Args:
        spec: the run, which has one stage.
        seed: its seed.
        encoder: the shared encoder.
        batches: its training examples.
        accelerated: device and precision.
        curve: where losses and scores are recorded.
    """
    stream, [stage] = Stream(seed), spec.stages
    with stream:
        model = Model.fresh(spec.model, encoder)
    return model, Learner(
        NetworkTask(model.network, batches),
        objectives.named(stage.objective),
        replace(stage.recipe, precision="fp32"),
        stage=f"1. {stage.on}",
        accelerator=accelerated,
        curve=curve,
        divisible=objectives.divisible(stage.objective),
        patience=stage.select.patience,
        may_diverge=spec.may_collapse,
        stream=stream,
    )


def _selection(
    models: Sequence[Model], encoder: Encoder, dev: Pairs, rule: SelectionSpec, max_length: int
) -> Selection:
    """Return the selection of epochs on dev, in one pass of the encoder for all networks."""
    tokens = ColumnTokens(encoder.tokenizer, dev.columns, max_length=max_length)

    def evaluate(numbers: Sequence[int], step: int, epoch: float) -> list[dict[str, float]]:
        found = probabilities([models[number] for number in numbers], encoder, tokens)
        return [{f"dev {rule.metric}": score_of(rule, dev.targets, one)} for one in found]

    return Selection(rule.metric, evaluate)


def _scores(models: Sequence[Model], encoder: Encoder, pairs: Pairs, max_length: int) -> list[np.ndarray]:
    """Return each network's scores of labelled pairs."""
    for model in models:
        model.network.eval()
    tokens = ColumnTokens(encoder.tokenizer, pairs.columns, max_length=max_length)
    return [scores(found, pairs.kind) for found in probabilities(models, encoder, tokens)]


def predict(work: Scoring) -> dict[str, dict]:
    """Score all splits on which the runs of a group are evaluated, with the same passes of their encoder.

    Returns:
        The facts of each split, by run. Tokenizing is measured once and counts with every repetition of the encoder.
    """
    place = device.place(work.computing)
    encoder, machine = Encoder(work.encoder, place), device.machine(place)
    models = {run: Model.open(spec.model, work.models[run], encoder) for run, spec in work.specs.items()}
    speeds: dict[str, dict] = {run: {} for run in models}
    found: dict[str, list[np.ndarray]] = {run: [] for run in models}
    max_length = next(iter(work.specs.values())).model.max_length
    for name, path in work.data.items():
        repeats = {run: spec.timing_repeats for run, spec in work.specs.items() if name in spec.evaluate}
        if repeats:
            pairs, examples = rows.read(path), sha256(path)
            started = time.perf_counter()
            tokens = ColumnTokens(encoder.tokenizer, pairs.columns, max_length=max_length)
            tokenizing = time.perf_counter() - started
            timed, encoding = timed_probabilities(
                [models[run] for run in repeats], [*repeats.values()], encoder, tokens
            )
            for run, (given, seconds) in zip(repeats, timed, strict=True):
                found[run].append(scores(given, pairs.kind))
                speeds[run][name] = {**machine, **record(work, run, name, pairs, examples, found[run][-1], seconds)}
                each = [round(tokenizing + one, 6) for one in encoding[: repeats[run]]]
                speeds[run][name] |= {"encoding_seconds": median(each), "each_encoding": each}
    for run, spec in work.specs.items():
        if not spec.may_collapse:
            require_differences(found[run], run)
    return speeds
