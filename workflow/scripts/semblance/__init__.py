"""Replications of sentence-similarity papers: the package behind the workflow's scripts."""

import os

# Threads that wait by spinning take the processor from what they wait for, where anything else runs beside them: a
# step of training takes twice as long as with threads that sleep (docs/speed.md). Read when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
