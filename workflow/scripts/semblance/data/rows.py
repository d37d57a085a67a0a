"""The schema of prepared splits, and their representation in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semblance.errors import UserError
from semblance.files import whole_file
from semblance.registry import LABELS

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("sentence1", pa.string(), nullable=False),
        pa.field("sentence2", pa.string(), nullable=False),
        pa.field("label", pa.float64(), nullable=False),  # in the corpus's unit: 0/1, 0 to 5, or a class index
        pa.field("group", pa.string()),  # genre, or perturbation type
    ]
)


@dataclass(frozen=True)
class Pairs:
    """Labelled sentence pairs as columns of equal length.

    Attributes:
        id: identifier of each row.
        sentence1: first sentences.
        sentence2: second sentences; empty strings if examples of this kind are single sentences.
        label: labels in the unit of `kind`, shape (n,).
        group: genre or perturbation type of each row, or None.
        kind: kind of label, a key of `registry.LABELS`.
    """

    id: list[str]
    sentence1: list[str]
    sentence2: list[str]
    label: np.ndarray
    group: list[str | None]
    kind: str

    def __len__(self) -> int:
        return len(self.id)

    @property
    def targets(self) -> np.ndarray:
        """Labels scaled to [0, 1] (stl, section V-C, phase 2); class indices are not scaled."""
        if LABELS[self.kind].classes:
            return self.label
        low, high = LABELS[self.kind].range
        return (self.label - low) / (high - low)

    @property
    def columns(self) -> tuple[list[str], ...]:
        return (self.sentence1,) if LABELS[self.kind].single else (self.sentence1, self.sentence2)

    def take(self, indices) -> Pairs:
        indices = np.asarray(indices, dtype=int)
        columns = {c: [getattr(self, c)[i] for i in indices] for c in ("id", "sentence1", "sentence2", "group")}
        return Pairs(label=self.label[indices], kind=self.kind, **columns)

    def require_every_class(self, where: str) -> None:
        """Check that there is something to learn.

        Args:
            where: description of the split, for the message.

        Raises:
            UserError: if a class has no row, or if all scores are equal.
        """
        found = set(self.label.tolist())
        wanted = set(range(LABELS[self.kind].class_count or 0))
        if wanted - found or len(found) < 2:
            missing = (
                f"no row of class {min(wanted - found)}" if wanted else f"no score but {', '.join(map(str, found))}"
            )
            raise UserError(f"{where} has {missing} among its {len(self):,} rows: give it more rows in the preset")

    def pair_keys(self) -> list[tuple[str, str]]:
        """Return a key per row; equal keys mean the same two sentences, ignoring order, case and outer whitespace."""
        sides = zip(self.sentence1, self.sentence2, strict=True)
        return [tuple(sorted((a.strip().casefold(), b.strip().casefold()))) for a, b in sides]

    def distinct_sentences(self) -> tuple[list[str], np.ndarray]:
        """Return the distinct sentences and the indices of each row's sentences, shape (n, 2); (n, 1) if single."""
        return each_once(self.columns)


def each_once(columns: Sequence[Sequence[str]]) -> tuple[list[str], np.ndarray]:
    """Return the distinct sentences of several columns and each row's indices into them.

    Args:
        columns: k columns of n sentences.

    Returns:
        The distinct sentences in order of appearance, and indices of shape (n, k).
    """
    index: dict[str, int] = {}
    where = [[index.setdefault(s, len(index)) for s in row] for row in zip(*columns, strict=True)]
    return list(index), np.array(where, dtype=int).reshape(-1, len(columns))


def distinct_sentences(corpora: Iterable[Pairs]) -> list[str]:
    """Return the distinct sentences of several corpora, in order of appearance."""
    return list(dict.fromkeys(s for pairs in corpora for s in pairs.distinct_sentences()[0]))


def write(path: Path, pairs: Pairs) -> None:
    """Write one split as parquet in one atomic step, with its label kind in the schema's metadata."""
    columns = [pairs.id, pairs.sentence1, pairs.sentence2, pairs.label, pairs.group]
    schema = SCHEMA.with_metadata({"kind": pairs.kind})
    with whole_file(path) as part:
        pq.write_table(pa.table([pa.array(c, f.type) for c, f in zip(columns, schema)], schema=schema), part)


def read(path: Path) -> Pairs:
    """Read one prepared split.

    Raises:
        UserError: if the file does not have this version's schema.
    """
    table = pq.read_table(path)
    if not table.schema.equals(SCHEMA) or b"kind" not in (table.schema.metadata or {}):
        raise UserError(f"{path} is not a prepared split of this version: delete it and run again")
    columns = {name: table[name].to_pylist() for name in ("id", "sentence1", "sentence2", "group")}
    return Pairs(label=table["label"].to_numpy(), kind=table.schema.metadata[b"kind"].decode(), **columns)
