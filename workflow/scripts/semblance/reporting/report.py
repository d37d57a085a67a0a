"""report.html: every table, figure and fact of a preset on one self-contained page."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from semblance.files import read_json, write_text
from semblance.reporting import claims, errors, tables

TEMPLATE = "report.html.j2"
VERSIONS = ("torch", "transformers", "sentence-transformers", "scikit-learn", "gensim")


def render(content: Mapping, path: str) -> None:
    """Write the report of `content`, as rules/report.smk gathers it: paths by what they hold."""
    papers = [
        {
            **paper,
            "tables": [_with_notes(read_json(table)) for table in paper["tables"]],
            "claims": [claim for path in paper["claims"] for claim in read_json(path)["claims"]],
            "errors": [_with_counts(read_json(path)) for path in paper["errors"]],
            "figures": [{**figure, "svg": _inline(figure["svg"])} for figure in paper["figures"]],
            "runs": {run: [read_json(facts) for facts in paths] for run, paths in paper["runs"].items()},
        }
        for paper in content["papers"]
    ]
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {"number": _number, "effect": claims.effect, "settled": claims.settled, "told": _told}
    page = environment.get_template(TEMPLATE).render(
        preset=content["preset"],
        about=content["about"],
        papers=papers,
        datasets=[read_json(facts) for facts in content["datasets"]],
        how_to_judge=claims.HOW_TO_READ,
        stand_ins=content["stand_ins"],
        encoders={name: read_json(facts) for name, facts in content["encoders"].items()},
        versions={name: version(name) for name in VERSIONS} | {"python": platform.python_version()},
    )
    write_text(path, page)


def _with_notes(table: dict) -> dict:
    return table | {"notes": tables.notes(table)}


def _with_counts(listed: dict) -> dict:
    return listed | {"counts": errors.counts(listed)}


def _told(stages: Sequence[Mapping]) -> str:
    """What a run was trained on, in few words; stages that come again are told once."""
    counts = Counter(map(_stage, stages))
    return "; ".join(f"{count} × {stage}" if count > 1 else stage for stage, count in counts.items()) or "none"


def _stage(stage: Mapping) -> str:
    regularized = "".join(f" with {kind}" for kind in stage.get("regularizer", ()))
    share = f" ({stage['share']:.0%})" if "share" in stage else ""
    recipe = f"{stage['epochs']:g} epochs, batch {stage['batch_size']}, rate {stage['learning_rate']:g}"
    return f"{stage['on']}{share}: {stage['objective']}{regularized}, {recipe}"


def _inline(svg: str) -> Markup:
    """The drawing itself, without the XML declaration a page must not repeat."""
    text = Path(svg).read_text(encoding="utf-8")
    return Markup(text[text.index("<svg") :])


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"
