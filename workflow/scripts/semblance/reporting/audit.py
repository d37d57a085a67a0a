"""The audit: every printed number that the paper's own arithmetic contradicts, in Markdown, CSV and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from semblance.evaluation import audit
from semblance.evaluation.specs import digits_of, one_cell
from semblance.files import csv_text, write_json, write_text

COLUMNS = ("paper", "source", "row", "column", "check", "printed", "gives", "out_of", "digits")
KINDS = {audit.MEAN: "means", audit.F1: "F1 scores", audit.SHARE: "shares"}
SAYS = {
    audit.MEAN: "the printed numbers it is the mean of give {gives}",
    audit.F1: "the printed precision and recall give {gives}",
    audit.SHARE: "no whole number of {out_of:,} is such a share; the nearest is {gives}",
}
HOW_TO_READ = (
    "Checked were printed numbers against printed numbers, none of ours: means against what they are of, F1 against "
    "its precision and recall, shares against the count they are of. Each may have been rounded by half a unit of its "
    "last digit. A share is of one run: a mean of several, of which a paper says nothing, need not be a whole number."
)


def build(papers: Mapping[str, Mapping[str, Mapping]]) -> dict:
    """Check every number printed in the `papers`' tables; a table shown twice is checked once.

    The result counts the checks by kind and lists those that fail.
    """
    made = {}
    for paper, tables in papers.items():
        for table in tables.values():
            for row, column in ((row, column) for row in table["rows"] for column in table["columns"]):
                digits = digits_of(table, one_cell(table, table["rows"][row], table["columns"][column]))
                for check in audit.checks(table, row, column, digits):
                    told = {"paper": paper, "source": table["source"], "row": row, "column": column, "digits": digits}
                    made.setdefault((paper, row, column, check), told)
    failed = [
        told | {"check": check.kind, "printed": check.printed, "gives": check.gives, "out_of": check.out_of}
        for (*_, check), told in made.items()
        if not check.holds
    ]
    return {"checks": dict(Counter(check.kind for *_, check in made)), "failed": failed}


def write(audited: Mapping, outputs) -> None:
    """Write the audit to `outputs`, which has the paths md, csv and json."""
    write_text(outputs.md, markdown(audited))
    write_text(outputs.csv, csv_text(COLUMNS, audited["failed"]))
    write_json(outputs.json, audited)


def markdown(audited: Mapping) -> str:
    lines = ["# What cannot be right as printed", "", f"{summary(audited)}\n"]
    lines += ["| paper | where | number | printed | its own arithmetic |", "|---|---|---|---|---|"]
    for wrong in audited["failed"]:
        number = f"{wrong['row']}, {wrong['column']}".replace("|", "\\|")
        printed = f"{wrong['printed']:.{wrong['digits']}f}"
        lines.append(f"| {wrong['paper']} | {wrong['source']} | {number} | {printed} | {says(wrong)} |")
    return "\n".join([*lines, "", f"{HOW_TO_READ}\n"])


def summary(audited: Mapping) -> str:
    """How much was checked and how much of it fails, in one sentence."""
    wrong = Counter(failed["check"] for failed in audited["failed"])
    told = ", ".join(f"{wrong[kind]} of {count} {KINDS[kind]}" for kind, count in audited["checks"].items())
    return f"Of {sum(audited['checks'].values())} checks {len(audited['failed'])} fail: {told}."


def says(wrong: Mapping) -> str:
    """What the paper's other numbers say of one that fails."""
    # Half a unit up, as a reader rounds.
    gives = f"{wrong['gives'] + 1e-9:.{wrong['digits']}f}"
    return SAYS[wrong["check"]].format(gives=gives, out_of=wrong["out_of"])
