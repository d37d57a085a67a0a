"""Every example of a small split, by group, with what each of some runs answers and whether that is right."""

from __future__ import annotations

from collections.abc import Mapping

from semblance.evaluation.cells import rows_and_cuts
from semblance.evaluation.evidence import Evidence
from semblance.files import markdown_text

RIGHT, WRONG = "✓", "✗"


def build(spec: Mapping, evidence: Evidence) -> dict:
    """The examples of `on`, and of each of the `runs` its cut, and the first seed's score and answer of every one."""
    pairs = evidence.pairs(spec["on"])
    rows = [
        {"id": n, "group": group, "sentence1": one, "sentence2": other, "same": bool(same), "answers": {}}
        for n, group, one, other, same in zip(
            pairs.id, pairs.group, pairs.sentence1, pairs.sentence2, pairs.targets > 0.5, strict=True
        )
    ]
    cuts, count = {}, 0
    for title, run in spec["runs"].items():
        seeds, (cuts[title], *_) = rows_and_cuts({**spec, "run": run}, evidence)
        count = max(count, len(seeds))
        for row, score in zip(rows, seeds[0].score, strict=True):
            row["answers"][title] = {"score": float(score), "right": bool((score >= cuts[title]) == row["same"])}
    return {"on": spec["on"], "seeds": count, "cuts": cuts, "rows": rows}


def summary(listed: Mapping) -> str:
    """How many each run gets right, and at which cut."""
    right = {title: sum(row["answers"][title]["right"] for row in listed["rows"]) for title in listed["cuts"]}
    told = [f"{title} {right[title]} (at a cut of {cut:.4f})" for title, cut in listed["cuts"].items()]
    return f"Right of {len(listed['rows'])}: {', '.join(told)}. {RIGHT} right, {WRONG} wrong, with the score."


def told(answer: Mapping) -> str:
    """An answer as a reader sees it."""
    return f"{RIGHT if answer['right'] else WRONG} {answer['score']:.3f}"


def markdown(listed: Mapping) -> list[str]:
    titles = list(listed["cuts"])
    lines = ["", "| " + " | ".join(["type", "one", "the other", "the same?", *titles]) + " |"]
    lines.append("|" + "---|" * (4 + len(titles)))
    for row in listed["rows"]:
        cells = [row["group"] or "", markdown_text(row["sentence1"]), markdown_text(row["sentence2"])]
        cells += ["yes" if row["same"] else "no", *(told(row["answers"][title]) for title in titles)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def lines(listed: Mapping) -> list[dict]:
    """One line an example, as CSV has it."""
    return [
        {key: row[key] for key in ("id", "group", "sentence1", "sentence2", "same")}
        | {f"{title}, {key}": answer[key] for title, answer in row["answers"].items() for key in ("score", "right")}
        for row in listed["rows"]
    ]
