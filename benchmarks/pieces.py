"""Batches that do not fit into a GPU's memory: they are computed in pieces, with the same loss in more time."""

import gc
from collections.abc import Iterator
from pathlib import Path

import torch
import training
from measures import Measure

from semblance.data.rows import Pairs

BATCH = 256
SHARE = 0.7  # of the memory that whole batches take


def measure(encoder: Path, pairs: Pairs, others: Pairs, threads: int) -> Iterator[Measure]:
    """Train with whole batches, then with less memory than they take.

    The losses differ by the dropout masks, which are drawn for each piece.
    """
    if not torch.cuda.is_available():
        print("pieces: only a GPU's memory can be limited", flush=True)
        return
    given = "cross-encoder", encoder, pairs, others, "fp32", threads, 1, BATCH
    training.trained(*given)  # loads the GPU's libraries
    torch.cuda.reset_peak_memory_stats()
    whole, needed = training.trained(*given), torch.cuda.max_memory_allocated()
    gc.collect()
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(SHARE * needed / torch.cuda.get_device_properties(0).total_memory)
    parts = training.trained(*given)
    yield Measure("memory of whole batches", "MiB", [needed / 2**20])
    yield Measure("pieces of a batch with less memory", "", [parts.pieces], "≥ 2")
    yield Measure("mean loss in pieces, relative to whole batches", "×", [parts.loss / whole.loss], "0.99 to 1.01")
    yield Measure("time in pieces, relative to whole batches", "×", [parts.seconds / whole.seconds])
