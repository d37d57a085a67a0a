"""Predictions and facts of a few runs in memory, for tests of cells."""

import numpy as np

from semblance.config import tables as keys
from semblance.data.rows import Pairs
from semblance.evaluation import cells
from semblance.evaluation.evidence import Evidence as Recorded
from semblance.evaluation.predictions import Predictions
from semblance.evaluation.watched import Evaluation


def measure(cell, evidence):
    """Measure a cell given by its keys."""
    return cells.measure(keys.cell(cell), evidence)


def predicted(targets, scores, groups=None) -> Predictions:
    ids = np.array([str(n) for n in range(len(targets))])
    groups = np.array(groups if groups else [None] * len(targets), dtype=object)
    return Predictions(ids, np.array(targets, float), np.array(scores, float), groups)


STORE = {
    ("a", "set/dev"): [predicted([1, 0], [0.9, 0.7]), predicted([1, 0], [0.4, 0.2])],
    ("a", "set/test"): [
        predicted([1, 1, 0, 0], [0.85, 0.75, 0.78, 0.1], ["x", "x", "y", "y"]),
        predicted([1, 1, 0, 0], [0.35, 0.31, 0.1, 0.1], ["x", "x", "y", "y"]),
    ],
    ("lexical", "set/test"): [predicted([1, 1, 0, 0], [0.9, 0.1, 0.8, 0.2])],
}
TUNED = {"run": "a", "on": "set/test", "metric": "accuracy", "threshold": {"tune_on": "set/dev", "maximise": "f1"}}


TEXTS = Pairs(list("abcd"), ["Why?"] * 4, ["Why not?", "How so?", "No.", "But why?"], np.zeros(4), [None] * 4, "binary")


class Evidence:
    """In-memory replacement for `evaluation.evidence`."""

    def predictions(self, run, on, epoch=None):
        if epoch is None:
            return STORE[run, on]
        return [evaluation.predictions for evaluation in self.evaluations_near(run, on, epoch)]

    def evaluations(self, run, on):
        return [
            [Evaluation(0, 0.0, seed), Evaluation(10, 0.5, seed), Evaluation(20, 1.0, flipped(seed))]
            for seed in STORE[run, on]
        ]

    evaluations_near, reached, machines = Recorded.evaluations_near, Recorded.reached, Recorded.machines

    def pairs(self, on):
        return TEXTS

    def clusters(self, on, ids):
        return np.arange(len(ids))

    def facts(self, run):
        smart = {"loss": 2.0, "smart penalty": 0.5, "smart smoothness": 3e-9, "smart proximity": 0.3}
        stages = [{"steps": 20, "watching_seconds": 30, "means": smart}]
        stages += [{"steps": 10, "means": {"loss": 1.0}, "selected_epoch": 3.0}]
        stages = stages[1:] if run == "plain" else stages
        memory = {"peak_memory_mb": 1024, "gpu_peak_memory_mb": 512}
        seconds = (150, 270) if run == "slow" else (90, 90)
        where = {"device": "a GPU"} if run == "on-gpu" else {"device": "cpu", "processor": "a CPU"}
        return [{"seconds": one, "parameters": 7, "stages": stages} | memory | where for one in seconds]

    def speed(self, run, on):
        where = {"device": "cpu", "processor": "a CPU"}
        return [{"pairs": 100, "seconds": 2.0, **where}, {"pairs": 100, "seconds": 4.0, **where}]


def flipped(one):
    return Predictions(one.id, one.target, 1 - one.score, one.group)


lookup = Evidence()
