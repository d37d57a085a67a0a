"""List of all examples of a small split, with the answers of several runs and whether they are correct."""

from collections.abc import Mapping

import pandas as pd

from semblance.reporting import frames

RIGHT, WRONG = "✓", "✗"


def summary(listed: Mapping) -> str:
    """Return a sentence with each run's number of correct answers and threshold."""
    right = {title: sum(row["answers"][title]["right"] for row in listed["rows"]) for title in listed["thresholds"]}
    counts = [
        f"{title} {right[title]} (threshold {threshold:.4f})" for title, threshold in listed["thresholds"].items()
    ]
    return f"Correct of {len(listed['rows'])}: {', '.join(counts)}. {RIGHT} correct, {WRONG} wrong, with the score."


def text(answer: Mapping) -> str:
    """Return an answer as text: whether it is correct, and the score."""
    return f"{RIGHT if answer['right'] else WRONG} {answer['score']:.3f}"


def markdown(listed: Mapping) -> list[str]:
    rows = [
        {
            "type": row["group"] or "",
            "sentence 1": frames.escaped(row["sentence1"]),
            "sentence 2": frames.escaped(row["sentence2"]),
            "equivalent": "yes" if row["same"] else "no",
        }
        | {title: text(row["answers"][title]) for title in listed["thresholds"]}
        for row in listed["rows"]
    ]
    return ["", frames.markdown(pd.DataFrame(rows))]


def lines(listed: Mapping) -> list[dict]:
    """Return one row per example, for CSV."""
    return [
        {key: row[key] for key in ("id", "group", "sentence1", "sentence2", "same")}
        | {f"{title}, {key}": answer[key] for title, answer in row["answers"].items() for key in ("score", "right")}
        for row in listed["rows"]
    ]
