"""Where the checkout is, wherever it is run from."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = "made-by.json"  # beside an encoder that comes with the checkout: what made it
GRAMMAR = ROOT / "resources" / "generator" / "grammar.yaml"
