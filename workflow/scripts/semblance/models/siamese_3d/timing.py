"""Time that networks take to score pairs of encoded sentences (sn3d, Table 1)."""

import time
from collections.abc import Sequence

import numpy as np
import torch

from semblance.models.siamese_3d import Model
from semblance.models.siamese_3d.frozen import Encoder, States
from semblance.tokens import ColumnTokens


def timed_probabilities(
    models: Sequence[Model], times: Sequence[int], encoder: Encoder, tokens: ColumnTokens
) -> tuple[list[tuple[np.ndarray, np.ndarray]], float]:
    """Score all pairs with several models and measure the time of each model and of the encoder.

    Args:
        models: models over the same encoder.
        times: number of repetitions of each batch, per model.
        encoder: the shared encoder.
        tokens: tokenised pairs.

    Returns:
        A list with the class probabilities, shape (pairs, classes), and the seconds of each repetition of each model,
        encoding excluded; and the seconds of the encoder.
    """
    found = [np.empty((len(tokens.lengths), model.network.classes), dtype=np.float32) for model in models]
    seconds, encoding, started = [np.zeros(repeats) for repeats in times], 0.0, time.perf_counter()
    for indices, states in encoder.passes(tokens):
        _wait()
        encoding += time.perf_counter() - started
        for number, (model, repeats) in enumerate(zip(models, times, strict=True)):
            found[number][indices], took = _timed(model, states, repeats)
            seconds[number] += took
        started = time.perf_counter()
    return list(zip(found, seconds)), encoding


def _timed(model: Model, states: States, repeats: int) -> tuple[np.ndarray, list[float]]:
    took = []
    for _ in range(repeats):
        _wait()
        started = time.perf_counter()
        found = model.probabilities(states)  # the result is on the CPU, so the computation is complete
        took.append(time.perf_counter() - started)
    return found, took


def _wait() -> None:
    """Wait until the GPU, if there is one, has finished all queued work."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
