"""Time and memory by size of a corpus: prepare, fit and predict, and a table with its intervals.

    python benchmarks/scaling.py results/scaling                        # a thousand to a million generated pairs
    python benchmarks/scaling.py results/scaling --pairs 1000 10000     # other sizes

Every stage of every size runs in its own process, like a job. The bi-encoder is untrained and has a single layer,
because this measures how costs grow with a corpus; `bench.py` measures the speed of networks. Writes `scaling.json` and
a plot, `scaling.svg`.
"""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import asdict
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "workflow" / "scripts"))

from semblance import memory, models
from semblance.config import tables
from semblance.data import rows
from semblance.data.prepare import prepare
from semblance.evaluation import predictions
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.tables import measured
from semblance.files import read_json, write_json
from semblance.models import tfidf
from semblance.provenance import commit
from semblance.specs.data import DatasetSpec, GeneratedCorpus
from semblance.specs.places import Places, RunPlaces
from semblance.specs.run import ModelSpec

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SPEC = DatasetSpec("binary", ("train",), "refuse")
SHAPE = {"hidden_size": 128, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 256}
MADE_BY = {"preset": "scaling", "recipe": "tfidf", "versions": {}, "examples": "all"}
TABLE = {
    "caption": "Scaling",
    "source": "benchmarks/scaling.py",
    "cell": {"run": "tfidf", "on": "set/test", "threshold": 0.5},
    "rows": {"TF-IDF": {}},
    "columns": {name: {"metric": name} for name in ("accuracy", "f1", "pearson", "spearman")},
}


def prepared(folder: Path, pairs: int) -> None:
    prepare("scaling", SPEC, GeneratedCorpus("duplicates", {"train": pairs}), folder)


def predicted(folder: Path, pairs: int) -> None:
    corpus = rows.read(folder / "train.parquet")
    _predict(tfidf.Model.fit(ModelSpec("tfidf"), [corpus], seed=1, threads=1), corpus, folder / "predictions")


def encoded(folder: Path, pairs: int) -> None:
    import torch

    from semblance.encoders import architectures
    from semblance.models import bi_encoder

    torch.manual_seed(1)
    corpus = rows.read(folder / "train.parquet")
    tokenizer = architectures.tokenizer("bert", corpus.sentence1[:1000], 2000)
    architectures.pair_classifier("bert", tokenizer, SHAPE).base_model.save_pretrained(folder / "encoder")
    tokenizer.save_pretrained(folder / "encoder")
    model = bi_encoder.Model.open(ModelSpec("bi-encoder", pooling="mean", max_length=64), folder / "encoder", "cpu")
    _predict(model, corpus, folder / "of-bi-encoder")


def _predict(model, corpus: rows.Pairs, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    predictions.write(folder / "set-test.parquet", corpus, models.scores(model, corpus), MADE_BY)


def rendered(folder: Path, pairs: int) -> None:
    runs = {"tfidf": RunPlaces("tfidf", predictions=(str(folder / "predictions"),))}
    evidence = Evidence(Places("scaling", runs, splits={"set/test": str(folder / "train.parquet")}))
    table = measured(tables.table(TABLE, "here"), evidence, paper="scaling", name="table", about="")
    write_json(folder / "table.json", asdict(table.cells[0]))


STAGES = {
    "prepare": prepared,
    "TF-IDF: fit and predict": predicted,
    "bi-encoder: predict": encoded,
    "a table of four metrics": rendered,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pairs", type=int, nargs="+", default=SIZES)
    parser.add_argument("--stage", choices=STAGES, help=argparse.SUPPRESS)  # for the processes that this script starts
    chosen = parser.parse_args()
    if chosen.stage:
        _one(chosen.stage, chosen.folder, chosen.pairs[0])
        return
    found = [_measured(stage, chosen.folder / str(pairs), pairs) for pairs in chosen.pairs for stage in STAGES]
    write_json(chosen.folder / "scaling.json", {"scaling": _suite(found)})
    _draw(found, chosen.folder / "scaling.svg")


def _measured(stage: str, folder: Path, pairs: int) -> dict:
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, __file__, str(folder), "--stage", stage, "--pairs", str(pairs)]
    subprocess.run(command, check=True)
    found = {"stage": stage, "pairs": pairs, **read_json(folder / "took.json")}
    print(f"{stage:24} {pairs:10,} pairs {found['seconds']:9.1f} s {found['peak_mb']:7,} MiB", flush=True)
    return found


def _suite(found: list[dict]) -> dict:
    """Return the measurements with the facts of the machine, as `bench.py` writes a benchmark's."""
    from measures import Measure, machine  # with torch, which would count as memory of the stages that need none

    measures = []
    for one in found:
        name = f"{one['stage']}, {one['pairs']:,} pairs"
        measures += [Measure(f"{name}: time", "s", [one["seconds"]])]
        measures += [Measure(f"{name}: memory", "MiB", [one["peak_mb"]])]
    made_by = {"machine": machine(threads=1), "arguments": {}, "date": str(date.today()), "commit": commit()}
    return made_by | {"measures": [measure.as_json() for measure in measures]}


def _one(stage: str, folder: Path, pairs: int) -> None:
    started = time.perf_counter()
    STAGES[stage](folder, pairs)
    took = {"seconds": round(time.perf_counter() - started, 2), "peak_mb": memory.peak_mb()}
    (folder / "took.json").write_text(json.dumps(took))


def _draw(found: list[dict], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for axis, what, label in zip(axes, ("seconds", "peak_mb"), ("seconds", "memory at the peak, MiB")):
        for stage, marker in zip(STAGES, "os^D"):
            points = [(one["pairs"], one[what]) for one in found if one["stage"] == stage]
            axis.loglog(*zip(*points), marker=marker, label=stage)
        axis.set(xlabel="pairs", ylabel=label)
        axis.grid(alpha=0.3)
    axes[0].legend()
    figure.savefig(path)


if __name__ == "__main__":
    main()
