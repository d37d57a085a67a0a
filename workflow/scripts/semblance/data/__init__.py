"""Datasets: reading rows from a source, validating them, and keeping splits disjoint."""
