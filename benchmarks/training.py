"""How fast a bi-encoder and a cross-encoder train, beside sentence-transformers' own trainers.

The same pairs, batch size, recipe, precision and threads, each with all it takes to begin: tokenising included.
Ours and theirs take turns.
"""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import measures
import numpy as np
import torch
from datasets import Dataset
from measures import Measure, matmul_peak, ratios, seconds

from semblance import models, objectives
from semblance.data.rows import Pairs
from semblance.training import device
from semblance.training.curve import Curve
from semblance.training.engine import train
from semblance.training.recipe import Recipe

BATCH = 32
SPECS = {
    "bi-encoder": {"pooling": "mean", "max_length": 128},
    "cross-encoder": {"max_length": 128},
}
OBJECTIVES = {"bi-encoder": "cosine-mean-squared-error", "cross-encoder": "binary-cross-entropy"}
REACH = {"bi-encoder": "≥ 2.5", "cross-encoder": "≥ 1.8"}


def measure(encoder: Path, pairs: Pairs, threads: int, repeats: int) -> Iterator[Measure]:
    """Of both kinds, in 32-bit floats and in bf16 where the processor has it: pairs a second, and times as fast."""
    precisions = ("fp32", "bf16") if device.has_bf16(not torch.cuda.is_available()) else ("fp32",)
    for kind, precision in product(SPECS, precisions):
        title, took = f"{kind} training, {precision}", []
        for _ in range(repeats):
            # Before and after the run it is compared with: minutes later the machine may be another.
            before = matmul_peak(torch.float32)
            _, ours = trained(kind, encoder, pairs, precision, threads)
            peak = np.median([*before, *matmul_peak(torch.float32)])
            took.append((ours, _theirs(kind, encoder, pairs, precision, threads), peak))
        ours, theirs, peaks = zip(*took)
        yield Measure(f"{title}: ours", "pairs/s", [len(pairs) / s for s in ours])
        yield Measure(f"{title}: sentence-transformers", "pairs/s", [len(pairs) / s for s in theirs])
        yield ratios(f"{title}: times as fast", ours, theirs, REACH[kind])
        if (kind, precision) == ("bi-encoder", "fp32"):
            yield from _utilisation(encoder, pairs, np.array(ours), np.array(peaks))


def trained(kind: str, encoder: Path, pairs: Pairs, precision: str, threads: int) -> tuple:
    """A model of a kind after one epoch, and the seconds that took."""
    accelerated = measures.accelerator(precision, threads)
    model = models.kind(kind).open(SPECS[kind], encoder, accelerated.device.type)
    objective, recipe = objectives.named(OBJECTIVES[kind]), Recipe(1, BATCH, 2e-5)
    with tempfile.TemporaryDirectory() as folder:
        curve = Curve(Path(folder) / "curve.csv")
        learn = {"seed": 1, "stage": "benchmark", "accelerator": accelerated, "curve": curve}
        return model, seconds(lambda: train(model.task(pairs), objective, recipe, **learn))


def _theirs(kind: str, encoder: Path, pairs: Pairs, precision: str, threads: int) -> float:
    scores = (pairs.targets / pairs.targets.max()).tolist()
    measures.accelerator(precision, threads)
    data = Dataset.from_dict({"sentence1": pairs.sentence1, "sentence2": pairs.sentence2, "label": scores})
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        trainer = _TRAINERS[kind](encoder, data, _arguments(folder, precision))
        return seconds(trainer.train)


def _arguments(folder: str, precision: str) -> dict:
    quiet = {"save_strategy": "no", "logging_strategy": "no", "report_to": "none", "disable_tqdm": True}
    recipe = {"num_train_epochs": 1, "per_device_train_batch_size": BATCH, "learning_rate": 2e-5, "seed": 1}
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
    model.max_seq_length = SPECS["bi-encoder"]["max_length"]
    loss = CosineSimilarityLoss(model)
    return SentenceTransformerTrainer(model, SentenceTransformerTrainingArguments(**arguments), data, loss=loss)


def _cross_encoder_trainer(encoder: Path, data: Dataset, arguments: dict):
    from sentence_transformers.cross_encoder import CrossEncoder, CrossEncoderTrainer, CrossEncoderTrainingArguments
    from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss

    model = CrossEncoder(str(encoder), num_labels=1, max_length=SPECS["cross-encoder"]["max_length"])
    loss = BinaryCrossEntropyLoss(model)
    return CrossEncoderTrainer(model, CrossEncoderTrainingArguments(**arguments), data, loss=loss)


_TRAINERS = {"bi-encoder": _bi_encoder_trainer, "cross-encoder": _cross_encoder_trainer}


def _utilisation(encoder: Path, pairs: Pairs, took: np.ndarray, peaks: np.ndarray) -> Iterator[Measure]:
    """The share of the machine's matrix products that go into tokens, padding not counted; and what it would be were
    there nothing but the products of a batch, one after another."""
    model = models.kind("bi-encoder").open(SPECS["bi-encoder"], encoder, "cpu")
    config = model.module.sentences.transformer.config
    lengths = model.module.sentences.tokens([*pairs.sentence1, *pairs.sentence2]).lengths.astype(float)
    width, inner = config.hidden_size, config.intermediate_size
    # Of a token: the block's matrices, and the products of attention with every token of its sentence.
    per_layer = (4 * width**2 + 2 * width * inner) * lengths.sum() + 2 * width * (lengths**2).sum()
    operations = 6 * config.num_hidden_layers * per_layer
    name = "bi-encoder training, fp32: share of the matmul peak"
    yield Measure(name, "", operations / took / peaks, "≥ 0.65")
    tokens = round(2 * BATCH * lengths.mean())
    alone = [_rate_of_products(tokens, width, inner) / np.median(matmul_peak(torch.float32)) for _ in took]
    yield Measure(f"{name}, products alone", "", alone)


def _rate_of_products(tokens: int, width: int, inner: int, times: int = 20) -> float:
    """Operations a second of one block's matrix products on a batch of `tokens`, forward and backward."""
    sizes = [(width, width)] * 4 + [(width, inner), (inner, width)]
    matrices = [(torch.randn(tokens, n), torch.randn(m, n), torch.randn(tokens, m)) for n, m in sizes]

    def products() -> None:
        for states, weights, gradients in matrices:
            torch.nn.functional.linear(states, weights)
            gradients @ weights
            gradients.T @ states

    products()
    operations = sum(6 * tokens * n * m for n, m in sizes)
    return times * operations / seconds(lambda: [products() for _ in range(times)])
