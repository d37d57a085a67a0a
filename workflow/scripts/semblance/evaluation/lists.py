"""Lists of examples with the predictions of runs."""

import numpy as np

from semblance.evaluation.cells import rows_and_thresholds
from semblance.evaluation.evidence import Evidence
from semblance.specs.cells import ListSpec

MISSED, FALSE = "missed", "false alarm"


def listed(spec: ListSpec, evidence: Evidence) -> dict:
    """Return the list as data: kind, caption, source, note, and the result of its kind's function."""
    written = {key: getattr(spec, key) for key in ("kind", "caption", "source", "note")}
    return written | globals()[spec.kind.replace("-", "_")](spec, evidence)


def worst_errors(spec: ListSpec, evidence: Evidence) -> dict:
    """Return the `count` worst false negatives and false positives of a run's first seed.

    The worst errors are those furthest from the threshold, and they come first. The result also has the threshold and
    the numbers of seeds, rows, duplicates and errors of each kind.
    """
    [cell] = spec.cells.values()
    seeds, thresholds = rows_and_thresholds(cell, evidence)
    scored, threshold, pairs = seeds[0], thresholds[0], evidence.pairs(spec.on)
    predicted, is_so = scored.score >= threshold, scored.target > 0.5
    rows, found = [], {}
    for kind, wrong in ((MISSED, ~predicted & is_so), (FALSE, predicted & ~is_so)):
        places = np.flatnonzero(wrong)
        found[kind] = len(places)
        worst = places[np.argsort(-np.abs(scored.score[places] - threshold), kind="stable")][: spec.count]
        rows += [
            {
                "error": kind,
                "id": pairs.id[row],
                "score": float(scored.score[row]),
                "sentence1": pairs.sentence1[row],
                "sentence2": pairs.sentence2[row],
            }
            for row in worst
        ]
    return {
        "run": spec.run,
        "on": spec.on,
        "seeds": len(seeds),
        "threshold": threshold,
        "scored": len(scored),
        "duplicates": int(is_so.sum()),
        "found": found,
        "rows": rows,
    }


def answers(spec: ListSpec, evidence: Evidence) -> dict:
    """Return the examples of `on` with each run's threshold, and its first seed's score and answer for each example."""
    pairs = evidence.pairs(spec.on)
    rows: list[dict] = [
        {"id": n, "group": group, "sentence1": one, "sentence2": other, "same": bool(same), "answers": {}}
        for n, group, one, other, same in zip(
            pairs.id, pairs.group, pairs.sentence1, pairs.sentence2, pairs.targets > 0.5, strict=True
        )
    ]
    thresholds, count = {}, 0
    for title, cell in spec.cells.items():
        seeds, (thresholds[title], *_) = rows_and_thresholds(cell, evidence)
        count = max(count, len(seeds))
        for row, score in zip(rows, seeds[0].score, strict=True):
            row["answers"][title] = {"score": float(score), "right": bool((score >= thresholds[title]) == row["same"])}
    return {"on": spec.on, "seeds": count, "thresholds": thresholds, "rows": rows}
