"""report.html: all tables, figures and facts of a preset on one self-contained page.

`content` gathers what the page shows, `forest` places intervals on axes, and the templates beside them lay it out.
"""

import base64
import platform
import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from semblance.evaluation import counts
from semblance.evaluation.learning import worst
from semblance.files import write_text
from semblance.provenance import Ledger, commit, release
from semblance.reporting import audit, claims, lists, tables
from semblance.reporting.report import content, forest
from semblance.specs.content import Content
from semblance.vocabulary import CANNOT_BE_JUDGED, DECIDED, Printed, Verdict

TEMPLATES = Path(__file__).parent
WIDE = 600  # points
# Each verdict has a sign, for readers who cannot see the colours.
SIGNS: dict[str, str] = {
    Verdict.SUPPORTED: "✓",
    Verdict.REFUTED: "✗",
    Verdict.INCONCLUSIVE: "?",
    **dict.fromkeys(CANNOT_BE_JUDGED, "–"),
    Printed.REPRODUCED: "✓",
    Printed.NEAR: "~",
    Printed.DIRECTION: "↕",
    Printed.DIFFERS: "✗",
}


def render(shown: Content, path: str) -> None:
    """Write the report.

    Args:
        shown: paths of all parts of the report.
        path: path of the page.

    Raises:
        UserError: if results come from different presets or versions; see `semblance.provenance`.
    """
    ledger = Ledger(shown.preset)
    parts = content.gathered(shown, ledger)
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {
        "number": _number,
        "effect": claims.effect,
        "reason": claims.reason,
        "claim_marks": claims.marks,
        "verdicts_by_seed": claims.verdicts_by_seed,
        "answer": claims.answer,
        "listed": lists.text,
        "list_summary": lists.summary,
        "table_notes": tables.notes,
        "picture": _picture,
        "shape": _shape,
        "marks": tables.marks,
        "measured": tables.measured,
        "sign": lambda verdict: f"{SIGNS[verdict]} {verdict}",
        "symbol": SIGNS.__getitem__,
        "css": lambda verdict: verdict.partition(":")[0].replace(" ", "-"),
        "contradiction": audit.contradiction,
        "worst": worst,
        "placed": forest.placed,
        "dots": forest.dots,
    }
    page = environment.get_template("page.html.j2").render(
        **parts,
        preset=shown.preset,
        about=shown.about,
        verdicts={"claims": (*DECIDED, Verdict.INCONCLUSIVE), "numbers": counts.NUMBERS},
        limit=forest.LIMIT,
        how_to_audit=audit.HOW_TO_READ,
        release=release(),
        commit=commit(),
        versions={"python": platform.python_version()} | (ledger.versions or {}),
    )
    write_text(path, page)


def _picture(svg: str) -> str:
    """Return a drawing as a data URI, so that its ids and styles do not conflict with those of the page."""
    return f"data:image/svg+xml;base64,{base64.b64encode(Path(svg).read_bytes()).decode()}"


def _shape(svg: str) -> str:
    """Return ``wide`` for a drawing that needs the width of the page, so that its letters can be read."""
    width = re.search(r'width="([\d.]+)pt"', Path(svg).read_text(encoding="utf-8"))
    return "wide" if width and float(width[1]) > WIDE else ""


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f}"
