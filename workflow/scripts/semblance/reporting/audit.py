"""The audit of published numbers that contradict the paper's own arithmetic, in Markdown, CSV and JSON."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pandas as pd

from semblance.contradictions import Audit, Contradiction
from semblance.evaluation import audit
from semblance.files import write_json, write_text
from semblance.reporting import frames

COLUMNS = ["paper", "source", "row", "column", "check", "printed", "gives", "out_of", "digits"]
KINDS = {
    audit.MEAN: "means",
    audit.F1: "F1 scores",
    audit.SHARE: "shares",
    audit.SUM: "sums",
    audit.ALWAYS: "F1 scores against calling all positive",
    audit.MAJORITY: "accuracies against the majority class",
}
CONTRADICTIONS = {
    audit.MEAN: "the mean of the printed numbers is {gives}",
    audit.F1: "the printed precision and recall give {gives}",
    audit.SUM: "the printed parts add up to {gives}",
    audit.ALWAYS: "always predicting the positive class gives {gives}, so this threshold does not maximise F1",
    audit.MAJORITY: "always predicting one class gives {gives}, so this threshold does not maximise accuracy",
    audit.SHARE: "no whole number out of {out_of:,} gives this share; the nearest share is {gives}",
}
HOW_TO_READ = (
    "The audit compares printed numbers with each other and uses none of ours. Each number may be rounded by half a "
    "unit of its last digit. Names of rows and columns are those of our tables."
)
ASSUMED = (
    "These numbers contradict others only if they were made as we assume. Shares are those of one run on all examples; "
    "the mean of several runs need not be a whole number of examples. Thresholds maximise the score that is printed; "
    "the paper does not say which score its thresholds maximise."
)


def write(audited: Audit, outputs: Any) -> None:
    """Write the audit to `outputs`, which has the paths md, csv and json."""
    write_text(outputs.md, markdown(audited))
    write_text(outputs.csv, frames.csv(frame(audited)))
    write_json(outputs.json, asdict(audited))


def frame(audited: Audit) -> pd.DataFrame:
    """Return the checks that fail, one row each."""
    failed = pd.DataFrame(map(asdict, audited.failed), columns=COLUMNS)
    return failed.astype({"out_of": "Int64", "digits": "Int64"})


def markdown(audited: Audit) -> str:
    """Return the audit as a Markdown page."""
    certain = [wrong for wrong in audited.failed if wrong.check in audit.CERTAIN]
    assumed = [wrong for wrong in audited.failed if wrong.check not in audit.CERTAIN]
    parts = ["# Contradictions in print", HOW_TO_READ, summary(audited)]
    parts += ["## By the printed numbers alone", _table(certain)] if certain else []
    parts += ["## By an assumption", ASSUMED, _table(assumed)] if assumed else []
    return "\n\n".join(parts) + "\n"


def _table(failed: Sequence[Contradiction]) -> str:
    rows = [
        {
            "paper": wrong.paper,
            "source": wrong.source,
            "number": f"{wrong.row}, {wrong.column}",
            "printed": f"{wrong.printed:.{wrong.digits}f}",
            "but": contradiction(wrong),
        }
        for wrong in failed
    ]
    return frames.markdown(pd.DataFrame(rows))


def summary(audited: Audit) -> str:
    """Return a sentence with the number of checks and of failed checks, by kind."""
    if not audited.checks:
        return "No printed number can be checked against others."
    wrong = Counter(failed.check for failed in audited.failed)
    counts = ", ".join(f"{wrong[kind]} of {count} {KINDS[kind]}" for kind, count in audited.checks.items())
    return f"{len(audited.failed)} of {sum(audited.checks.values())} checks fail: {counts}."


def contradiction(wrong: Contradiction) -> str:
    """Return what the paper's other numbers imply for a number whose check fails."""
    return implied(wrong.check, rounded(wrong.gives, wrong.digits), wrong.out_of)


def implied(check: str, gives: str, out_of: int | None) -> str:
    """Return in words what other published numbers imply; `gives` is one number or several, as text."""
    return CONTRADICTIONS[check].format(gives=gives, out_of=out_of)


def rounded(gives: float, digits: int) -> str:
    """Return a number with so many digits, rounding halves up."""
    return f"{gives + 1e-9:.{digits}f}"
