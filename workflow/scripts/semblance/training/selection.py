"""Selection of the weights that a run ends with: the best epoch of a stage, the best stage of a sequence."""

import math
import random
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from semblance import models
from semblance.curve import ENDS, Curve
from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation import metrics
from semblance.evaluation.selecting import overall, score_of
from semblance.evaluation.watched import Watcher
from semblance.specs.run import SelectionSpec, StageSpec
from semblance.training.checkpoint import copy_of
from semblance.training.engine import Selection


def selection(model, stage: StageSpec, data: Mapping[str, Path], selecting: Watcher) -> Selection:
    """Return how a stage selects its epoch, by its key `select`.

    Args:
        model: the model that is trained.
        stage: the stage.
        data: files of splits, by name.
        selecting: what scores the selecting split, and keeps the predictions of the stage.
    """
    select, shown = stage.select, {}
    for name in select.show:
        # At most as many rows as the selecting split has, which suffice for a curve.
        pairs = rows.read(data[name])
        share = min(1, len(selecting.pairs) / len(pairs))
        shown[f"{name.split('/')[1]} {select.metric}"] = share_of(pairs, share, seed=0)

    def evaluate(numbers: Sequence[int], step: int, epoch: float) -> list[dict[str, float]]:
        if not step:
            selecting.seen.clear()  # an earlier stage can have the same split
        selecting.evaluate(step, epoch)
        found = {f"dev {select.metric}": score_of(select, selecting.pairs.targets, selecting.seen[-1][-1])}
        scores = {name: score_of(select, pairs.targets, models.scores(model, pairs)) for name, pairs in shown.items()}
        return [found | scores]

    return Selection(select.metric, evaluate)


def share_of(pairs: Pairs, share: float, seed: int) -> Pairs:
    """Return a random share of the rows, equal in every stage of a run, in their original order.

    Args:
        pairs: the rows.
        share: share of them, above 0 and up to 1.
        seed: what decides which rows.
    """
    if share == 1:
        return pairs
    count = min(len(pairs), max(1, round(share * len(pairs))))
    return pairs.take(sorted(random.Random(f"share/{seed}").sample(range(len(pairs)), count)))


class BestStage:
    """Selection of the stage after which the mean of several dev scores is best, and the predictions after each.

    Args:
        model: the model.
        rules: metric and split of each score; see `evaluation.selecting.overall`.
        data: files of prepared splits by name.
        curve: the training curve.

    Attributes:
        watchers: the predictions by split, whose steps and epochs are numbers of stages.
    """

    def __init__(self, model, rules: Sequence[SelectionSpec], data: Mapping[str, Path], curve: Curve):
        self.model, self.curve = model, curve
        self.rules = rules
        splits = dict.fromkeys(split for rule in rules for split in (rule.on, *rule.show))
        self.watchers = {on: Watcher(rows.read(data[on]), partial(models.scores, model), every=1) for on in splits}
        self.score, self.stage, self.weights = -math.inf, None, None

    def consider(self, number: int, stage: str) -> tuple[dict[str, float], float]:
        """Score the model after a stage, given its number and name; return the scores, and the seconds they took."""
        before = self.seconds
        for watcher in self.watchers.values():
            watcher.evaluate(number, number)
        scores = [self._latest(rule, rule.on) for rule in self.rules]
        names = [f"{rule.on} {rule.metric}" for rule in self.rules]
        found = dict(zip(names, scores, strict=True)) | {"overall": overall(self.rules, scores)}
        shown = {f"{on} {rule.metric}": self._latest(rule, on) for rule in self.rules for on in rule.show}
        for series, value in (found | shown).items():
            self.curve.add(ENDS, number, number, series, value)
        mean = metrics.defined(found["overall"])
        if self.weights is None or mean > self.score:
            self.score, self.stage = mean, stage
            self.weights = copy_of(self.model.module.state_dict())
        return found, self.seconds - before

    @property
    def seconds(self) -> float:
        """Time spent on scoring."""
        return sum(watcher.seconds for watcher in self.watchers.values())

    def state_dict(self) -> dict:
        return {"score": self.score, "stage": self.stage, "weights": self.weights}

    def load_state_dict(self, state: dict) -> None:
        self.score, self.stage, self.weights = state["score"], state["stage"], state["weights"]

    def _latest(self, rule: SelectionSpec, on: str) -> float:
        """Return the score of a rule on a split after the latest stage."""
        watcher = self.watchers[on]
        return score_of(rule, watcher.pairs.targets, watcher.seen[-1][-1])

    def restore(self) -> str:
        """Restore the weights of the best stage and return its name."""
        self.model.module.load_state_dict(self.weights)
        return self.stage
