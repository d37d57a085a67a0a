"""Replications of sentence-similarity papers: the package behind the workflow's scripts."""
