"""What the report shows, read from the rendered tables and claims, and from the facts of runs, corpora and encoders."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from markdown_it import MarkdownIt
from markupsafe import Markup

from semblance import findings
from semblance.contradictions import Audit
from semblance.evaluation import counts
from semblance.evaluation.learning import worst
from semblance.files import read_json
from semblance.findings import JudgedClaim, JudgedClaims, MeasuredList, MeasuredTable
from semblance.provenance import Ledger
from semblance.reporting import audit, claims, recipes
from semblance.reporting.notes import WORDS
from semblance.specs.cells import Headline, Place
from semblance.specs.content import Content, PaperContent
from semblance.specs.facts import RunFacts
from semblance.specs.resolved import recipes_from
from semblance.specs.typed import typed

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where libyaml is


def gathered(shown: Content, ledger: Ledger) -> dict:
    """Return everything that the page's templates need.

    Args:
        shown: paths of all parts of the report.
        ledger: checks that all parts come from one preset and the same versions.
    """
    audited = typed(Audit, read_json(shown.audit))
    deviations = _by_paper(Path(shown.deviations).read_text(encoding="utf-8"))
    papers = [_paper(paper, ledger, audited, deviations) for paper in shown.papers]
    return {
        "papers": papers,
        "totals": sum((paper["counts"] + paper["trained"] for paper in papers), Counter()),
        "audit": audited,
        "audit_summary": audit.summary(audited),
        "recipes": _recipes(Path(shown.recipes)),
        "scatter": shown.scatter,
        "datasets": {name: read_json(one.facts) for name, one in shown.datasets.items()},
        "citations": {name: one.citation for name, one in shown.datasets.items()},
        "encoders": {name: read_json(one.facts) for name, one in shown.encoders.items()},
        "stand_ins": {name: one.stands_in_for for name, one in shown.encoders.items()},
    }


def _paper(paper: PaperContent, ledger: Ledger, audited: Audit, deviations: Mapping[str, Markup]) -> dict:
    """Return a paper's content; `counts` are of claims and published numbers by verdict, `trained` of trained runs."""
    shown = [findings.parsed(ledger.rendered(path), MeasuredTable) for path in paper.tables]
    rendered = [findings.parsed(ledger.rendered(path), JudgedClaims) for path in paper.claims]
    listed = [findings.parsed(ledger.rendered(path), MeasuredList) for path in paper.lists]
    judged = [claim for found in rendered for claim in found.claims]
    learned = {run: findings.judgements(read_json(path), run) for run, path in paper.learned.items()}
    runs = {run: [read_json(facts) for facts in paths] for run, paths in paper.runs.items()}
    verdicts = {run: worst(found) for run, found in learned.items()}
    return {
        **vars(paper),
        "tables": shown,
        "claims": judged,
        "how_to_judge": claims.how_to_read(judged),
        "summaries": [summary for found in rendered for summary in claims.summaries(found)],
        "lists": listed,
        "runs": runs,
        "learned": learned,
        "doubtful": {run: _diverged(runs[run]) or WORDS[said] for run, said in verdicts.items() if said in WORDS},
        "trained": counts.of_runs([one for found in learned.values() for one in found]),
        "headline": _headline(paper.headline, shown, judged),
        "deviations": deviations.get(paper.name),
        "counts": counts.of_claims(judged) + counts.of_numbers(shown),
        "misprints": sum(wrong.paper == paper.name for wrong in audited.failed),
    }


def _diverged(facts: Sequence[RunFacts]) -> str:
    """Return after which step the loss of a run's first diverged seed was not finite; nothing if none diverged."""
    steps = [stage["diverged_after_step"] for one in facts for stage in one["stages"] if "diverged_after_step" in stage]
    return f"diverged after step {steps[0]}" if steps else ""


def _headline(spec: Headline | None, shown: Sequence[MeasuredTable], judged: Sequence[JudgedClaim]) -> dict | None:
    """Return a paper's main comparison: question, the claims that answer it, measure, cells by label, and table."""
    if not spec:
        return None
    by_name = {claim.claim: claim for claim in judged}
    cells = {
        Place(table.name, row.name, column): cell
        for table in shown
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
    }
    return {
        "question": spec.question,
        "measure": spec.measure,
        "answers": [by_name[name] for name in spec.claims],
        "cells": {label: cells[place] for label, place in spec.rows.items()},
        "table": next(f"{table.paper}-{table.name}" for table in shown if table.name == spec.table),
    }


def _recipes(file: Path) -> dict:
    """Return the recipes: `note`, `columns`, and `runs` by paper with a row of cells as HTML for each stage."""
    inline = MARKDOWN.renderInline
    runs = {
        paper: {
            run: [[Markup(inline(cell)) for cell in row[1:]] for row in recipes.rows(run, recipe)]
            for run, recipe in by_run.items()
        }
        for paper, by_run in recipes_from(yaml.load(file.read_text(encoding="utf-8"), LOADER)).items()
    }
    return {"note": Markup(inline(recipes.NOTE)), "columns": list(recipes.COLUMNS), "runs": runs}


def _by_paper(markdown: str) -> dict[str, Markup]:
    """Return the sections of docs/deviations.md as HTML, by the paper at the start of their headings.

    Links to other pages become text, because the report has none of these pages beside it.
    """
    linked = re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", markdown)
    sections = (section.partition("\n") for section in linked.split("\n## ")[1:])
    return {title.partition(":")[0]: Markup(MARKDOWN.render(text)) for title, _, text in sections}
