"""List of the worst errors of a run, with their sentences."""

from collections.abc import Mapping

import pandas as pd

from semblance.evaluation.lists import FALSE, MISSED
from semblance.reporting import frames

KINDS = {MISSED: "duplicates scored below the threshold", FALSE: "non-duplicates scored above it"}


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
                "sentence 1": frames.escaped(row["sentence1"]),
                "sentence 2": frames.escaped(row["sentence2"]),
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
