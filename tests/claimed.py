"""Runs with known scores, and claims about them."""

import numpy as np

from semblance.config import tables
from semblance.evaluation import claims as judging
from semblance.evaluation.predictions import Predictions
from semblance.findings import JudgedClaim, RecordedJudgement
from semblance.specs.cells import START

N = 400
STARTS = {"90": 0.5, "85": 0.85, "51": 0.3}  # accuracy before training
TARGETS = np.arange(N) % 2


def judgement(learned: str, **more) -> RecordedJudgement:
    """Return the judgement of a run that is better than the majority baseline, on its own dataset."""
    of_run = {"seed": 1, "on": "set/test", "metric": "accuracy", "value": 0.6, "start": 0.5, "over_start": (-0.1, 0.2)}
    against = {"majority": 0.5, "over_majority": (0.1, 0.2), "top_share": 0.5, "train": 0.7, "training_accuracy": 0.7}
    return RecordedJudgement(**{**of_run, **against, "learned": learned, "made_by": {"recipe": "r"}, **more})


LEARNED = {
    "070": [judgement("no")],  # worse than its start
    "075": [judgement("not clear", over_majority=(-0.1, 0.2))],
    "076": [judgement("not clear")],
}
# What runs started from: one at chance, and one that is better than it, but worse than its own start.
BEFORE = {
    "88": {"at-chance": [judgement("no", over_majority=(-0.1, 0.2))]},
    "89": {"worse": [judgement("no")]},
}


def scored(right: float, start: int = 0, ids=None) -> Predictions:
    """Return predictions that are correct on a share of the rows; `start` shifts these rows."""
    correct = ((np.arange(N) + start) % N) < right * N
    ids = np.array([str(n) for n in range(N)]) if ids is None else ids
    return Predictions(
        ids, TARGETS.astype(float), np.where(correct, TARGETS, 1 - TARGETS).astype(float), np.full(N, None)
    )


class Evidence:
    """Runs named by their accuracy in percent; names with an x are evaluated on other examples."""

    def single_seed(self, run):
        return run != "two-seeds"

    def is_selected_on(self, cell):
        return cell.run == "two-seeds" and cell.on == "set/test"

    def learned(self, run):
        return LEARNED.get(run, [])

    def learned_before(self, run):
        return BEFORE.get(run, {})

    def clusters(self, on, ids):
        return np.arange(len(ids))

    def reached(self, run, on, epoch):
        return epoch < 3

    def start_from(self, run):
        return {"90": "60", "85": "85"}.get(run)

    def machines(self, cell):
        return {"a GPU" if cell.run == "on-gpu" else "a CPU"}

    def facts(self, run):
        each = (60, 66) if run == "slow" else (30, 30)
        return [{"seconds": one, "parameters": 10, "stages": [{"selected_epoch": one // 10}]} for one in each]

    def speed(self, run, on):
        return [
            {"pairs": 100, "seconds": 2.0, "each": [2.0, 2.2, 1.8]}
            if run == "slow"
            else {"pairs": 100, "seconds": 1, "each": [1, 1, 1]}
            if run == "quick"
            else {"pairs": 100, "seconds": 1, "each": [1]}
        ]

    def predictions(self, run, on, epoch=None):
        if epoch == START:
            return [scored(STARTS[run])]
        if run == "two-seeds":
            return [scored(0.9), scored(0.8)]
        ids = np.array([f"x{n}" for n in range(N)]) if run.startswith("x") else None
        return [scored(float(run.strip("x")) / 100, ids=ids)]


def claim(better, than, **more):
    cell = {"on": "set/test", "metric": "accuracy", "threshold": 0.5}
    sides = ([run if isinstance(run, dict) else {"run": run} for run in side] for side in (better, than))
    return {"statement": "s", "source": "1", "cell": cell, **dict(zip(("better", "than"), sides)), **more}


def compare(keys, evidence):
    return judging.compare(tables.claim(keys), evidence)


def judge(keys, evidence) -> JudgedClaim:
    [judged] = judging.judge("p", {"c": compare(keys, evidence)})
    return judged


def judged_claim(**keys) -> JudgedClaim:
    """Return a claim as it is judged: inconclusive, of 500 examples that share no sentences, unless `keys` differ."""
    said = {"paper": "p", "claim": "c", "part_of": None, "statement": "A beats B.", "source": "1", "contradicted": ""}
    compared = {"better": ("a",), "than": ("b",), "metric": "f1", "unit": None, "within": None, "spread": None}
    found = {"effect": 0.01, "low": -0.02, "high": 0.04, "verdict": "inconclusive"}
    found["by_itself"] = keys.get("verdict", found["verdict"])
    rests_on = {"examples": 500, "clusters": 500, "seeds": 1, "each_seed": (), "single_seed": False, "not_trained": ()}
    rests_on |= {"selected_on_scored_rows": False, "threshold_tuned_on_scored_rows": False, "exact": False}
    needed = {"definition": "d", "limited_by_seeds": False, "seeds_needed": None, "examples_needed": None}
    return JudgedClaim(**{**said, **compared, **found, **rests_on, **needed, **keys})


def retained(left, at_first):
    """Return a claim that what is left in runs `left` of `at_first` is more on the first side."""
    sides = ([{"run": run, "minus": {"run": before}}] for run, before in zip(left, at_first, strict=True))
    return {**claim([], []), "retention": True, **dict(zip(("better", "than"), sides, strict=True))}
