"""Differences between trainings with the same seed: none on a CPU; on a GPU, sums have no fixed order."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import torch
import training
from measures import Measure

from semblance import device
from semblance.data.rows import Pairs


def measure(encoder: Path, pairs: Pairs, others: Pairs, threads: int, repeats: int) -> Iterator[Measure]:
    """Yield the largest difference of scores of held-out pairs between the first training and each repeat."""
    precisions = ("fp32", "bf16") if device.has_bf16(not torch.cuda.is_available()) else ("fp32",)
    for kind, precision in product(training.SPECS, precisions):
        given = kind, encoder, pairs, others, precision, threads
        first, *again = (training.trained(*given, seed=1).scores for _ in range(1 + repeats))
        apart = [float(np.abs(scores - first).max()) for scores in again]
        yield Measure(f"{kind} trained again, same seed, {precision}: scores apart", "", apart, "0 on a CPU")
