"""List of the worst errors of a run, with their sentences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from semblance.evaluation.cells import rows_and_thresholds
from semblance.evaluation.evidence import Evidence
from semblance.files import markdown_text
from semblance.reporting import frames

MISSED, FALSE = "missed", "false alarm"
KINDS = {MISSED: "duplicates scored below the threshold", FALSE: "non-duplicates scored above it"}


def build(spec: Mapping, evidence: Evidence) -> dict:
    """Return the `count` worst false negatives and false positives of a run's first seed.

    The worst errors are those furthest from the threshold, and they come first. The result also has the threshold and
    the numbers of seeds, rows, duplicates and errors of each kind.
    """
    seeds, thresholds = rows_and_thresholds(spec, evidence)
    scored, threshold, pairs = seeds[0], thresholds[0], evidence.pairs(spec["on"])
    said, is_so = scored.score >= threshold, scored.target > 0.5
    rows, found = [], {}
    for kind, wrong in ((MISSED, ~said & is_so), (FALSE, said & ~is_so)):
        places = np.flatnonzero(wrong)
        found[kind] = len(places)
        worst = places[np.argsort(-np.abs(scored.score[places] - threshold), kind="stable")][: spec["count"]]
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
        "run": spec["run"],
        "on": spec["on"],
        "seeds": len(seeds),
        "threshold": threshold,
        "scored": len(scored),
        "duplicates": int(is_so.sum()),
        "found": found,
        "rows": rows,
    }


def summary(errors: Mapping) -> str:
    """Return a sentence with the number of errors of each kind."""
    missed, false, scored = errors["found"][MISSED], errors["found"][FALSE], errors["scored"]
    return (
        f"At a threshold of {errors['threshold']:.4f}, {missed} of {errors['duplicates']} duplicates are missed "
        f"({missed / scored:.1%} of all {scored} pairs) and {false} of {scored - errors['duplicates']} non-duplicates "
        f"are false alarms ({false / scored:.1%}). The worst of each:"
    )


def markdown(errors: Mapping) -> list[str]:
    lines = []
    for kind, meaning in KINDS.items():
        rows = [
            {
                "score": f"{row['score']:.4f}",
                "sentence 1": markdown_text(row["sentence1"]),
                "sentence 2": markdown_text(row["sentence2"]),
            }
            for row in errors["rows"]
            if row["error"] == kind
        ]
        lines += [
            "",
            f"## {kind.capitalize()}: {meaning}",
            "",
            frames.markdown(pd.DataFrame(rows)) if rows else "None.",
        ]
    return lines


def lines(errors: Mapping) -> list[dict]:
    """Return one row per error, for CSV."""
    return errors["rows"]
