"""report.html: all tables, figures and facts of a preset on one self-contained page."""

import base64
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from semblance.evaluation.comparisons import CANNOT_BE_JUDGED, INCONCLUSIVE, REFUTED, SUPPORTED
from semblance.evaluation.learning import worst
from semblance.evaluation.verdicts import DIFFERS, DIRECTION, NEAR, NOT_COMPARABLE, REPRODUCED
from semblance.files import read_json, write_text
from semblance.provenance import Ledger, commit
from semblance.reporting import answers, audit, claims, learning, lists, tables
from semblance.specs.run import StageSpec
from semblance.specs.typed import typed

TEMPLATE = "report.html.j2"
# Each verdict has a sign, for readers who cannot see the colours.
SIGNS = {
    SUPPORTED: "✓",
    REFUTED: "✗",
    INCONCLUSIVE: "?",
    **dict.fromkeys(CANNOT_BE_JUDGED, "○"),
    REPRODUCED: "✓",
    NEAR: "≈",
    DIRECTION: "↕",
    DIFFERS: "✗",
}

NUMBERS = (REPRODUCED, NEAR, DIRECTION, DIFFERS, NOT_COMPARABLE)  # verdicts on published numbers


def render(content: Mapping, path: str) -> None:
    """Write the report.

    Args:
        content: paths of all parts of the report, see rules/report.smk.
        path: path of the page.

    Raises:
        UserError: if results come from different presets or versions; see `semblance.provenance`.
    """
    audited = read_json(content["audit"])
    deviations = _by_paper(Path(content["deviations"]).read_text(encoding="utf-8"))
    ledger = Ledger(content["preset"])
    datasets = [read_json(facts) for facts in content["datasets"].values()]
    encoders = {name: read_json(facts) for name, facts in content["encoders"].items()}
    papers = [_paper(paper, ledger, audited, deviations) for paper in content["papers"]]
    used = encoders | {name: encoders[made] for made, names in content["stand_ins"].items() for name in names}
    rows = {one["dataset"]: one["splits"]["train"]["used"] for one in datasets if "train" in one["splits"]}
    for paper in papers:
        trained = [facts for run in paper["learned"] for facts in paper["runs"][run]]
        paper["trained"] |= learning.trained_on(trained, used, rows)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {
        "number": _number,
        "effect": claims.effect,
        "settled": claims.settled,
        "alone": claims.alone,
        "answer": answers.text,
        "described": _described,
        "picture": _picture,
        "marks": tables.marks,
        "sign": lambda verdict: f"{SIGNS[verdict]} {verdict}",
        "contradiction": audit.contradiction,
        "worst": worst,
    }
    page = environment.get_template(TEMPLATE).render(
        preset=content["preset"],
        about=content["about"],
        papers=papers,
        totals=_totals(papers),
        verdicts={
            "claims": (SUPPORTED, REFUTED, INCONCLUSIVE),
            "numbers": NUMBERS,
        },
        audit=audited,
        recipes=_rendered(Path(content["recipes"]).read_text(encoding="utf-8").partition("\n")[2]),
        audit_summary=audit.summary(audited),
        how_to_audit=audit.HOW_TO_READ,
        datasets=datasets,
        stand_ins=content["stand_ins"],
        encoders=encoders,
        versions={"semblance": commit(), "python": platform.python_version()} | (ledger.versions or {}),
    )
    write_text(path, page)


