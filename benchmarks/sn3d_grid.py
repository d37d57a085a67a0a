"""What it saves to train networks side by side over one pass of their frozen encoder (sn3d, the grid on MRPC).

    python benchmarks/sn3d_grid.py ENCODER SPLIT

ENCODER is a folder of transformers weights, SPLIT a prepared parquet file of MRPC's pairs. On every batch the
encoder's pass and each network's step are timed: together they take the pass and all steps, one by one a pass
for every step. Milliseconds, medians over batches with quartiles.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow" / "scripts"))

from semblance.config.load import read_yaml
from semblance.config.project import load
from semblance.config.street import Street
from semblance.data import rows
from semblance.models.siamese_3d.frozen import Encoder, PairTokens
from semblance.paths import ROOT
from semblance.training import device
from semblance.training.batches import bucketed
from semblance.training.curve import Curve
from semblance.training.side_by_side import Arm

WARM_UP = 2  # batches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("split", type=Path)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--precision", choices=("auto", "fp32", "bf16"), default="auto")
    chosen = parser.parse_args()
    accelerated = device.accelerator("auto", chosen.precision, chosen.threads, seed=1)
    encoder, pairs = Encoder(chosen.encoder, accelerated.device.type), rows.read(chosen.split)
    specs = grid()
    tokens = PairTokens(encoder.tokenizer, pairs, next(iter(specs.values()))["model"]["max_length"])
    targets = torch.tensor(pairs.targets, dtype=torch.float32)
    dtype = torch.bfloat16 if accelerated.mixed_precision == "bf16" else torch.float32
    passes, steps = [], {name: [] for name in specs}
    with tempfile.TemporaryDirectory() as folder:
        arms = {
            name: Arm(spec, 1, encoder, Curve(Path(folder) / f"{name}.csv"), 100, 1000) for name, spec in specs.items()
        }
        batches = bucketed(tokens.lengths, 32, np.random.default_rng(1))[: chosen.steps + WARM_UP]
        for number, indices in enumerate(batches, start=1):
            started = time.perf_counter()
            with accelerated.autocast():
                states = encoder.states(tokens.batch(indices), dtype)
            passes.append(_since(started))
            for name, arm in arms.items():
                started = time.perf_counter()
                arm.learn(states, targets[indices], number, accelerated)
                steps[name].append(_since(started))
    _tell(np.array(passes[WARM_UP:]), np.array(list(steps.values()))[:, WARM_UP:], list(steps))


def grid() -> dict[str, dict]:
    """The networks that the laptop preset trains side by side on MRPC."""
    settings = read_yaml(ROOT / "config/config.yaml") | {"preset": "laptop", "papers": ["sn3d"]}
    street = Street(load(ROOT, settings))
    runs = max((job.runs for job in street.jobs("train", "train_side_by_side.py")), key=len)
    return {run: street.spec("sn3d", run) for run in runs}


def _since(started: float) -> float:
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return 1000 * (time.perf_counter() - started)


def _tell(passes: np.ndarray, steps: np.ndarray, names: list[str]) -> None:
    total = steps.sum(axis=0)
    together, alone = passes + total, len(names) * passes + total
    dearest = int(np.median(steps, axis=1).argmax())
    for title, values in (
        ("encoder's pass", passes),
        (f"dearest network's step ({names[dearest]})", steps[dearest]),
        (f"all {len(names)} networks' steps", total),
        ("side by side", together),
        ("one by one", alone),
        ("side by side / one by one", together / alone),
        ("side by side / (pass + dearest)", together / (passes + steps[dearest])),
    ):
        low, middle, high = np.percentile(values, [25, 50, 75])
        print(f"{title:50} {middle:9.2f}  [{low:.2f}, {high:.2f}]")


if __name__ == "__main__":
    main()
