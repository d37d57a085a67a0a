"""Tables of measured and published numbers, in Markdown, CSV, LaTeX and JSON."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd

from semblance import findings
from semblance.files import write_text
from semblance.findings import MeasuredCell, MeasuredTable
from semblance.reporting import frames
from semblance.reporting.audit import implied, rounded
from semblance.reporting.notes import CHOSEN_MARK, LEAK_MARK, LEARNING_NOTES, MARKS, ONE_SEED_NOTE, SEVERAL_SEEDS_NOTE
from semblance.results import ShownNumber
from semblance.specs.typed import typed

DASH = "–"
UNPUBLISHED_NOTE = "No such number is published."
DASH_NOTE = "A dash: the paper prints no number."
WRONG_MARK = "‡"
WRONG_NOTE = f"{WRONG_MARK} Contradicts the paper's own arithmetic: {{}}."
LEAK_NOTE = f"{LEAK_MARK} Optimistic: the threshold was tuned on the rows it scores, as in the paper."
CHOSEN_NOTE = f"{CHOSEN_MARK} Optimistic: the rows it scores also selected its epoch or stage."
FEW_SIZES = 6  # different numbers of examples that a note lists
# What LaTeX needs in the place of characters.
MATHS = {"→": r"\to", "×": r"\times", "±": r"\pm", "≤": r"\le", "−": "-", "∗": "*", "√": r"\surd"}
MATHS |= {"λ": r"\lambda", "μ": r"\mu", "≈": r"\approx", "○": r"\circ", "⊘": r"\oslash", "⊙": r"\odot"}
TEXTS = {"\\": r"\textbackslash{}", "–": "--", "†": r"\dag{}", "‡": r"\ddag{}", "§": r"\S{}"}
TEXTS |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
TEXTS |= {"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}"}
LATEX = str.maketrans(TEXTS | {c: f"${name}$" for c, name in MATHS.items()} | {c: f"\\{c}" for c in "&%$#_{}"})
TIME_NOTE = "Times and memory were measured in this run and depend on the machine's load."


def write(table: MeasuredTable, provenance: Mapping, outputs: Any) -> None:
    """Write a table and its provenance to `outputs`, which has the paths md, csv, tex and json."""
    write_text(outputs.md, markdown(table))
    write_text(outputs.csv, frames.csv(pd.DataFrame(numbers(table))))
    write_text(outputs.tex, latex(table))
    findings.write(outputs.json, table, provenance)


def numbers(table: MeasuredTable) -> list[ShownNumber]:
    """Return the cells of a table, one after another, as results.json has them."""
    return [
        typed(
            ShownNumber,
            {**vars(cell), "row": row.name, "column": column, "contradicted": cell.contradicted is not None},
            only_known=True,
        )
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
    ]


def texts(table: MeasuredTable) -> pd.DataFrame:
    """Return a table as texts, with the measured and the published number of each cell."""
    cells = [[_text(cell, table.unpublished) for cell in row.cells] for row in table.rows]
    return pd.DataFrame(cells, index=[row.name for row in table.rows], columns=list(table.columns))


def markdown(table: MeasuredTable) -> str:
    """Return a table as a Markdown page with its caption and notes."""
    parts = [f"# {table.source}: {table.caption}", frames.markdown(texts(table))]
    return "\n\n".join([*parts, how_to_read(table), *notes(table), table.about]) + "\n"


def latex(table: MeasuredTable) -> str:
    """Return a table as a booktabs table."""
    caption = " ".join([f"{table.caption} ({table.source}).", how_to_read(table), *notes(table)])
    escaped = texts(table).map(_escape).rename(columns=_escape, index=_escape)
    return frames.latex(escaped, _escape(caption))


def _text(cell: MeasuredCell, unpublished: str) -> str:
    """Return a cell as text: the measured number with its interval, or why there is none, and the published number."""
    printed = unpublished if cell.published is None else f"{cell.published:.{cell.digits}f}"
    return f"{_ours(cell)} / {printed}{WRONG_MARK if cell.contradicted else ''}" if printed else _ours(cell)


def _ours(cell: MeasuredCell) -> str:
    if cell.value is None:
        return cell.missing
    text = f"{measured(cell)}{marks(cell)}"
    if not cell.interval:
        return text
    low, high = (f"{end:.{cell.digits}f}" for end in cell.interval)
    return f"{text} [{low}, {high}]"


def measured(cell: MeasuredCell) -> str:
    """Return the measured number as text; one that its digits would round to 0 as a power of ten, without interval."""
    text = f"{cell.value:.{cell.digits}f}"
    return f"{cell.value:.1e}" if cell.value and not float(text) and not cell.interval else text


def marks(cell: MeasuredCell) -> str:
    """Return the marks behind a cell's number, which `notes` explains."""
    chosen = CHOSEN_MARK if cell.selected_on_scored_rows else ""
    leaks = LEAK_MARK if cell.threshold_tuned_on_scored_rows else ""
    return leaks + chosen + MARKS.get(cell.learned, "")


