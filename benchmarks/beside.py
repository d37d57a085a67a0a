"""Two trainings at the same time, as Snakemake runs jobs: each on half of the threads, or on a GPU of its own."""

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import torch
import training
from measures import Measure

from semblance import gpus
from semblance.data.rows import Pairs

RUNS = 2


def measure(
    encoder: Path, pairs: Pairs, others: Pairs, threads: int, repeats: int, visible: str | None
) -> Iterator[Measure]:
    """Train alone and at the same time as another training, alternating.

    Args:
        encoder: folder of the encoder.
        pairs: pairs to train on.
        others: pairs to score.
        threads: of both trainings together.
        repeats: how often.
        visible: the machine's GPUs as in CUDA_VISIBLE_DEVICES; None for all of them. With fewer than two GPUs, nothing
            is measured.
    """
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        os.environ.pop("CUDA_VISIBLE_DEVICES")  # until now it hid all GPUs but one
        os.environ |= {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    given = "cross-encoder", encoder, pairs, others, "fp32", max(1, threads // RUNS), 1
    with ProcessPoolExecutor(RUNS, mp_context=get_context("spawn")) as pool:
        if on_gpu and pool.submit(torch.cuda.device_count).result() < RUNS:
            print(f"beside: there are fewer than {RUNS} GPUs", flush=True)
            return
        _together(pool, RUNS, given)  # imports and the GPUs' libraries
        turns = [(_together(pool, 1, given), _together(pool, RUNS, given)) for _ in range(repeats)]
    both = [runs for _, runs in turns]
    yield Measure("seconds of two trainings at once, relative to one", "×", [max(b)[0] / a[0][0] for a, b in turns])
    if on_gpu:
        yield Measure("GPUs of two trainings", "", [len({gpu for _, _, gpu in runs}) for runs in both], "2")
    yield Measure("difference of their losses", "", [abs(one[1] - two[1]) for one, two in both], "0")


def _together(pool: ProcessPoolExecutor, count: int, given: tuple) -> list[tuple[float, float, int]]:
    return [run.result() for run in [pool.submit(_trained, *given) for _ in range(count)]]


def _trained(*given) -> tuple[float, float, int]:
    """Return seconds, mean loss and the number of the GPU, 0 without one."""
    run = training.trained(*given)
    return run.seconds, run.loss, gpus.own() if torch.cuda.is_available() else 0
