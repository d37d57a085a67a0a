"""Paths in the checkout, independent of the working directory."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = "made-by.json"  # file with the provenance of an encoder in the checkout
GRAMMAR = ROOT / "resources" / "generator" / "grammar.yaml"
