"""Replications of sentence-similarity papers: the package behind the workflow's scripts."""

import os

# Threads that wait by spinning take from the processor what they wait for, where anything else runs beside them: a step
# of training then takes three times as long as with threads that sleep. Read when torch is imported, hence here.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
