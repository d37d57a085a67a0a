"""Measure training and prediction on this machine, compared with sentence-transformers.

    python benchmarks/bench.py results/laptop                     # what `make bench` runs
    python benchmarks/bench.py results/laptop --only smart sn3d   # selected benchmarks
    python benchmarks/bench.py results/demo --random-base --device cuda    # what `make bench DEVICE=cuda` runs

Reads the prepared corpora and an encoder of a preset, which `make bench` makes. Prints medians with quartiles and
targets. After each benchmark, writes its values and the facts of the machine to `bench.json`; those of other benchmarks
stay there. Do not use the machine for anything else meanwhile.
"""

import argparse
import json
import os
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow" / "scripts"))

import beside
import cpu
import determinism
import numpy as np
import pieces
import prediction
import random_encoder
import smart_step
import sn3d_grid
import torch
import training
from measures import machine

from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.provenance import commit

SUITES = ("training", "cpu", "prediction", "smart", "sn3d", "determinism", "pieces", "beside")
ENCODERS = ("minilm", "bert")  # the first one that exists is used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="a preset's folder, with data/ and encoders/")
    parser.add_argument("--only", nargs="+", choices=SUITES)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=640, help="pairs for training; prediction scores twice as many")
    parser.add_argument("--device", choices=("cpu", "cuda"), help="without it, a GPU if there is one")
    parser.add_argument("--random-base", action="store_true", help="take an encoder of BERT base's shape, untrained")
    chosen = parser.parse_args()
    chosen.visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen.device == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # before torch looks for a GPU
    else:
        os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")  # sentence-transformers would use all of several
    if chosen.device == "cuda" and not torch.cuda.is_available():
        sys.exit("--device cuda: torch sees no GPU here. If nvidia-smi lists one, install a CUDA build of torch")
    file, failed = chosen.results / "bench.json", []
    written = json.loads(file.read_text()) if file.exists() else {}
    found = {name: suite for name, suite in written.items() if name in SUITES and "date" in suite}
    with tempfile.TemporaryDirectory() as folder:
        encoder = _encoder(chosen.results)
        if chosen.random_base:
            encoder = random_encoder.write(Path(folder), encoder)
        for name in chosen.only or SUITES:
            started = time.monotonic()
            # One process each, because the memory that one leaves would hide what the next one needs.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                try:
                    measures = pool.submit(measured, name, encoder, chosen).result()
                except Exception as problem:  # the others are measured all the same
                    traceback.print_exc()
                    print(f"{name}: {problem}", file=sys.stderr, flush=True)
                    failed.append(name)
                    continue
            given = {key: value for key, value in vars(chosen).items() if key not in ("results", "only", "visible")}
            found[name] = {"machine": machine(chosen.threads), "arguments": given, "measures": measures}
            found[name] |= {"seconds": round(time.monotonic() - started), "date": str(date.today()), "commit": commit()}
            file.write_text(json.dumps(found, indent=2) + "\n")
            if name == "training":
                print(f"\nFor `snakemake plan`, in config/costs.yaml:\n\n{rate(found[name])}\n", flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def measured(name: str, encoder: Path, chosen: argparse.Namespace) -> list[dict]:
    """Run a suite, print each of its measurements, and return them for bench.json."""
    found = []
    for measure in suites(encoder, chosen)[name]():
        print(measure, flush=True)
        found.append(measure.as_json())
    return found


def rate(suite: dict) -> str:
    """Return the measured speed of training as the YAML that config/costs.yaml has of a device; a CPU's is a core's."""
    machine = suite["machine"]
    of = {one["name"]: one["median"] for one in suite["measures"] if one["name"].startswith("cross-encoder training")}
    name = [name for name in of if name.endswith(": operations")][-1]  # bf16's if there is one
    per = 1 if machine["gpu"] else machine["threads"]
    source = f"measured: {name.removesuffix(': operations')}, {machine['gpu'] or machine['processor']}"
    kind = "cuda" if machine["gpu"] else "cpu"
    return f'rates:\n  {kind}:\n    flops: {of[name] / per:.1e}\n    source: "{source}"'


def suites(encoder: Path, chosen: argparse.Namespace) -> dict:
    """Return a function that runs each suite, by its name."""
    threads = chosen.threads

    def pairs(split: str, count: int | None = None) -> Pairs:
        found = rows.read(chosen.results / f"data/{split}.parquet")
        order = np.random.default_rng(1).permutation(len(found))[:count]
        return found.take(sorted(order))

    def learnt() -> tuple[Pairs, Pairs]:
        return pairs("stsb/train", chosen.pairs), pairs("stsb/dev")

    return {
        "training": lambda: training.measure(encoder, *learnt(), threads, chosen.repeats),
        "cpu": lambda: cpu.measure(encoder, pairs("stsb/train", chosen.pairs), threads, chosen.repeats),
        "prediction": lambda: prediction.measure(encoder, pairs("qqp/validation", 2 * chosen.pairs), chosen.repeats),
        "smart": lambda: smart_step.measure(encoder, pairs("stsb/train"), threads, 4 * chosen.repeats),
        "sn3d": lambda: sn3d_grid.measure(encoder, pairs("mrpc/train"), threads, 2 * chosen.repeats),
        "determinism": lambda: determinism.measure(encoder, *learnt(), threads, 1),
        "pieces": lambda: pieces.measure(encoder, *learnt(), threads),
        "beside": lambda: beside.measure(encoder, *learnt(), threads, chosen.repeats, chosen.visible),
    }


def _encoder(results: Path) -> Path:
    folders = [results / "encoders" / name / "model" for name in ENCODERS]
    there = [folder for folder in folders if folder.exists()]
    if not there:
        sys.exit(f"no encoder in {results}/encoders: run `make bench`, or snakemake with this preset, first")
    return there[0]


if __name__ == "__main__":
    main()
