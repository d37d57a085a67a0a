"""Time that networks take to score pairs of encoded sentences (sn3d, Table 1)."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import torch

from semblance.models.siamese_3d import Model
from semblance.models.siamese_3d.frozen import PREDICTION_BATCH, Encoder
from semblance.tokens import ColumnTokens, by_length

Computed = TypeVar("Computed")


def timed_probabilities(
    models: Sequence[Model], times: Sequence[int], encoder: Encoder, tokens: ColumnTokens
) -> tuple[list[tuple[np.ndarray, np.ndarray]], np.ndarray]:
    """Score all pairs with several models and measure the time of each model and of the encoder.

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
