"""Readers of official distribution files, quirks included: one function a format, rows out.

A reader gets a file and yields `Row`s as they stand in it. Raises UserError naming file and line for
a line that cannot be one of the format's.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from semblance.errors import UserError


@dataclass(frozen=True)
class Row:
    """One line of an official file. `line` counts from 1; `label` is None where the file hides it.

    `sentence2` is empty where the corpus labels single sentences.
    """

    line: int
    sentence1: str
    sentence2: str
    label: str | None
    group: str | None = None


def glue_qqp_tsv(path: Path, split: str) -> Iterator[Row]:
    """GLUE's QQP: tab-separated with a header; quote characters are text, not quoting.

    The labelled files have the columns question1, question2 and is_duplicate, the test file no label.
    """
    lines = _lines(path)
    _, header = next(lines, (1, ""))
    columns = header.split("\t")
    where = [_column(path, columns, name) for name in ("question1", "question2")]
    label = columns.index("is_duplicate") if "is_duplicate" in columns else None
    for number, fields in _fields(path, lines, columns):
        yield Row(number, fields[where[0]], fields[where[1]], fields[label] if label is not None else None)


def stsb_csv(path: Path, split: str) -> Iterator[Row]:
    """The STS Benchmark: tab-separated, no header, quote characters are text.

    Columns: genre, file, year, number, score, sentence1, sentence2, and in some rows two more that
    name where the sentences came from.
    """
    for number, line in _lines(path):
        fields = line.split("\t")
        if len(fields) < 7:
            raise UserError(f"{path} line {number}: {len(fields)} columns where there must be at least 7: {_TORN}")
        yield Row(number, fields[5], fields[6], fields[4], fields[0])


def msr_paraphrase(path: Path, split: str) -> Iterator[Row]:
    """Microsoft's paraphrase corpus: tab-separated with a header, quote characters are text.

    Columns: Quality, the label; #1 ID and #2 ID; #1 String and #2 String.
    """
    lines = _lines(path)
    _, header = next(lines, (1, ""))
    columns = header.split("\t")
    label, *where = [_column(path, columns, name) for name in ("Quality", "#1 String", "#2 String")]
    for number, fields in _fields(path, lines, columns):
        yield Row(number, fields[where[0]], fields[where[1]], fields[label])


def snli_jsonl(path: Path, split: str) -> Iterator[Row]:
    """SNLI and MultiNLI: one JSON object a line, with gold_label (a class, or - for none), sentence1, sentence2."""
    for number, line in _lines(path):
        try:
            record = json.loads(line)
            texts = [record[key] for key in ("sentence1", "sentence2", "gold_label")]
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            raise UserError(f"{path} line {number}: {type(problem).__name__} ({problem}): {_TORN}") from None
        if not all(isinstance(text, str) for text in texts):
            raise UserError(f"{path} line {number}: sentence1, sentence2 and gold_label must be texts: {_TORN}")
        yield Row(number, *texts, record.get("genre"))


def cs224n_csv(path: Path, split: str) -> Iterator[Row]:
    """Stanford CS224N's corpora: tab-separated with a header, quoted where a text holds quotes or line breaks.

    Columns: sentence, or sentence1 and sentence2; the label is is_duplicate, similarity or sentiment, and
    missing from test files. What a row lacks reads as empty.
    """
    with _quoted(path, "\t") as reader:
        columns = reader.fieldnames or []
        first, second = ("sentence1", "sentence2") if "sentence1" in columns else ("sentence", None)
        _column(path, columns, first)
        label = next((name for name in ("is_duplicate", "similarity", "sentiment") if name in columns), None)
        for row in reader:
            texts = row[first] or "", (row[second] or "") if second else ""
            yield Row(reader.line_num, *texts, (row[label] or "") if label else None)


def stress_csv(path: Path, split: str) -> Iterator[Row]:
    """The project's stress suite: comma-separated with a header and a column that names the split."""
    with _quoted(path, ",") as reader:
        needed = ("split", "sentence1", "sentence2", "label", "type")
        for name in needed:
            _column(path, reader.fieldnames or [], name)
        for row in reader:
            if row["split"] == split:
                yield Row(reader.line_num, *(row[name] or "" for name in needed[1:]))


FORMATS = {
    "glue-qqp-tsv": glue_qqp_tsv,
    "stsb-csv": stsb_csv,
    "msr-paraphrase": msr_paraphrase,
    "snli-jsonl": snli_jsonl,
    "cs224n-csv": cs224n_csv,
    "stress-csv": stress_csv,
}
_TORN = "the file is torn or not the official one; fetch it again"


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines without their ends. Only a line feed ends a line: texts may hold other breaks."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                yield number, line.rstrip("\r\n")
    except FileNotFoundError:
        raise UserError(f"{path} is not there: put the official file there, or set data_folder") from None
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8 text (byte {problem.start}): {_TORN}") from problem


@contextmanager
def _quoted(path: Path, delimiter: str) -> Iterator[csv.DictReader]:
    """A file with a header in which texts may be quoted."""
    try:
        yield csv.DictReader((f"{line}\n" for _, line in _lines(path)), delimiter=delimiter)
    except csv.Error as problem:
        raise UserError(f"{path}: {problem}: {_TORN}") from None


def _fields(path: Path, lines: Iterable[tuple[int, str]], columns: list[str]) -> Iterator[tuple[int, list[str]]]:
    for number, line in lines:
        fields = line.split("\t")
        if len(fields) != len(columns):
            raise UserError(f"{path} line {number}: {len(fields)} columns where the header has {len(columns)}: {_TORN}")
        yield number, fields


def _column(path: Path, columns: list[str], name: str) -> int:
    if name not in columns:
        raise UserError(f"{path} line 1: the header has no column {name!r}, only {', '.join(columns)}: {_TORN}")
    return columns.index(name)