def _paper(paper: Mapping, ledger: Ledger, audited: Mapping, deviations: Mapping[str, Markup]) -> dict:
    """Return a paper's content; `counts` has its claims and its published numbers by verdict."""
    shown = [ledger.rendered(table) for table in paper["tables"]]
    rendered = [ledger.rendered(path) for path in paper["claims"]]
    judged = [claim for found in rendered for claim in found["claims"]]
    verdicts = [cell["verdict"] for table in shown for row in table["rows"] for cell in row["cells"]]
    learned = {run: read_json(path)[run] for run, path in paper["learned"].items()}
    return {
        **paper,
        "tables": [table | {"notes": tables.notes(table)} for table in shown],
        "claims": judged,
        "how_to_judge": claims.how_to_read(judged),
        "summaries": [summary for found in rendered for summary in claims.summaries(found)],
        "lists": [listed | {"summary": lists.summary(listed)} for listed in map(ledger.rendered, paper["lists"])],
        "runs": {run: [read_json(facts) for facts in paths] for run, paths in paper["runs"].items()},
        "learned": learned,
        "doubtful": {run: learning.WORDS[said] for run in learned if (said := worst(learned[run])) in learning.WORDS},
        "trained": learning.summary([one for found in learned.values() for one in found]),
        "headline": _headline(paper["headline"], shown),
        "deviations": deviations.get(paper["name"]),
        "counts": Counter("open" if claim["verdict"] in CANNOT_BE_JUDGED else claim["verdict"] for claim in judged)
        + Counter(verdict.partition(":")[0] for verdict in verdicts if verdict),
        "misprints": sum(wrong["paper"] == paper["name"] for wrong in audited["failed"]),
    }


def _totals(papers: Sequence[Mapping]) -> dict[str, int]:
    """Return the numbers of trained runs, claims and published numbers of all papers, and how they turned out."""
    counts: Counter = sum((paper["counts"] for paper in papers), Counter())
    claims, (supported, refuted) = sum(len(paper["claims"]) for paper in papers), (counts[SUPPORTED], counts[REFUTED])
    return {
        **{key: sum(paper["trained"][key] for paper in papers) for key in ("runs", "yes", "collapsed")},
        "claims": claims,
        "supported": supported,
        "refuted": refuted,
        "inconclusive": claims - supported - refuted,
        "numbers": sum(counts[verdict] for verdict in NUMBERS),
        "reproduced": counts[REPRODUCED],
        "not_comparable": counts[NOT_COMPARABLE],
    }


def _headline(spec: Mapping | None, shown: Sequence[Mapping]) -> dict | None:
    """Return a paper's main comparison: question, measure, cells by label, and the section of the table."""
    if not spec:
        return None
    cells = {
        (table["name"], row["name"], column): cell
        for table in shown
        for row in table["rows"]
        for column, cell in zip(table["columns"], row["cells"], strict=True)
    }
    return {
        "question": spec["question"],
        "measure": spec["measure"],
        "cells": {label: cells[*place, spec["column"]] for label, place in spec["rows"].items()},
        "table": next(f"{table['paper']}-{table['name']}" for table in shown if table["name"] == spec["table"]),
    }


def _rendered(markdown: str) -> Markup:
    return Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown))


def _by_paper(markdown: str) -> dict[str, Markup]:
    """Return the sections of docs/deviations.md as HTML, by the paper at the start of their headings."""
    sections = (section.partition("\n") for section in markdown.split("\n## ")[1:])
    return {title.partition(":")[0]: _rendered(text) for title, _, text in sections}


def _described(stages: Sequence[Mapping]) -> str:
    """Return a short description of a run's stages; equal stages that repeat occur once."""
    counts = Counter(_stage(typed(StageSpec, stage)) for stage in stages)
    return "; ".join(f"{count} × {stage}" if count > 1 else stage for stage, count in counts.items()) or "none"


def _stage(stage: StageSpec) -> str:
    regularized = "".join(f" with {kind}" for kind in stage.regularizer)
    fraction = f" ({stage.fraction:.0%})" if stage.fraction != 1 else ""
    recipe = f"{stage.recipe.epochs:g} epochs, batch {stage.recipe.batch_size}, rate {stage.recipe.learning_rate:g}"
    return f"{stage.on}{fraction}: {stage.objective}{regularized}, {recipe}"


def _picture(svg: str) -> str:
    """Return a drawing as a data URI, so that its ids and styles do not conflict with those of the page."""
    return f"data:image/svg+xml;base64,{base64.b64encode(Path(svg).read_bytes()).decode()}"


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"
