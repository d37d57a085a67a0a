"""A run's worst errors, with their texts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from semblance.evaluation.cells import rows_and_cuts
from semblance.evaluation.evidence import Evidence
from semblance.files import markdown_text

MISSED, FALSE = "missed", "false alarm"
KINDS = {MISSED: "duplicates scored below the cut", FALSE: "others scored above it"}


def build(spec: Mapping, evidence: Evidence) -> dict:
    """The `count` false negatives and false positives of a run that lie furthest from its cut, first seed.

    The result has how many seeds there are, the cut, how many rows and errors of each kind, and rows of error, id,
    score, sentence1 and sentence2, the worst first.
    """
    seeds, cuts = rows_and_cuts(spec, evidence)
    scored, cut, pairs = seeds[0], cuts[0], evidence.pairs(spec["on"])
    said, is_so = scored.score >= cut, scored.target > 0.5
    rows, found = [], {}
    for kind, wrong in ((MISSED, ~said & is_so), (FALSE, said & ~is_so)):
        places = np.flatnonzero(wrong)
        found[kind] = len(places)
        worst = places[np.argsort(-np.abs(scored.score[places] - cut), kind="stable")][: spec["count"]]
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
        "cut": cut,
        "scored": len(scored),
        "duplicates": int(is_so.sum()),
        "found": found,
        "rows": rows,
    }


def summary(errors: Mapping) -> str:
    """How many errors there are, of how many."""
    missed, false, scored = errors["found"][MISSED], errors["found"][FALSE], errors["scored"]
    return (
        f"At a cut of {errors['cut']:.4f}, {missed} of {errors['duplicates']} duplicates are missed "
        f"({missed / scored:.1%} of all {scored} pairs) and {false} of {scored - errors['duplicates']} others are "
        f"false alarms ({false / scored:.1%}). The worst of each:"
    )


def markdown(errors: Mapping) -> list[str]:
    lines = []
    for kind, meaning in KINDS.items():
        lines += ["", f"## {kind.capitalize()}: {meaning}", "", "| score | one | the other |", "|---|---|---|"]
        rows = [row for row in errors["rows"] if row["error"] == kind]
        lines += [
            f"| {r['score']:.4f} | {markdown_text(r['sentence1'])} | {markdown_text(r['sentence2'])} |" for r in rows
        ]
    return lines


def lines(errors: Mapping) -> list[dict]:
    """One line an error, as CSV has it."""
    return errors["rows"]
