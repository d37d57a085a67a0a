"""Readers for the official distribution files of each corpus, one function per format.

A reader takes a file and a split name and yields the rows of the file unchanged, in file order. It raises UserError
with the file and the line number when a line does not match the format.
"""

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from semblance.errors import UserError


@dataclass(frozen=True)
class Row:
    """One row of a source file.

    Attributes:
        line: line number, starting at 1.
        sentence1: first sentence.
        sentence2: second sentence; empty in corpora of single sentences.
        label: label as text; None if the file does not contain labels.
        group: genre or perturbation type, if the file contains one.
    """

    line: int
    sentence1: str
    sentence2: str
    label: str | None
    group: str | None = None


def glue_qqp_tsv(path: Path, split: str) -> Iterator[Row]:
    """Read GLUE's QQP: tab-separated with a header; quote characters are part of the text.

    Labelled files have the columns question1, question2 and is_duplicate. The test file has no label column. GLUE's
    train.tsv has a few rows that line breaks divide (GLUE-baselines, issue 5). Each part is a row without texts, to be
    dropped, as the hub's copy leaves them out.
    """
    return _unquoted(path, "question1", "question2", "is_duplicate", divided=True)


def stsb_csv(path: Path, split: str) -> Iterator[Row]:
    """Read the STS Benchmark: tab-separated without a header; quote characters are part of the text.

    Columns: genre, file, year, number, score, sentence1, sentence2. Some rows have two more columns with the sources
    of the sentences.
    """
    for number, line in _lines(path):
        fields = line.split("\t")
        if len(fields) < 7:
            raise UserError(f"{path} line {number}: {len(fields)} columns where there must be at least 7: {_TRUNCATED}")
        yield Row(number, fields[5], fields[6], fields[4], fields[0])


def msr_paraphrase(path: Path, split: str) -> Iterator[Row]:
    """Read Microsoft's paraphrase corpus (MRPC): tab-separated with a header; quote characters are part of the text.

    Columns: Quality (the label), #1 ID, #2 ID, #1 String, #2 String.
    """
    return _unquoted(path, "#1 String", "#2 String", "Quality", labelled=True)


def snli_jsonl(path: Path, split: str) -> Iterator[Row]:
    """Read SNLI or MultiNLI: one JSON object per line.

    Keys: sentence1, sentence2, gold_label (a class name, or "-" if the annotators do not agree) and optionally genre.
    """
    for number, line in _lines(path):
        try:
            record = json.loads(line)
            texts = [record[key] for key in ("sentence1", "sentence2", "gold_label")]
        except (ValueError, TypeError, KeyError, RecursionError) as problem:
            raise UserError(f"{path} line {number}: {type(problem).__name__} ({problem}): {_TRUNCATED}") from None
        group = record.get("genre")
        if not all(isinstance(text, str) for text in [*texts, group or ""]):
            raise UserError(
                f"{path} line {number}: sentence1, sentence2, gold_label and genre must be texts: {_TRUNCATED}"
            )
        yield Row(number, *texts, group)


def cs224n_csv(path: Path, split: str) -> Iterator[Row]:
    """Read a corpus of Stanford CS224N: tab-separated with a header; texts with quotes or line breaks are quoted.

    Columns: sentence, or sentence1 and sentence2. The label column is is_duplicate, similarity or sentiment; test
    files have none. Missing values become empty strings; the course skips such rows.
    """
    with _quoted(path, "\t") as reader:
        columns = reader.fieldnames or []
        first, second = ("sentence1", "sentence2") if "sentence1" in columns else ("sentence", None)
        _column(path, columns, first)
        label = next((name for name in ("is_duplicate", "similarity", "sentiment") if name in columns), None)
        before = reader.line_num
        for row in reader:
            if None in row.values() and reader.line_num > before + 1:
                raise UserError(f"{path} line {before + 1}: a quotation mark without its end hides rows: {_TRUNCATED}")
            before = reader.line_num
            texts = row[first] or "", (row[second] or "") if second else ""
            yield Row(reader.line_num, *texts, (row[label] or "") if label else None)


def stress_csv(path: Path, split: str) -> Iterator[Row]:
    """Read one split of the project's stress suite: comma-separated with a header and a split column."""
    with _quoted(path, ",") as reader:
        needed = ("split", "sentence1", "sentence2", "label", "type")
        for name in needed:
            _column(path, reader.fieldnames or [], name)
        for row in reader:
            if row["split"] == split:
                yield Row(reader.line_num, *(row[name] or "" for name in needed[1:]))


def reader(name: str) -> Callable[[Path, str], Iterator[Row]]:
    """Return the reader of a format by its name in the YAML, e.g. ``glue-qqp-tsv``."""
    return globals()[name.replace("-", "_")]


_TRUNCATED = "the file is truncated or not the official one; fetch it again"


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield numbered lines without line ends. Only a line feed ends a line, because texts may contain other breaks."""
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                yield number, line.rstrip("\r\n")
    except FileNotFoundError:
        raise UserError(f"{path} is not there: put the official file there, or set data_folder") from None
    except UnicodeDecodeError as problem:
        raise UserError(f"{path} is not UTF-8 text (byte {problem.start}): {_TRUNCATED}") from problem


@contextmanager
def _quoted(path: Path, delimiter: str) -> Iterator[csv.DictReader]:
    """Open a file with a header and quoted texts as a csv.DictReader."""
    try:
        yield csv.DictReader((f"{line}\n" for _, line in _lines(path)), delimiter=delimiter)
    except csv.Error as problem:
        raise UserError(f"{path}: {problem}: {_TRUNCATED}") from None


def _unquoted(
    path: Path, sentence1: str, sentence2: str, label: str, *, labelled: bool = False, divided: bool = False
) -> Iterator[Row]:
    """Yield the rows of a tab-separated file with these columns.

    Args:
        path: the file.
        sentence1: name of the column of first sentences.
        sentence2: that of second sentences.
        label: that of labels.
        labelled: whether there must be a column of labels.
        divided: whether lines with too few columns, except the last, are yielded without texts instead of refused.
    """
    lines = _lines(path)
    _, header = next(lines, (1, ""))
    columns = header.split("\t")
    first, second = (_column(path, columns, name) for name in (sentence1, sentence2))
    labels = _column(path, columns, label) if labelled or label in columns else None
    number, short = 1, 0  # the latest line, and the latest one with too few columns
    for number, line in lines:
        fields = line.split("\t")
        if divided and len(fields) < len(columns):
            short = number
            yield Row(number, "", "", None)
            continue
        if len(fields) != len(columns):
            raise UserError(
                f"{path} line {number}: {len(fields)} columns where the header has {len(columns)}: {_TRUNCATED}"
            )
        yield Row(number, fields[first], fields[second], fields[labels] if labels is not None else None)
    if short == number:
        raise UserError(f"{path} line {number}: the last line has fewer columns than the header: {_TRUNCATED}")


def _column(path: Path, columns: list[str], name: str) -> int:
    if name not in columns:
        raise UserError(f"{path} line 1: the header has no column {name!r}, only {', '.join(columns)}: {_TRUNCATED}")
    return columns.index(name)
