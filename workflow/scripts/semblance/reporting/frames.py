"""DataFrames as Markdown, CSV and LaTeX text."""

import re
from collections.abc import Iterable, Sequence

import pandas as pd


def markdown(frame: pd.DataFrame) -> str:
    """Return a Markdown table of texts, with an index of names as the first column."""
    named = not isinstance(frame.index, pd.RangeIndex)
    texts = frame.map(_cell).rename(columns=_cell, index=_cell if named else None)
    if texts.empty:
        texts.loc["" if named else 0] = ""  # tabulate shows no header of an empty table
    return texts.to_markdown(index=named, disable_numparse=True)


def pipes(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table whose cells have different lengths, without the spaces that would align them."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def csv(frame: pd.DataFrame) -> str:
    """Return CSV without the index; missing values are empty, and counts remain whole numbers beside them."""
    return frame.convert_dtypes().to_csv(index=False, lineterminator="\n", float_format="%.10g")


def latex(frame: pd.DataFrame, caption: str) -> str:
    """Return a booktabs table; names, texts and caption must be valid LaTeX."""
    # In braces, because LaTeX reads a bracket at the start of a row as an argument of the preceding line break.
    texts = frame.set_axis([f"{{{name}}}" for name in frame.index])
    styled = texts.style.to_latex(hrules=True, column_format="l" + "r" * len(frame.columns), caption=caption)
    return f"% needs \\usepackage{{booktabs}}\n{styled}"


def _cell(value: object) -> str:
    """Return a value as one line of text in which all vertical bars are escaped."""
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return re.sub(r"(?<!\\)\|", r"\\|", " ".join(text.split()))


def escaped(text: str) -> str:
    """Return a text with all Markdown markup escaped and whitespace collapsed, for a table cell."""
    text = " ".join(text.split())
    for character in "\\`*_{}[]<>#|$":
        text = text.replace(character, f"\\{character}")
    return text
