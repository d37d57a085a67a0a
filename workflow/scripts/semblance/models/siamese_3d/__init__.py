"""Networks over a frozen encoder's states of both sentences: those of sn3d, and its baselines SBERT and ColBERT.

Many networks are trained and scored in one pass of their encoder. Therefore a `Model` uses a shared `Encoder`, and its
folder contains only the network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from semblance.models.siamese_3d.frozen import PREDICTION_BATCH, Encoder, States
from semblance.models.siamese_3d.network import Network
from semblance.registry import LABELS
from semblance.specs.run import ModelSpec
from semblance.tokens import ColumnTokens, by_length

Computed = TypeVar("Computed")
WEIGHTS = "network.safetensors"


class Model:
    """A network over a frozen encoder; `spec` defines the `network` and the number of `classes`."""

    def __init__(self, network: Network):
        self.network = network

    @classmethod
    def fresh(cls, spec: ModelSpec, encoder: Encoder) -> Model:
        """Return a new network with random weights from torch's global generator."""
        return cls(Network(spec.network, encoder.shape, spec.classes).to(encoder.module.device))

    @classmethod
    def open(cls, spec: ModelSpec, folder: Path, encoder: Encoder) -> Model:
        """Open the trained network in `folder`."""
        model = cls.fresh(spec, encoder)
        model.network.load_state_dict(load_file(folder / WEIGHTS))
        model.network.eval()
        return model

    @torch.no_grad()
    def probabilities(self, states: States) -> np.ndarray:
        """Return the class probabilities of n pairs, shape (n, classes), from the encoder's states."""
        return self.network(*states).softmax(-1).cpu().numpy()

    def save(self, folder: Path) -> None:
        save_file(self.network.state_dict(), folder / WEIGHTS)


def probabilities(models: Sequence[Model], encoder: Encoder, tokens: ColumnTokens) -> list[np.ndarray]:
    """Return each model's class probabilities of all pairs, shape (pairs, classes), from one pass of the encoder.

    Args:
        models: models over the same encoder.
        encoder: the shared encoder.
        tokens: tokenised pairs.
    """
    return [found for found, _ in timed_probabilities(models, [1] * len(models), encoder, tokens)[0]]


def timed_probabilities(
    models: Sequence[Model], times: Sequence[int], encoder: Encoder, tokens: ColumnTokens
) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Score all pairs with several models and measure the time of each model and of the encoder (sn3d, Table 1).

    Args:
        models: models over the same encoder.
        times: number of repetitions of each batch, per model.
        encoder: the shared encoder.
        tokens: tokenised pairs.

    Returns:
        A list with the class probabilities, shape (pairs, classes), and the seconds of each repetition of each model,
        encoding excluded; and the seconds of each repetition of the encoder, as many as of the most repeated model.
    """
    found = [np.empty((len(tokens.lengths), model.network.classes), dtype=np.float32) for model in models]
    seconds, encoding = [np.zeros(repeats) for repeats in times], np.zeros(max(times))
    for indices in by_length(tokens.lengths, PREDICTION_BATCH):
        states, took = _timed(partial(encoder.states_of, tokens, indices), max(times))
        encoding += took
        for number, (model, repeats) in enumerate(zip(models, times, strict=True)):
            found[number][indices], took = _timed(partial(model.probabilities, states), repeats)
            seconds[number] += took
    return list(zip(found, seconds)), encoding


def scores(probabilities: np.ndarray, kind: str) -> np.ndarray:
    """Return the scores to record for n pairs.

    Args:
        probabilities: class probabilities, shape (n, classes).
        kind: kind of label.

    Returns:
        The class probabilities, shape (n, classes), if `kind` has classes, else the probability of a match, shape (n,).
    """
    return probabilities if LABELS[kind].classes else probabilities[:, 1]


def _timed(compute: Callable[[], Computed], repeats: int) -> tuple[Computed, list[float]]:
    took = []
    for _ in range(repeats):
        _wait()
        started = time.perf_counter()
        computed = compute()
        _wait()
        took.append(time.perf_counter() - started)
    return computed, took


def _wait() -> None:
    """Wait until the GPU, if there is one, has finished all queued work."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
