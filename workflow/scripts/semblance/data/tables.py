"""Reader for a user's own file of pairs: CSV, TSV, JSON lines or parquet, with any column names."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from semblance.data.formats import Row
from semblance.errors import UserError

HIGHEST = 5.0  # highest score on the scale that the rest of the pipeline uses
SAID = {"true": "1", "false": "0"}


def read(source: Mapping, path: Path) -> Iterator[Row]:
    """Yield the rows of a file, with scores rescaled from the file's range to [0, 5].

    Args:
        source: the `columns` of sentence1, sentence2 and label; for scores also `lowest` and `highest`.
        path: file to read; its suffix selects the format.

    Raises:
        UserError: if the file is missing, cannot be read, lacks a column, or has a score out of range.
    """
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path}: pairs are read from {', '.join(READERS)} files, by the ending of their name")
    if not path.is_file():
        raise UserError(f"{path} is not there: mend the path in own.pairs")
    columns = source["columns"]
    try:
        for line, record in reader(path, list(columns.values())):
            texts = [_text(record[columns[side]]) for side in ("sentence1", "sentence2")]
            yield Row(line, *texts, _label(_text(record[columns["label"]]), source, f"{path} row {line}"))
    except (UnicodeDecodeError, csv.Error, ValueError, RecursionError, OSError) as problem:
        raise UserError(
            f"{path} cannot be read ({type(problem).__name__}: {problem}): is it a {path.suffix} file in UTF-8?"
        ) from problem


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _label(text: str, source: Mapping, where: str) -> str:
    text = SAID.get(text.strip().lower(), text)
    if "highest" not in source or not text:
        return text
    low, high = source["lowest"], source["highest"]
    try:
        share = (float(text) - low) / (high - low)
    except ValueError:
        raise UserError(f"{where}: the score {text!r} is not a number") from None
    if not 0 <= share <= 1:
        raise UserError(f"{where}: the score is {text}, but own.pairs says from {low:g} to {high:g}: mend either")
    return str(HIGHEST * share)


def _separated(path: Path, columns: list[str], separator: str) -> Iterator[tuple[int, Mapping]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, delimiter=separator)
        _require(path, columns, reader.fieldnames or [])
        for record in reader:
            yield reader.line_num, record


def _comma(path: Path, columns: list[str]) -> Iterator[tuple[int, Mapping]]:
    return _separated(path, columns, ",")


def _tab(path: Path, columns: list[str]) -> Iterator[tuple[int, Mapping]]:
    return _separated(path, columns, "\t")


def _json_lines(path: Path, columns: list[str]) -> Iterator[tuple[int, Mapping]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            record = json.loads(line)
            _require(path, columns, record if isinstance(record, Mapping) else [])
            yield number, record


def _parquet(path: Path, columns: list[str]) -> Iterator[tuple[int, Mapping]]:
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    _require(path, columns, file.schema_arrow.names)
    records = (record for batch in file.iter_batches(columns=columns) for record in batch.to_pylist())
    yield from enumerate(records, start=1)


def _require(path: Path, columns: list[str], there) -> None:
    for column in columns:
        if column not in there:
            raise UserError(f"{path}: there is no column {column!r}, only {', '.join(there) or 'none'}")


READERS = {".csv": _comma, ".tsv": _tab, ".jsonl": _json_lines, ".parquet": _parquet}
