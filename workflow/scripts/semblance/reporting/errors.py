"""A list of a run's worst errors, with their texts: in Markdown, CSV and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

import numpy as np

from semblance.evaluation.cells import rows_and_cuts
from semblance.evaluation.evidence import Evidence
from semblance.files import write_json, write_text

MISSED, FALSE = "missed", "false alarm"
KINDS = {MISSED: "duplicates scored below the cut", FALSE: "others scored above it"}


def build(spec: Mapping, evidence: Evidence) -> dict:
    """The `count` false negatives and false positives of a run that lie furthest from its cut, first seed.

    The result has caption, source, note, the cut, how many rows and errors of each kind there are, and
    rows of kind, id, score, sentence1 and sentence2, the worst first.
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
                "kind": kind,
                "id": pairs.id[row],
                "score": float(scored.score[row]),
                "sentence1": pairs.sentence1[row],
                "sentence2": pairs.sentence2[row],
            }
            for row in worst
        ]
    return {
        "caption": spec["caption"],
        "source": spec["source"],
        "note": spec.get("note", ""),
        "run": spec["run"],
        "on": spec["on"],
        "cut": cut,
        "scored": len(scored),
        "duplicates": int(is_so.sum()),
        "found": found,
        "rows": rows,
    }


def write(errors: Mapping, outputs) -> None:
    """Write a built list to `outputs`, which has the paths md, csv and json."""
    write_text(outputs.md, markdown(errors))
    write_text(outputs.csv, as_csv(errors))
    write_json(outputs.json, errors)


def counts(errors: Mapping) -> str:
    """How many errors there are, of how many."""
    missed, false, scored = errors["found"][MISSED], errors["found"][FALSE], errors["scored"]
    return (
        f"At a cut of {errors['cut']:.4f}, {missed} of {errors['duplicates']} duplicates are missed "
        f"({missed / scored:.1%} of all {scored} pairs) and {false} of {scored - errors['duplicates']} others are "
        f"false alarms ({false / scored:.1%}). The worst of each:"
    )


def markdown(errors: Mapping) -> str:
    lines = [f"# {errors['source']}: {errors['caption']}", "", counts(errors)]
    for kind, meaning in KINDS.items():
        lines += ["", f"## {kind.capitalize()}: {meaning}", "", "| score | one | the other |", "|---|---|---|"]
        rows = [row for row in errors["rows"] if row["kind"] == kind]
        lines += [f"| {r['score']:.4f} | {_cell(r['sentence1'])} | {_cell(r['sentence2'])} |" for r in rows]
    notes = [note for note in (errors["note"], errors["about"]) if note]
    return "\n".join([*lines, "", *[f"{note}\n" for note in notes]])


def as_csv(errors: Mapping) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, ("kind", "id", "score", "sentence1", "sentence2"), lineterminator="\n")
    writer.writeheader()
    writer.writerows(errors["rows"])
    return out.getvalue()


def _cell(text: str) -> str:
    """A stranger's text in a Markdown table: shown, never read as markup."""
    text = " ".join(text.split())
    for character in "\\`*_{}[]<>#|$":
        text = text.replace(character, f"\\{character}")
    return text
