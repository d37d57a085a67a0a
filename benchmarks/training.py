"""Speed of training a bi-encoder and a cross-encoder, compared with the trainers of sentence-transformers.

Both sides use the same pairs, batch size, recipe, precision, threads and seed, and take turns. Times include
tokenisation and other preparation.
"""

import contextlib
import io
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import measures
import numpy as np
import pandas as pd
import torch
from datasets import Dataset
from measures import Measure, dtype, matmul_peak, place, ratios, seconds

from semblance import device, models, objectives
from semblance.curve import Curve
from semblance.data.rows import Pairs
from semblance.evaluation import metrics
from semblance.specs.recipe import Recipe
from semblance.specs.run import ModelSpec
from semblance.tokens import Tokens
from semblance.training.engine import train

BATCH = 32
SPECS = {
    "bi-encoder": ModelSpec("bi-encoder", pooling="mean", max_length=128),
    "cross-encoder": ModelSpec("cross-encoder", max_length=128),
}
OBJECTIVES = {"bi-encoder": "cosine-mean-squared-error", "cross-encoder": "binary-cross-entropy"}
REACH = {"bi-encoder": "≥ 2.5", "cross-encoder": "≥ 1.8"}


@dataclass(frozen=True)
class Trained:
    """Seconds and mean loss of one epoch, scores of held-out pairs, and in how many pieces a batch was computed."""

    seconds: float
    loss: float
    scores: np.ndarray
    pieces: int = 1


def measure(encoder: Path, pairs: Pairs, others: Pairs, threads: int, repeats: int) -> Iterator[Measure]:
    """Measure pairs per second and speed-up of both kinds, in fp32, and in bf16 if the processor supports it.

    Every repeat has its own seed. Its loss and its correlation on `others` are reported too, because faster training
    must not learn less.
    """
    precisions = ("fp32", "bf16") if device.has_bf16(not torch.cuda.is_available()) else ("fp32",)
    for kind, precision in product(SPECS, precisions):
        title, found, peaks = f"{kind} training, {precision}", [], []
        for seed in range(1, repeats + 1):
            given = kind, encoder, pairs, others, precision, threads, seed
            # Just before and after the run, because the machine's speed changes within minutes.
            before = matmul_peak(precision)
            ours = trained(*given)
            peaks.append(np.median([*before, *matmul_peak(precision)]))
            found.append((ours, _theirs(*given)))
        sides = dict(zip(("ours", "sentence-transformers"), zip(*found)))
        took = [[run.seconds for run in runs] for runs in sides.values()]
        for side, runs in sides.items():
            yield Measure(f"{title}: {side}", "pairs/s", [len(pairs) / run.seconds for run in runs])
        yield ratios(f"{title}: times as fast", *took, REACH[kind])
        for side, runs in sides.items():
            yield Measure(f"{title}: mean loss, {side}", "", [run.loss for run in runs])
        for side, runs in sides.items():
            right = [metrics.compute("pearson", others.targets, run.scores) for run in runs]
            yield Measure(f"{title}: Pearson on other pairs, {side}", "", right)
        yield from _utilisation(title, _Work(kind, encoder, pairs), precision, np.array(took[0]), np.array(peaks))


def trained(
    kind: str, encoder: Path, pairs: Pairs, others: Pairs, precision: str, threads: int, seed: int, batch: int = BATCH
) -> Trained:
    """Train a model with semblance."""
    accelerated = measures.accelerator(precision, threads)
    model = models.kind(kind).open(SPECS[kind], encoder, accelerated.device.type)
    # No warm-up and no decay, as in transformers' trainer where they are not set.
    objective, recipe = objectives.named(OBJECTIVES[kind]), Recipe(1, batch, 2e-5, warmup=0, weight_decay=0)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "curve.csv"
        learn = {"seed": seed, "stage": "benchmark", "accelerator": accelerated, "curve": Curve(file)}
        learn["divisible"] = objectives.divisible(OBJECTIVES[kind])
        facts: dict = {}
        took = seconds(lambda: facts.update(train(model.task(pairs), objective, recipe, **learn)))
        loss = pd.read_csv(file)["value"].mean()
    return Trained(took, loss, model.score(others), facts.get("batch_in_pieces", 1))


def _theirs(kind: str, encoder: Path, pairs: Pairs, others: Pairs, precision: str, threads: int, seed: int) -> Trained:
    measures.accelerator(precision, threads)
    columns = {"sentence1": pairs.sentence1, "sentence2": pairs.sentence2, "label": pairs.targets.tolist()}
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        trainer = _TRAINERS[kind](encoder, Dataset.from_dict(columns), _arguments(folder, precision, seed))
        took = seconds(trainer.train)
    return Trained(took, trainer.state.log_history[-1]["train_loss"], _SCORES[kind](trainer.model, others))


