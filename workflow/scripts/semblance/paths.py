"""Where the checkout is, wherever it is run from."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GRAMMAR = ROOT / "resources" / "generator" / "grammar.yaml"
