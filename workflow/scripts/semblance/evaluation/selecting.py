"""Scores that select an epoch or a stage, and the predictions of those that the other half of the rows selects."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from semblance.errors import UserError
from semblance.evaluation import metrics
from semblance.evaluation.predictions import Predictions
from semblance.registry import METRICS
from semblance.specs.run import SelectionSpec

SEED = 17  # of random halves


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
    rules: Sequence[SelectionSpec], found: Mapping[str, Sequence[Predictions]], on: str, first: np.ndarray
) -> Predictions:
    """Return predictions of each half of the rows after the epoch, or the stage, that the other half selects.

    So no row is scored by weights that it selected. The first of equally good epochs counts, as in training.

    Args:
        rules: what selects: one rule selects an epoch, the mean of several a stage. Those of other splits count with
            all their rows.
        found: the predictions after each epoch or stage, by the split of each rule.
        on: the split of the predictions, which is that of a rule.
        first: which of its rows are in the first half, shape (n,).
    """

    def best_by(half: np.ndarray) -> Predictions:
        def score(rule: SelectionSpec, rows: Predictions) -> float:
            rows = rows.only(half) if rule.on == on else rows
            return score_of(rule, rows.target, rows.score if rows.probabilities is None else rows.probabilities)

        times = range(len(found[on]))
        means = [overall(rules, [score(rule, found[rule.on][time]) for rule in rules]) for time in times]
        return found[on][int(np.argmax([metrics.defined(mean) for mean in means]))]

    by_first, by_second = best_by(first), best_by(~first)
    chosen = {"score": np.where(first, by_second.score, by_first.score)}
    if by_first.probabilities is not None and by_second.probabilities is not None:
        chosen["probabilities"] = np.where(first[:, None], by_second.probabilities, by_first.probabilities)
    return replace(by_first, **chosen)


def half_of(clusters: np.ndarray) -> np.ndarray:
    """Return which rows are in the first of two random halves that share no cluster; equal for all runs.

    Each cluster goes to the half that has fewer rows so far: the largest first, those of a size in random order.

    Args:
        clusters: index of each row's cluster of rows that share sentences, shape (n,).

    Raises:
        UserError: if all rows are in one cluster.
    """
    sizes = np.bincount(clusters)
    if len(sizes) < 2:
        raise UserError(
            "all rows share sentences, so no half of them can select an epoch for the other: leave selected_by out"
        )
    inside, rows = np.zeros(len(sizes), dtype=bool), [0, 0]
    shuffled = np.random.default_rng(SEED).permutation(len(sizes))
    for cluster in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        inside[cluster] = rows[1] < rows[0]
        rows[int(inside[cluster])] += sizes[cluster]
    return inside[clusters]
