"""Reader for a user's own file of pairs: CSV, TSV, JSON lines or parquet, with any column names."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pandas as pd

from semblance.data.formats import Row
from semblance.errors import UserError
from semblance.registry import HIGHEST_SCORE
from semblance.specs.data import UserTable

BOOLEANS = {"true": "1", "false": "0"}


def read(source: UserTable, path: Path) -> Iterator[Row]:
    """Yield the rows of a file, with scores rescaled from the file's range to [0, 5].

    Args:
        source: the columns, and the range of scores.
        path: file to read; its suffix selects the format.

    Raises:
        UserError: if the file is missing, cannot be read, lacks a column, or has a score out of range.
    """
    columns = source.columns
    if len({*columns.values()}) < len(columns):
        raise UserError(f"{path}: columns must be different, not {', '.join(columns.values())}")
    frame = _frame(path)
    for column in columns.values():
        if column not in frame.columns:
            raise UserError(
                f"{path}: there is no column {column!r}, only {', '.join(map(str, frame.columns)) or 'none'}"
            )
    # What is missing is empty.
    texts = frame[list(columns.values())].astype(object).where(frame.notna(), "").map(partial(_text, path))
    if path.suffix.lower() == ".tsv":
        _require_one_field(texts, path)
    first = 2 if path.suffix.lower() in (".csv", ".tsv") else 1  # the first row of a file with a header is its second
    rows = zip(*(texts[columns[key]] for key in ("sentence1", "sentence2", "label")), strict=True)
    for number, (sentence1, sentence2, label) in enumerate(rows, start=first):
        yield Row(number, sentence1, sentence2, _label(label, source, f"{path} row {number}"))


def _text(path: Path, value: object) -> str:
    if not isinstance(value, bytes):
        return str(value)
    try:
        return value.decode()
    except UnicodeDecodeError as problem:
        raise UserError(f"{path}: {value[:20]!r}… is not UTF-8 text ({problem})") from None


def _require_one_field(texts: pd.DataFrame, path: Path) -> None:
    """Refuse texts with a tab: a quotation mark at their start was probably taken for that of a field."""
    for column in texts:
        if broken := next((text for text in texts[column] if "\t" in text), None):
            raise UserError(
                f"{path}: a text of {column!r} contains a tab, {broken[:40]!r}…: its quotation mark probably opens a "
                "field that was not meant. Double all marks within texts, or write a .jsonl file"
            )


def _frame(path: Path) -> pd.DataFrame:
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path}: pairs are read from {', '.join(READERS)} files, by the ending of their name")
    if not path.is_file():
        raise UserError(f"{path} does not exist: correct its path in own.pairs or config/datasets.yaml")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # of rows with more fields than the header
            return reader(path)
    except (ValueError, OSError, RecursionError, OverflowError, pd.errors.ParserWarning) as problem:
        raise UserError(
            f"{path} cannot be read ({type(problem).__name__}: {problem}): is it a {path.suffix} file in UTF-8?"
        ) from problem


# Without index_col, pandas takes the first field of rows with more fields than the header as an index.
_separated = partial(pd.read_csv, dtype=str, keep_default_na=False, encoding="utf-8-sig", index_col=False)
READERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    ".csv": _separated,
    ".tsv": partial(_separated, sep="\t"),
    ".jsonl": partial(pd.read_json, lines=True, dtype=False, encoding="utf-8-sig"),
    ".parquet": pd.read_parquet,
}


def _label(text: str, source: UserTable, where: str) -> str:
    text = BOOLEANS.get(text.strip().lower(), text)
    low, high = source.lowest, source.highest
    if low is None or high is None or not text:
        return text
    try:
        share = (float(text) - low) / (high - low)
    except ValueError:
        raise UserError(f"{where}: the score {text!r} is not a number") from None
    if not 0 <= share <= 1:
        raise UserError(
            f"{where}: the score is {text}, but lowest and highest are {low:g} and {high:g}: change one of them"
        )
    return str(HIGHEST_SCORE * share)