def _arguments(folder: str, precision: str, seed: int) -> dict:
    quiet = {"save_strategy": "no", "logging_strategy": "no", "report_to": "none", "disable_tqdm": True}
    recipe = {"num_train_epochs": 1, "per_device_train_batch_size": BATCH, "learning_rate": 2e-5, "seed": seed}
    return {
        "output_dir": folder,
        **quiet,
        **recipe,
        "bf16": precision == "bf16",
        "use_cpu": not torch.cuda.is_available(),
    }


def _bi_encoder_trainer(encoder: Path, data: Dataset, arguments: dict):
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.losses import CosineSimilarityLoss

    model = SentenceTransformer(str(encoder))
    model.max_seq_length = SPECS["bi-encoder"].max_length
    loss = CosineSimilarityLoss(model)
    return SentenceTransformerTrainer(model, SentenceTransformerTrainingArguments(**arguments), data, loss=loss)


def _cross_encoder_trainer(encoder: Path, data: Dataset, arguments: dict):
    from sentence_transformers.cross_encoder import CrossEncoder, CrossEncoderTrainer, CrossEncoderTrainingArguments
    from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss

    model = CrossEncoder(str(encoder), num_labels=1, max_length=SPECS["cross-encoder"].max_length)
    loss = BinaryCrossEntropyLoss(model)
    return CrossEncoderTrainer(model, CrossEncoderTrainingArguments(**arguments), data, loss=loss)


def _cosines(model, pairs: Pairs) -> np.ndarray:
    u, v = (model.encode(side, normalize_embeddings=True) for side in pairs.columns)
    return (u * v).sum(axis=1)


_TRAINERS = {"bi-encoder": _bi_encoder_trainer, "cross-encoder": _cross_encoder_trainer}
_SCORES = {"bi-encoder": _cosines, "cross-encoder": lambda model, pairs: model.predict(list(zip(*pairs.columns)))}


class _Work:
    """Matrix products of one epoch, for tokens alone: padding does not count."""

    def __init__(self, kind: str, encoder: Path, pairs: Pairs):
        model = models.kind(kind).open(SPECS[kind], encoder, "cpu")
        if kind == "bi-encoder":
            sentences = model.module.sentences
            config = sentences.transformer.config
            tokens = Tokens(sentences.tokenizer, [*pairs.sentence1, *pairs.sentence2], max_length=sentences.max_length)
            lengths = tokens.lengths.astype(float)
        else:
            config, lengths = model.module.config, model.task(pairs).lengths.astype(float)
        self.width, self.inner = config.hidden_size, config.intermediate_size
        # Per token: the matrices of a block, and the products of attention with every token of the sequence.
        per_layer = (4 * self.width**2 + 2 * self.width * self.inner) * lengths.sum()
        per_layer += 2 * self.width * (lengths**2).sum()
        self.operations = 6 * config.num_hidden_layers * per_layer
        self.tokens_of_batch = round(BATCH * lengths.sum() / len(pairs))


def _utilisation(title: str, work: _Work, precision: str, took: np.ndarray, peaks: np.ndarray) -> Iterator[Measure]:
    """Measure operations per second, and which share of the peak throughput of matrix products that is.

    The last measure is the same share if a step were only the matrix products of a batch.
    """
    yield Measure(f"{title}: operations", "1/s", work.operations / took)
    name = f"{title}: share of the matmul peak"
    yield Measure(name, "", work.operations / took / peaks, "≥ 0.65" if title == "bi-encoder training, fp32" else "")
    given = work.tokens_of_batch, work.width, work.inner, precision
    yield Measure(f"{name}, products alone", "", [_rate_of_products(*given) / peak for peak in peaks])


def _rate_of_products(tokens: int, width: int, inner: int, precision: str, times: int = 20) -> float:
    """Measure operations per second of one block's matrix products on a batch of `tokens`, forward and backward."""
    sizes = [(width, width)] * 4 + [(width, inner), (inner, width)]
    as_given = {"device": place(), "dtype": dtype(precision)}
    matrices = [[torch.randn(*shape, **as_given) for shape in ((tokens, n), (m, n), (tokens, m))] for n, m in sizes]

    def products() -> None:
        for states, weights, gradients in matrices:
            torch.nn.functional.linear(states, weights)
            gradients @ weights
            gradients.T @ states

    seconds(products)
    operations = sum(6 * tokens * n * m for n, m in sizes)
    return times * operations / seconds(lambda: [products() for _ in range(times)])
