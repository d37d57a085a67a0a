"""Lists of examples with the answers of runs."""

from collections.abc import Mapping

from semblance.evaluation.cells import rows_and_thresholds
from semblance.evaluation.evidence import Evidence
from semblance.specs.cells import ListSpec


def listed(spec: ListSpec, evidence: Evidence) -> dict:
    """Return the list as data.

    It has each run's threshold and numbers of errors, and examples with the answers of each run's first seed.
    """
    pairs, same = evidence.pairs(spec.on), evidence.pairs(spec.on).targets > 0.5
    rows: list[dict] = [
        {"id": n, "group": group, "sentence1": one, "sentence2": other, "same": bool(is_so), "answers": {}}
        for n, group, one, other, is_so in zip(
            pairs.id, pairs.group, pairs.sentence1, pairs.sentence2, same, strict=True
        )
    ]
    runs: dict[str, dict] = {}
    seed_count = 0
    for title, cell in spec.cells.items():
        seeds, (threshold, *_) = rows_and_thresholds(cell, evidence)
        accepted = seeds[0].score >= threshold
        runs[title] = {
            "threshold": threshold,
            "missed": int((same & ~accepted).sum()),
            "accepted": int((accepted & ~same).sum()),
        }
        seed_count = max(seed_count, len(seeds))
        for row, score, yes in zip(rows, seeds[0].score, accepted, strict=True):
            row["answers"][title] = {"score": float(score), "right": bool(yes) == row["same"]}
    counts = {"seeds": seed_count, "same": int(same.sum()), "different": int((~same).sum())}
    shown = _worst(rows, runs, spec.worst) if spec.worst else rows
    return {
        "caption": spec.caption,
        "source": spec.source,
        "note": spec.note,
        "worst": spec.worst,
        **counts,
        "runs": runs,
        "rows": shown,
    }


def _worst(rows: list[dict], runs: Mapping[str, dict], count: int) -> list[dict]:
    """Return the errors of the first run that are furthest from its threshold: `count` misses, then false alarms."""
    title, run = next(iter(runs.items()))
    wrong = [row for row in rows if not row["answers"][title]["right"]]
    wrong.sort(key=lambda row: -abs(row["answers"][title]["score"] - run["threshold"]))
    return [row for same in (True, False) for row in [row for row in wrong if row["same"] is same][:count]]