def how_to_read(table: MeasuredTable) -> str:
    """Return what the parts of a cell are; counts and times have no interval."""
    has_intervals = any(cell.interval for cell in table.cells)
    ours = "Each cell: ours [95% interval]" if has_intervals else "Each cell: ours"
    return f"{ours} / published." if table.unpublished else f"{ours}. {UNPUBLISHED_NOTE}"


def notes(table: MeasuredTable) -> list[str]:
    """Return the notes under a table: numbers of examples, its own note, verdicts, and the meaning of its marks."""
    cells, wrong = table.cells, _corrections(table)
    learned = {cell.learned for cell in cells}
    verdicts = Counter(cell.verdict for cell in cells if cell.verdict).most_common()
    found = {
        DASH_NOTE: table.unpublished == DASH and any(cell.published is None for cell in cells),
        table.note: bool(table.note),
        WRONG_NOTE.format("; ".join(wrong)): bool(wrong),
        LEAK_NOTE: any(cell.threshold_tuned_on_scored_rows for cell in cells),
        f"Published numbers: {', '.join(f'{n} {verdict}' for verdict, n in verdicts)}.": bool(verdicts),
        **{f"{MARKS[verdict]} {note}": verdict in learned for verdict, note in LEARNING_NOTES.items()},
        CHOSEN_NOTE: any(cell.selected_on_scored_rows for cell in cells),
    }
    return [*_sizes(table), *(note for note, applies in found.items() if applies), *_seeds(table), *_timed(table)]


def _timed(table: MeasuredTable) -> list[str]:
    """Return the note on times and memory; if they were measured on several machines, on which."""
    rows: defaultdict[str, list[str]] = defaultdict(list)
    for row in table.rows:
        for machine in dict.fromkeys(cell.machine for cell in row.cells if cell.timed and cell.value is not None):
            rows[machine].append(row.name)
    if len(rows) < 2:
        return [TIME_NOTE] * len(rows)
    *few, (most, _) = sorted(rows.items(), key=lambda one: len(one[1]))
    named = "; ".join(f"{', '.join(names)} on {machine}" for machine, names in few)
    return [f"{TIME_NOTE} Those of different machines cannot be compared: {named}; all others on {most}."]


def _seeds(table: MeasuredTable) -> list[str]:
    """Return the notes on the variance between seeds; if columns or rows differ in their seeds, one names its lines."""
    rows, columns = table.by_row, table.by_column
    counts = sorted({cell.seeds for cell in table.cells if _has_several_seeds(cell)}) or [0]
    seeds = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else counts[0]
    of_one, of_several = ONE_SEED_NOTE, SEVERAL_SEEDS_NOTE.format(seeds)
    if not any(cell.interval for cell in table.cells):
        of_one, of_several = "One seed.", f"Means over {seeds} seeds."
    for lines in (columns, rows):
        single = [title for title, cells in lines.items() if any(cell.single_seed for cell in cells)]
        several = [title for title, cells in lines.items() if any(map(_has_several_seeds, cells))]
        if single and several and not {*single} & {*several}:
            if len(several) < len(single):
                return [of_one, f"{'; '.join(several)}: {of_several}"]
            return [f"{'; '.join(single)}: {of_one}", of_several]
    return [of_one] * bool(single) + [of_several] * (counts[-1] > 1)


def _has_several_seeds(cell: MeasuredCell) -> bool:
    return cell.seeds > 1 and not cell.single_seed  # a mean of cells can be both


def _sizes(table: MeasuredTable) -> list[str]:
    """Return the note on numbers of examples: by column or by row if they depend on one of them, else their range."""
    sizes = _sizes_of(table.cells)
    if len(sizes) < 2:
        return [f"Examples: {_size(*size)}." for size in sizes]
    for lines in (table.by_column, table.by_row):
        scored = {title: _sizes_of(cells) for title, cells in lines.items()}
        if max(map(len, scored.values())) == 1 and len(sizes) <= FEW_SIZES:
            titles = {size: [title for title, found in scored.items() if size in found] for size in sizes}
            shown = [f"{_size(*size)} ({', '.join(of)})" for size, of in titles.items()]
            return [f"Examples: {'; '.join(shown)}."]
    return [f"Examples: from {min(sizes)[0]:,} to {max(sizes)[0]:,}."]


def _sizes_of(cells: Iterable[MeasuredCell]) -> list[tuple[int, int]]:
    """Return the different pairs of numbers of examples and clusters, in ascending order."""
    counted = {(cell.examples, cell.clusters or cell.examples) for cell in cells if cell.examples is not None}
    return sorted(counted)


def _size(examples: int, clusters: int) -> str:
    if clusters == examples:
        return f"{examples:,}"
    return f"{examples:,} in {clusters:,} {'cluster' if clusters == 1 else 'clusters'}"


def _corrections(table: MeasuredTable) -> list[str]:
    """Return, for each kind of check, what the paper's other numbers imply."""
    found = defaultdict(list)
    for row in table.rows:
        for cell in row.cells:
            if wrong := cell.contradicted:
                found[wrong.kind, wrong.out_of].append(f"{rounded(wrong.gives, cell.digits)} for {row.name}")
    return [implied(kind, "; ".join(of), count) for (kind, count), of in found.items()]


def _escape(text: str) -> str:
    return text.translate(LATEX)
