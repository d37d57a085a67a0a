"""Corpora: where rows come from, what a valid row is, and how splits are kept apart."""
