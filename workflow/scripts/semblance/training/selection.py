"""Which weights a run ends with: the best epoch's of a stage, the best stage's of a sequence."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation import metrics
from semblance.registry import METRICS
from semblance.training.checkpoint import copy_of
from semblance.training.curve import ENDS, Curve
from semblance.training.engine import Selection


def selection(model, stage: Mapping, data: Mapping[str, Path]) -> Selection | None:
    """What a stage's `select` says, or None where it says nothing."""
    if "select" not in stage:
        return None
    select = stage["select"]
    dev = rows.read(data[select["on"]])
    shown = {}
    for name in select.get("show", []):
        # As many rows as it is selected by: a curve needs no more.
        pairs = rows.read(data[name])
        pairs = share_of(pairs, min(1, len(dev) / len(pairs)), seed=0)
        shown[f"{name.split('/')[1]} {select['metric']}"] = partial(dev_score, model, pairs, select)
    return Selection(select["metric"], lambda: dev_score(model, dev, select), shown)


def share_of(pairs: Pairs, share: float, seed: int) -> Pairs:
    """A share of the rows, at random: the same ones in every stage of a run."""
    if share == 1:
        return pairs
    return pairs.take(sorted(random.Random(f"share/{seed}").sample(range(len(pairs)), round(share * len(pairs)))))


def dev_score(model, dev: Pairs, rule: Mapping) -> float:
    """What `rule` selects by on these rows, higher being better.

    Metrics that need a threshold have the rule's `threshold`, or the best one on the rows.
    """
    metric, scores = rule["metric"], model.score(dev)
    if scores.ndim == 2:  # probabilities of classes
        scores = scores.argmax(1)
    threshold = rule.get("threshold")
    if threshold is None and METRICS[metric].needs_threshold:
        threshold = metrics.best_threshold(metric, dev.targets, scores)
    value = metrics.compute(metric, dev.targets, scores, threshold)
    return float(value if METRICS[metric].higher_is_better else -value)


class BestStage:
    """Of a run of several stages, the end of the one after which the mean of some dev scores was the best.

    A rule `on_unit_scale` counts as (r + 1) / 2, as a correlation does among shares (smart, section 4.2.2.2).
    """

    def __init__(self, model, rules: Sequence[Mapping], data: Mapping[str, Path], curve: Curve):
        self.model, self.curve = model, curve
        self.rules = [(rule, rows.read(data[rule["on"]])) for rule in rules]
        self.score, self.stage, self.weights = -math.inf, None, None

    def consider(self, number: int, stage: str) -> dict:
        """Score the model as the stage leaves it; the facts of that."""
        scores = [dev_score(self.model, dev, rule) for rule, dev in self.rules]
        shares = [
            (s + 1) / 2 if rule.get("on_unit_scale") else s for (rule, _), s in zip(self.rules, scores, strict=True)
        ]
        names = [f"{rule['on']} {rule['metric']}" for rule, _ in self.rules]
        found = dict(zip(names, scores, strict=True)) | {"overall": float(np.mean(shares))}
        for series, value in found.items():
            self.curve.add(ENDS, number, number, series, value)
        if self.weights is None or found["overall"] > self.score:
            self.score, self.stage = found["overall"], stage
            self.weights = copy_of(self.model.module.state_dict())
        return {"after": found}

    def state_dict(self) -> dict:
        return {"score": self.score, "stage": self.stage, "weights": self.weights}

    def load_state_dict(self, state: dict) -> None:
        self.score, self.stage, self.weights = state["score"], state["stage"], state["weights"]

    def restore(self) -> str:
        """Bring back the best stage's weights; its name."""
        self.model.module.load_state_dict(self.weights)
        return self.stage
