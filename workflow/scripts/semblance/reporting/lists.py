"""Lists of examples with the answers of runs, in Markdown, CSV and JSON."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from semblance import findings
from semblance.files import write_text
from semblance.findings import Answer, MeasuredList
from semblance.reporting import frames

RIGHT, WRONG = "✓", "✗"


def write(listed: MeasuredList, provenance: Mapping, outputs: Any) -> None:
    """Write a list and its provenance to `outputs`, which has the paths md, csv and json."""
    write_text(outputs.md, markdown(listed))
    write_text(outputs.csv, as_csv(listed))
    findings.write(outputs.json, listed, provenance)


def summary(listed: MeasuredList) -> str:
    """Return the paragraph above the list: the errors of each run."""
    seeds = f"First of {listed.seeds} seeds. " if listed.seeds > 1 else ""
    runs = [
        f"{title} (threshold {run.threshold:.4f}) misses {_of(run.missed, listed.same, run.missed_share)} equivalent "
        f"pairs and accepts {_of(run.accepted, listed.different, run.accepted_share)} others."
        for title, run in listed.runs.items()
    ]
    worst = f" Below are the worst {listed.worst} of each kind." if listed.worst else ""
    return f"{seeds}{' '.join(runs)} {RIGHT} correct, {WRONG} wrong, with the score.{worst}"


def _of(count: int, of: int, share: float | None) -> str:
    return "none of no" if share is None else f"{count} of {of} ({share:.1%})"


def text(answer: Answer) -> str:
    """Return an answer as text: whether it is correct, and the score."""
    return f"{RIGHT if answer.right else WRONG} {answer.score:.3f}"


def markdown(listed: MeasuredList) -> str:
    """Return a list as Markdown: its rows, then its notes."""
    columns = ["type", "sentence 1", "sentence 2", "equivalent", *listed.runs]
    rows = [
        [
            row.group or "",
            frames.escaped(row.sentence1),
            frames.escaped(row.sentence2),
            "yes" if row.same else "no",
            *(text(row.answers[title]) for title in listed.runs),
        ]
        for row in listed.rows
    ]
    title = [f"# {listed.source}: {listed.caption}", "", summary(listed), ""]
    notes = [f"{note}\n" for note in (listed.note, listed.about) if note]
    return "\n".join([*title, frames.markdown(pd.DataFrame(rows, columns=columns)), "", *notes])


def as_csv(listed: MeasuredList) -> str:
    """Return the list with one row per example."""
    rows = [
        {key: getattr(row, key) for key in ("id", "group", "sentence1", "sentence2", "same")}
        | {f"{title}, {key}": value for title, answer in row.answers.items() for key, value in vars(answer).items()}
        for row in listed.rows
    ]
    return frames.csv(pd.DataFrame(rows))
