"""Copy encoders that a preset generated into resources/encoders/.

Usage: python workflow/scripts/ship_encoders.py results/demo bert …

Weights are stored in 16 bits. A file next to them records the recipe and the grammar that made them, and the losses of
a short pre-training, so that a test can check whether recipe, grammar and code are current. It names the commit, too.
"""

import csv
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml
from safetensors.torch import load_file, save_file

from semblance.encoders.make import make
from semblance.files import read_json, sha256, write_json
from semblance.paths import GRAMMAR, ROOT, SHIPPED
from semblance.provenance import commit, installed
from semblance.specs.computing import Computing
from semblance.specs.encoders import EncoderSpec, source
from semblance.training.checkpoint import Checkpoint

ENCODERS = ROOT / "resources" / "encoders"
REHEARSED = 3200  # pairs


def ship(results: Path, name: str, made_at: str) -> None:
    """Copy a generated encoder to resources/encoders, with a record of how it was made."""
    made, folder = results / "encoders" / name / "model", ENCODERS / name
    if read_json(made.parent / "facts.json")["source"] != "generated":
        raise SystemExit(f"semblance: {made} was not generated: run with encoder_source=generated first")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(made, folder, ignore=shutil.ignore_patterns(".*"))
    weights = load_file(made / "model.safetensors")
    save_file({key: tensor.half() for key, tensor in weights.items()}, folder / "model.safetensors", {"format": "pt"})
    recipe = yaml.safe_load((ROOT / "config" / "encoders.yaml").read_text(encoding="utf-8"))[name]["generated"]
    made_by = {"recipe": recipe, "grammar_sha256": sha256(GRAMMAR), "rehearsal": rehearse(recipe)}
    made_by |= {"versions": installed(), "commit": made_at}
    write_json(folder / SHIPPED, made_by | {"weights_sha256": sha256(folder / "model.safetensors")})


def rehearse(recipe: Mapping) -> list[float]:
    """Pre-train on few pairs; return the training losses.

    Other losses than those recorded show that a change of the code concerns the shipped encoders.

    Args:
        recipe: the encoder's `generated` entry in config/encoders.yaml.
    """
    pretraining = source({"kind": "generated", **recipe, "corpus": {"generated": REHEARSED}}, "rehearsal")
    start = ENCODERS / recipe["start_from"] if "start_from" in recipe else None
    computing = Computing("cpu", "fp32", threads=1)
    with tempfile.TemporaryDirectory() as scratch:
        curve = Path(scratch) / "curve.csv"
        checkpoint = Checkpoint(Path(scratch) / "checkpoint.pt", every=3600)
        make(EncoderSpec("", pretraining), [], start, computing, Path(scratch) / "model", curve, lambda: checkpoint)
        with curve.open(newline="", encoding="utf-8") as file:
            return [float(row["value"]) for row in csv.DictReader(file) if row["series"] == "loss"]


if __name__ == "__main__":
    current = commit()  # before the files below change
    for encoder in sys.argv[2:]:
        ship(Path(sys.argv[1]), encoder, current)
