"""A paper's claims with their verdicts, in Markdown, CSV and JSON."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from semblance.evaluation.claims import FAILS, HOLDS, NOT_TRAINED, UNDECIDED, compare, judge
from semblance.evaluation.evidence import Evidence
from semblance.evaluation.intervals import ONE_SEED_NOTE
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
    "stands_among_all",
    "examples",
    "clusters",
    "seeds",
    "each_seed",
    "hangs_on_seeds",
    "seeds_to_settle",
    "examples_to_settle",
    "unlearned",
    "says",
)
SHOWN = 3  # runs that a claim names
WORDS = {
    HOLDS: "holds",
    FAILS: "does not hold",
    UNDECIDED: "cannot be told at this size",
    NOT_TRAINED: "is inconclusive (not trained enough)",
}
ALONE = {HOLDS: "holds", FAILS: "does not", UNDECIDED: "cannot tell"}
HOW_TO_JUDGE = (
    "The effect is the mean metric of what is said to be better, less that of what it is better than (the best of it, "
    "where the claim is to be the best), on the same examples and seeds. A claim holds when its 95% interval lies "
    "above 0, and does not when it lies below. Where a run that it compares is no better than the majority, it is "
    "inconclusive. How many examples or seeds would settle another is a guess from this effect."
)
AMONG_ALL = (
    "Of {} asked at once chance would decide some; kept to 5% of what is decided (Benjamini and Hochberg 1995), that "
    "leaves {} of {}."
)


def build(claims: Mapping[str, Mapping], evidence: Evidence) -> dict:
    """Judge every claim of a paper, and sum up those that have parts."""
    named = bar(claims.items(), what="claims", unit="claim")
    judged = judge({name: compare(claim, evidence) for name, claim in named})
    parts = {name: [part for part, claim in claims.items() if claim.get("part_of") == name] for name in claims}
    return {
        "summaries": [
            summary(judged[name], {part: judged[part] for part in found}) for name, found in parts.items() if found
        ],
        "claims": [{"claim": name, **found} for name, found in judged.items()],
    }


def write(judged: Mapping, outputs) -> None:
    """Write judged claims to `outputs`, which has the paths md, csv and json."""
    write_text(outputs.md, markdown(judged))
    write_text(outputs.csv, csv_text(COLUMNS, [_as_line(claim) for claim in judged["claims"]]))
    write_json(outputs.json, judged)


def _as_line(claim: Mapping) -> dict:
    return {**claim, "each_seed": alone(claim), "unlearned": " ".join(claim["unlearned"])}


def markdown(judged: Mapping) -> str:
    lines = [f"# Claims of {judged['paper']}", ""]
    lines += [line for told in judged["summaries"] for line in (told, "")]
    several = of_several_seeds(judged["claims"])
    header = ["claim", "where", "verdict", "effect", *(["each seed alone"] if several else [])]
    rows = [header, ["---"] * len(header)]
    for claim in judged["claims"]:
        says, verdict = claim["says"].replace("|", "\\|"), f"**{claim['verdict']}**{settled(claim)}"
        rows.append([says, claim["source"], verdict, effect(claim), *([alone(claim)] if several else [])])
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", f"{how_to_read(judged['claims'])}\n", f"{judged['about']}\n"])


def how_to_read(claims: Sequence[Mapping]) -> str:
    """What verdicts and effects mean, and how much they hang on the seed."""
    told = [HOW_TO_JUDGE, *_among_all(claims)]
    told += [ONE_SEED_NOTE] if any(claim["of_one_seed"] for claim in claims) else []
    if several := of_several_seeds(claims):
        differ = sum(len({one["verdict"] for one in claim["each_seed"]}) > 1 for claim in several)
        seeds = max(claim["seeds"] for claim in several)
        told.append(f"Of {len(several)} claims of {seeds} seeds, {differ} have another verdict by another seed alone.")
    return " ".join(told)


def _among_all(claims: Sequence[Mapping]) -> list[str]:
    """Whether what is decided stands where so many claims are judged at once."""
    decided = [claim for claim in claims if claim["stands_among_all"] is not None]
    if not decided or len(claims) < 2:
        return []
    stand = sum(claim["stands_among_all"] for claim in decided)
    asked = sum(not claim["unlearned"] for claim in claims)
    return [AMONG_ALL.format(asked, stand, len(decided))]


def of_several_seeds(claims: Sequence[Mapping]) -> list[Mapping]:
    return [claim for claim in claims if claim["each_seed"]]


def alone(claim: Mapping) -> str:
    """How many of its seeds would have had which verdict, each by itself."""
    counted = Counter(one["verdict"] for one in claim["each_seed"])
    return ", ".join(f"{words} {counted[verdict]}" for verdict, words in ALONE.items() if verdict in counted)


def effect(claim: Mapping) -> str:
    """The measured difference as a reader sees it."""
    if claim["effect"] is None:
        return f"undefined {claim['metric']}"
    if claim["low"] is None:
        return f"{claim['effect']:+.3f} {claim['metric']}, no interval: all its examples share sentences"
    return f"{claim['effect']:+.3f} [{claim['low']:+.3f}, {claim['high']:+.3f}] {claim['metric']}"


def settled(claim: Mapping) -> str:
    """What keeps an undecided claim so: two sides that are one, seeds that differ, or too few examples.

    Of a decided one, that it would not be among all of its paper, if so.
    """
    if claim["unlearned"]:
        shown, more = claim["unlearned"][:SHOWN], len(claim["unlearned"]) - SHOWN
        return f" (no better than the majority: {', '.join(shown)}{f' and {more} more' if more > 0 else ''})"
    if claim["stands_among_all"] is False:
        return " (not among all)"
    if claim["effect"] == claim["low"] == claim["high"] == 0:
        return " (both sides score alike throughout)"  # one encoder in two places, where a preset has no other
    if claim["hangs_on_seeds"]:
        each = ", ".join(f"{one['effect']:+.3f}" for one in claim["each_seed"])
        wanted = f"; about {claim['seeds_to_settle']} would settle it" if claim["seeds_to_settle"] else ""
        return f" (its seeds differ by too much: {each}{wanted})"
    wanted, examples, clusters = (claim[key] for key in ("examples_to_settle", "examples", "clusters"))
    if not wanted:
        return ""
    if clusters == examples:
        return f" (about {wanted:,} examples would, it has {examples:,})"
    in_clusters = math.ceil(wanted * clusters / examples)
    return f" (about {wanted:,} examples in {in_clusters:,} clusters would, it has {examples:,} in {clusters:,})"


def summary(whole: Mapping, parts: Mapping[str, Mapping]) -> str:
    """What a claim comes to, and its parts by their names."""
    told = []
    for verdict, words in WORDS.items():
        found = [_part(name, claim) for name, claim in parts.items() if claim["verdict"] == verdict]
        told += [f"it {words} of {', '.join(found)}"] if found else []
    by_part = f" By part, {'; '.join(told)}." if told else ""
    return f"{whole['says']} This {WORDS[whole['verdict']]}: {effect(whole)}.{by_part}"


def _part(name: str, claim: Mapping) -> str:
    size = "undefined" if claim["effect"] is None else f"{claim['effect']:+.3f}"
    return f"{name.replace('-', ' ')} ({size})"
