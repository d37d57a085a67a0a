"""A paper's claims with their verdicts, in Markdown, CSV and JSON."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from semblance import findings
from semblance.evaluation import counts, effects
from semblance.files import write_text
from semblance.findings import JudgedClaim, JudgedClaims
from semblance.reporting import frames
from semblance.reporting.notes import CHOSEN_MARK, LEAK_MARK, ONE_SEED_NOTE
from semblance.vocabulary import DECIDED, Unit, Verdict

LIMIT = 0.3  # at which the axis of effects ends, for differences of scores
SHOWN = 3  # number of untrained runs that a claim names, and of decided parts
HOW_TO_JUDGE = (
    "The effect is the difference in the mean metric between the models claimed to be better and the others, on the "
    "same examples and seeds. By itself, a claim is supported if the 95% interval of its effect lies above 0, and "
    "refuted if it lies below, also for a claim that a score falls. A claim of equality is supported if the interval "
    "lies within the stated margin. A claim about a model that did not learn is inconclusive. Effects on times, memory "
    "and counts are factors; above 1, they favour the claim. Numbers of examples or seeds needed are estimates from "
    "this effect. "
    "docs/results.md explains verdicts and their other rules (section Claims)."
)
LEAK_NOTE = f"{LEAK_MARK} The compared rows also tuned a threshold, as in the paper."
CHOSEN_NOTE = f"{CHOSEN_MARK} The compared rows also selected an epoch or a stage of a compared run, as in the paper."
CHOICE_NOTE = (
    "After a choice on a split, a side with several runs has the one whose mean over seeds of the claim's metric is "
    "best there. Intervals do not account for this choice."
)
FDR_NOTE = (
    "Among {among} claims, chance decides some, so verdicts are given at a false discovery rate of 5% (Benjamini and "
    "Hochberg 1995). Decided by their intervals alone: {by_themselves}; at this rate: {decided}."
)


def write(judged: JudgedClaims, provenance: Mapping, outputs: Any) -> None:
    """Write judged claims and their provenance to `outputs`, which has the paths md, csv and json."""
    write_text(outputs.md, markdown(judged))
    write_text(outputs.csv, frames.csv(frame(judged.claims)))
    findings.write(outputs.json, judged, provenance)


def frame(claims: Sequence[JudgedClaim]) -> pd.DataFrame:
    """Return judged claims with one row per claim."""
    runs = ("better", "than", "not_trained")
    return pd.DataFrame(
        [
            {**vars(claim), "each_seed": verdicts_by_seed(claim)} | {key: " ".join(getattr(claim, key)) for key in runs}
            for claim in claims
        ]
    )


def markdown(judged: JudgedClaims) -> str:
    """Return judged claims as a Markdown page with summaries and notes."""
    several = of_several_seeds(judged.claims)
    rows = [
        {
            "claim": claim.statement + chosen(claim) + marks(claim),
            "source": claim.source,
            "verdict": f"**{claim.verdict}**{reason(claim)}",
            "effect": effect(claim),
        }
        | ({"single seeds": verdicts_by_seed(claim)} if several else {})
        for claim in judged.claims
    ]
    parts = [f"# Claims of {judged.paper}", *summaries(judged), frames.markdown(pd.DataFrame(rows))]
    return "\n\n".join([*parts, *how_to_read(judged.claims), judged.about]) + "\n"


def marks(claim: JudgedClaim) -> str:
    """Return the marks after a statement: † if scored rows tuned a threshold, § if they selected a run, ‡ and why."""
    tuned = f" {LEAK_MARK}" if claim.threshold_tuned_on_scored_rows else ""
    chosen = f" {CHOSEN_MARK}" if claim.selected_on_scored_rows else ""
    return tuned + chosen + (f" ‡ {claim.contradicted}" if claim.contradicted else "")


def chosen(claim: JudgedClaim) -> str:
    """Return which runs are compared, in parentheses, if they were chosen on another split."""
    sides = [", ".join(side) for side in (claim.better, claim.than) if side]
    return f" ({' against '.join(sides)}, after a choice on {claim.chosen_on})" if claim.chosen_on else ""


def how_to_read(claims: Sequence[JudgedClaim]) -> list[str]:
    """Return the notes that explain effects, verdicts and marks, and how many verdicts depend on the seed."""
    notes = [HOW_TO_JUDGE, *_fdr(claims)]
    notes += [LEAK_NOTE] if any(claim.threshold_tuned_on_scored_rows for claim in claims) else []
    notes += [CHOSEN_NOTE] if any(claim.selected_on_scored_rows for claim in claims) else []
    notes += [CHOICE_NOTE] if any(claim.chosen_on for claim in claims) else []
    notes += [ONE_SEED_NOTE] if any(claim.single_seed for claim in claims) else []
    if several := of_several_seeds(claims):
        seeds, turn = max(claim.seeds for claim in several), counts.changing(several)
        notes.append(f"Verdicts that change between single seeds: {turn} of {len(several)} with {seeds} seeds.")
    return notes


def _fdr(claims: Sequence[JudgedClaim]) -> list[str]:
    """Return the note on how many verdicts remain when the false discovery rate is controlled."""
    found = counts.discoveries(claims)
    return [FDR_NOTE.format(**vars(found))] if found.by_themselves and found.among > 1 else []


def of_several_seeds(claims: Sequence[JudgedClaim]) -> list[JudgedClaim]:
    """Return the claims of which each seed alone is judged as well."""
    return [claim for claim in claims if claim.each_seed]


def verdicts_by_seed(claim: JudgedClaim) -> str:
    """Count the verdicts that each seed alone gives."""
    counted = Counter(one.verdict for one in claim.each_seed)
    return ", ".join(f"{verdict} {counted[verdict]}" for verdict in Verdict if verdict in counted)


def effect(claim: JudgedClaim) -> str:
    """Return the measured effect and its interval as text; those on times, memory and counts as factors."""
    if claim.verdict == Verdict.OTHER_MACHINE:
        return f"{claim.metric} not compared"
    if claim.effect is None:
        return f"undefined {claim.metric}"
    if claim.unit == Unit.OF_PAIRS:
        what = f"of the comparisons won, by {claim.metric}"
    else:
        what = "mean of the scores" if claim.unit == Unit.OVERALL else claim.metric
    interval = effects.shown_interval(claim)
    if not interval:
        several = "too few examples differ" if claim.clusters > 1 else "all examples form one cluster"
        why = several if claim.examples else "measured once"
        return f"{_size(claim, claim.effect)} {what}, no interval: {why}"
    margin = f", margin ±{claim.within:g}" if claim.within else ""
    low, high = (_formatted(claim, end) for end in interval)
    return f"{_size(claim, claim.effect)} [{low}, {high}] {what}{margin}"


def _size(claim: JudgedClaim, effect: float) -> str:
    """Return an effect of the claim as text, in the unit in which it is shown."""
    return _formatted(claim, effects.shown(claim, effect))


def _formatted(claim: JudgedClaim, shown: float) -> str:
    if claim.unit == Unit.OF_PAIRS:
        return f"{shown:.0%}"
    if claim.unit == Unit.RELATIVE:
        return f"{shown:.2f}×".replace("inf", "∞")
    return f"{shown:+.3f}"


def reason(claim: JudgedClaim) -> str:
    """Return why a claim is inconclusive, or what would decide it."""
    if claim.not_trained:
        shown, more = claim.not_trained[:SHOWN], len(claim.not_trained) - SHOWN
        return f" (did not learn: {', '.join(shown)}{f' and {more} more' if more > 0 else ''})"
    if claim.is_decided_only_by_itself:
        return f" ({claim.by_itself} by itself, but not at a false discovery rate of 5%)"
    if claim.limited_by_seeds:
        each = ", ".join(_size(claim, one.effect) for one in claim.each_seed if one.effect is not None)
        hint = f"; about {claim.seeds_needed} seeds needed" if claim.seeds_needed else ""
        return f" (seeds: {each}{hint})"
    wanted, examples, clusters = claim.examples_needed, claim.examples, claim.clusters
    if not wanted:
        return ""
    if clusters == examples:
        return f" (about {wanted:,} examples needed, {examples:,} available)"
    needed = effects.clusters_needed(claim)
    return f" (about {wanted:,} examples in {needed:,} clusters needed, {examples:,} in {clusters:,} available)"


def answer(claims: Sequence[JudgedClaim]) -> str:
    """Return in a sentence what the claims that answer a question say."""
    found, several = counts.by_verdict(claims), len(claims)
    words = {Verdict.SUPPORTED: "Yes", Verdict.REFUTED: "No", Verdict.INCONCLUSIVE: "Open"}
    mixed = "In part" if found[Verdict.SUPPORTED] else "Not shown"
    word = next((words[verdict] for verdict, count in found.items() if count == several), mixed)
    counted = ", ".join(f"{count} {verdict}" for verdict, count in found.items() if count)
    return f"{word}: of {several} main claim{'s' * (several > 1)}, {counted}."


def summaries(judged: JudgedClaims) -> list[str]:
    """Summarise the claims that have parts, one paragraph each."""
    by_name = {claim.claim: claim for claim in judged.claims}
    parts = {name: {part: c for part, c in by_name.items() if c.part_of == name} for name in by_name}
    return [summary(by_name[name], found) for name, found in parts.items() if found]


def summary(whole: JudgedClaim, parts: Mapping[str, JudgedClaim]) -> str:
    """Summarise a claim and its parts in one paragraph.

    Decided parts are named if there are at most `SHOWN` of a kind; all others are counted.
    """
    notes = []
    for verdict in Verdict:
        found = {name: claim for name, claim in parts.items() if claim.verdict == verdict}
        if not found:
            continue
        named = verdict in DECIDED and len(found) <= SHOWN
        which = ", ".join(_part(*one) for one in found.items()) if named else _counted(list(found.values()), len(parts))
        notes.append(f"it is {_in_words(verdict)} for {which}")
    by_part = f" By part, {'; '.join(notes)}." if notes else ""
    return f"{whole.statement} This is {_in_words(whole.verdict)}: {effect(whole)}{reason(whole)}.{by_part}"


def _counted(claims: Sequence[JudgedClaim], of: int) -> str:
    """Return the number of these claims, and from where to where their effects go."""
    known = sorted((claim for claim in claims if claim.effect is not None), key=lambda claim: claim.effect or 0.0)
    ends = list(dict.fromkeys(_size(claim, claim.effect) for claim in (*known[:1], *known[-1:])))  # type: ignore[arg-type]
    return f"{len(claims)} of {of}" + (f" (effect{'s'[: len(ends) - 1]} {' to '.join(ends)})" if ends else "")


def _in_words(verdict: str) -> str:
    kind, _, why = verdict.partition(": ")
    return f"{kind} ({why})" if why else kind


def _part(name: str, claim: JudgedClaim) -> str:
    size = "undefined" if claim.effect is None else _size(claim, claim.effect)
    return f"{name.replace('-', ' ')} ({size})"
