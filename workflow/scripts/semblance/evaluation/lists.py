"""Lists of examples with the answers of runs."""

from collections.abc import Sequence

import numpy as np

from semblance.evaluation.evidence import Evidence
from semblance.evaluation.scored import rows_and_thresholds
from semblance.findings import Answer, ErrorCounts, ListedExample, MeasuredList
from semblance.specs.cells import ListSpec


def listed(spec: ListSpec, evidence: Evidence, *, paper: str, name: str, about: str) -> MeasuredList:
    """Return the list: each run's threshold and numbers of errors, and examples with the answers of its first seed.

    Args:
        spec: the list.
        evidence: the recorded results.
        paper: name of the paper.
        name: name of the list.
        about: what the preset's numbers are worth.
    """
    pairs, same = evidence.pairs(spec.on), evidence.pairs(spec.on).targets > 0.5
    runs: dict[str, ErrorCounts] = {}
    answers: list[dict[str, Answer]] = [{} for _ in pairs.id]
    seed_count = 0
    for title, cell in spec.cells.items():
        seeds, (threshold, *_) = rows_and_thresholds(cell, evidence)
        assert threshold is not None  # a list always has one
        accepted = seeds[0].score >= threshold
        wrong = same & ~accepted, accepted & ~same
        shares = (_share(errors, among) for errors, among in zip(wrong, (same, ~same), strict=True))
        runs[title] = ErrorCounts(threshold, *(int(errors.sum()) for errors in wrong), *shares)
        seed_count = max(seed_count, len(seeds))
        for found, score, right in zip(answers, seeds[0].score, accepted == same, strict=True):
            found[title] = Answer(float(score), bool(right))
    columns = (pairs.id, pairs.group, pairs.sentence1, pairs.sentence2, same.tolist(), answers)
    rows = [ListedExample(*one) for one in zip(*columns, strict=True)]
    return MeasuredList(
        paper=paper,
        name=name,
        about=about,
        caption=spec.caption,
        source=spec.source,
        note=spec.note,
        worst=spec.worst,
        seeds=seed_count,
        same=int(same.sum()),
        different=int((~same).sum()),
        runs=runs,
        rows=tuple(_worst(rows, *next(iter(runs.items())), spec.worst) if spec.worst else rows),
    )


def _share(errors: np.ndarray, among: np.ndarray) -> float | None:
    return float(errors.sum() / among.sum()) if among.any() else None


def _worst(rows: Sequence[ListedExample], title: str, run: ErrorCounts, count: int) -> list[ListedExample]:
    """Return the errors of a run that are furthest from its threshold: `count` misses, then false alarms."""
    wrong = [row for row in rows if not row.answers[title].right]
    wrong.sort(key=lambda row: -abs(row.answers[title].score - run.threshold))
    return [row for same in (True, False) for row in [row for row in wrong if row.same is same][:count]]
