"""Replications of papers on sentence similarity: the package that the workflow's scripts use."""

import os

# Threads that wait by spinning slow down other processes on the machine. With them, a training step takes twice as long
# as with threads that sleep if anything else runs (docs/speed.md). torch reads this variable when it is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
