"""Scores that select an epoch or a stage, and the predictions of those that the other half of the rows selects."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from semblance.evaluation import metrics
from semblance.evaluation.predictions import Predictions, first_half
from semblance.evaluation.watched import Evaluation
from semblance.registry import METRICS
from semblance.specs.run import SelectionSpec


def score_of(rule: SelectionSpec, targets: np.ndarray, scores: np.ndarray) -> float:
    """Return the score by which an epoch or a stage is selected.

    Args:
        rule: the metric and its threshold.
        targets: labels of n examples, shape (n,).
        scores: a model's scores, shape (n,), or class probabilities, shape (n, classes).
    """
    metric, threshold = METRICS[rule.metric], rule.threshold
    if scores.ndim == 2 and not metric.of_probabilities:
        scores = scores.argmax(1)
    if threshold is None and metric.needs_threshold:
        threshold = metrics.best_threshold(metric.name, targets, scores)
    return float(metrics.compute(metric.name, targets, scores, threshold))


def overall(rules: Sequence[SelectionSpec], scores: Sequence[float]) -> float:
    """Return the mean of the scores of several rules, higher is better.

    A score r of a rule with `on_unit_scale` counts as (r + 1) / 2, as for a correlation that is averaged with
    accuracies (smart, section 4.2.2.2).
    """
    ranks = [metrics.rank(rule.metric, score) for rule, score in zip(rules, scores, strict=True)]
    return float(np.mean([(r + 1) / 2 if rule.on_unit_scale else r for rule, r in zip(rules, ranks)]))


def by_other_half(
    rules: Sequence[SelectionSpec], evaluations: Mapping[str, Sequence[Evaluation]], on: str
) -> Predictions:
    """Return predictions of each half of the rows after the epoch, or the stage, that the other half selects.

    So no row is scored by weights that it selected. The halves are random and equal for all runs.

    Args:
        rules: what selects: one rule selects an epoch, the mean of several a stage.
        evaluations: by the split of each rule, the evaluations after each epoch or stage, the best of which is
            selected. The first of equals counts, as in training.
        on: the split of the predictions, which is that of a rule.
    """
    # The scores before training select nothing.
    trained = {split: [one.predictions for one in found if one.step] for split, found in evaluations.items()}
    halves = []
    for first in (True, False):
        scores = [
            overall(rules, [_of_half(rule, trained[rule.on][time], first) for rule in rules])
            for time in range(len(trained[on]))
        ]
        halves.append(trained[on][int(np.argmax([metrics.defined(score) for score in scores]))])
    by_first, by_second = halves
    inside = first_half(len(by_first))
    chosen = {"score": np.where(inside, by_second.score, by_first.score)}
    if by_first.probabilities is not None and by_second.probabilities is not None:
        chosen["probabilities"] = np.where(inside[:, None], by_second.probabilities, by_first.probabilities)
    return replace(by_first, **chosen)


def _of_half(rule: SelectionSpec, rows: Predictions, first: bool) -> float:
    half = rows.only(first_half(len(rows)) == first)
    return score_of(rule, half.target, half.score if half.probabilities is None else half.probabilities)
