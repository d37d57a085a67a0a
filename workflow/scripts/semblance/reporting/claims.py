"""A paper's claims with their verdicts, in Markdown, CSV and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from semblance.evaluation.claims import FAILS, HOLDS, UNDECIDED, judge
from semblance.evaluation.evidence import Evidence
from semblance.files import csv_text, write_json, write_text
from semblance.progress import bar

COLUMNS = (
    "claim",
    "source",
    "verdict",
    "effect",
    "low",
    "high",
    "metric",
    "examples",
    "seeds",
    "examples_to_settle",
    "says",
)
WORDS = {HOLDS: "holds", FAILS: "does not hold", UNDECIDED: "cannot be told at this size"}
HOW_TO_READ = (
    "The effect is the mean metric of what is said to be better, less that of what it is better than (the best of it, "
    "where the claim is to be the best), on the same examples and seeds. A claim holds when its 95% interval lies "
    "above 0, and does not when it lies below. How many examples would settle another is a guess from this effect."
)


def build(claims: Mapping[str, Mapping], evidence: Evidence) -> dict:
    """Judge every claim of a paper."""
    return {"claims": [{"claim": n, **judge(c, evidence)} for n, c in bar(claims.items(), what="claims", unit="claim")]}


def write(judged: Mapping, outputs) -> None:
    """Write judged claims to `outputs`, which has the paths md, csv and json."""
    write_text(outputs.md, markdown(judged))
    write_text(outputs.csv, csv_text(COLUMNS, judged["claims"]))
    write_json(outputs.json, judged)


def markdown(judged: Mapping) -> str:
    lines = [f"# Claims of {judged['paper']}", "", "| claim | where | verdict | effect |", "|---|---|---|---|"]
    for claim in judged["claims"]:
        says = claim["says"].replace("|", "\\|")
        lines.append(f"| {says} | {claim['source']} | **{claim['verdict']}**{settled(claim)} | {effect(claim)} |")
    return "\n".join([*lines, "", f"{HOW_TO_READ}\n", f"{judged['about']}\n"])


def effect(claim: Mapping) -> str:
    """The measured difference as a reader sees it."""
    if claim["effect"] is None:
        return f"undefined {claim['metric']}"
    return f"{claim['effect']:+.3f} [{claim['low']:+.3f}, {claim['high']:+.3f}] {claim['metric']}"


def settled(claim: Mapping) -> str:
    """How many examples an undecided claim wants, where any number would do."""
    wanted = claim["examples_to_settle"]
    return f" (about {wanted:,} examples would, it has {claim['examples']:,})" if wanted else ""


def paragraph(claims: Sequence[Mapping]) -> str:
    """What the first claim comes to, and the others, which are the same of its parts, by their names."""
    whole, *parts = claims
    told = []
    for verdict, words in WORDS.items():
        found = [_part(claim) for claim in parts if claim["verdict"] == verdict]
        told += [f"it {words} of {', '.join(found)}"] if found else []
    by_part = f" By part, {'; '.join(told)}." if told else ""
    return f"{whole['says']} This {WORDS[whole['verdict']]}: {effect(whole)}.{by_part}"


def _part(claim: Mapping) -> str:
    size = "undefined" if claim["effect"] is None else f"{claim['effect']:+.3f}"
    return f"{claim['claim'].replace('-', ' ')} ({size})"
