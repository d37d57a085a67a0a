"""Paths in the checkout, independent of the working directory."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = "made-by.json"  # file with the provenance of an encoder in the checkout
SCHEMAS = ROOT / "config" / "schema"  # of the code, whatever configuration it reads
GRAMMAR = ROOT / "resources" / "generator" / "grammar.yaml"

# Names in the folder of a trained run.
MODEL, LEARNING, CURVE, FACTS = "model", "learning", "curve.csv", "facts.json"
WATCHED = "watched"  # predictions at the steps of `watch`, or after every stage
SELECTING = "selecting"  # predictions after every epoch, one of which is selected
START_ROWS, TRAINING_ROWS = "start.parquet", "train.parquet"  # predictions in LEARNING
SPEED = "speed.json"  # the seconds that scoring took, beside a run's predictions


def predictions_of(split: str) -> str:
    """Return the name of the file with predictions of a split, named like qqp/dev."""
    return f"{split.replace('/', '-')}.parquet"
