"""What a row is: the one schema every prepared split has, and the checks it has passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semblance.errors import UserError
from semblance.files import whole_file

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("sentence1", pa.string(), nullable=False),
        pa.field("sentence2", pa.string(), nullable=False),
        pa.field("label", pa.float64(), nullable=False),  # in the corpus's own unit: 0/1, 0 to 5, a class's number
        pa.field("group", pa.string()),  # genre, or perturbation type
    ]
)
CLASSES = {  # by number, as the corpora themselves count
    "inference": ("entailment", "neutral", "contradiction"),
    "sentiment": ("negative", "somewhat negative", "neutral", "somewhat positive", "positive"),
    "polarity": ("negative", "positive"),
}
LABEL_RANGES = {"binary": (0.0, 1.0), "score": (0.0, 5.0)} | {k: (0.0, len(c) - 1.0) for k, c in CLASSES.items()}
SINGLE = frozenset({"sentiment", "polarity"})  # kinds of labels that are of one sentence, not of a pair


@dataclass(frozen=True)
class Pairs:
    """Sentence pairs in columns of one length, with labels in the unit of their kind.

    Where the kind is one of `SINGLE`, there is one sentence a row, and `sentence2` is empty.
    """

    id: list[str]
    sentence1: list[str]
    sentence2: list[str]
    label: np.ndarray
    group: list[str | None]
    kind: str  # a key of LABEL_RANGES

    def __len__(self) -> int:
        return len(self.id)

    @property
    def targets(self) -> np.ndarray:
        """Labels scaled to [0, 1] (stl, section V-C, phase 2); the numbers of classes as they are."""
        if self.kind in CLASSES:
            return self.label
        low, high = LABEL_RANGES[self.kind]
        return (self.label - low) / (high - low)

    @property
    def columns(self) -> tuple[list[str], ...]:
        return (self.sentence1,) if self.kind in SINGLE else (self.sentence1, self.sentence2)

    def take(self, indices) -> Pairs:
        indices = np.asarray(indices, dtype=int)
        columns = {c: [getattr(self, c)[i] for i in indices] for c in ("id", "sentence1", "sentence2", "group")}
        return Pairs(label=self.label[indices], kind=self.kind, **columns)

    def at_most(self, rows: int) -> Iterator[Pairs]:
        """All of them in their order, so many at a time."""
        for start in range(0, len(self), rows):
            yield self.take(range(start, min(start + rows, len(self))))

    def require_every_class(self, where: str) -> None:
        """Raises UserError, naming `where`, when a class has no row, or all scores are the same: nothing to learn."""
        found = set(self.label.tolist())
        wanted = set() if self.kind == "score" else set(range(int(LABEL_RANGES[self.kind][1]) + 1))
        if wanted - found or len(found) < 2:
            missing = (
                f"no row of class {min(wanted - found)}" if wanted else f"no score but {', '.join(map(str, found))}"
            )
            raise UserError(f"{where} has {missing} among its {len(self):,} rows: there is nothing to learn from it")

    def pair_keys(self) -> list[tuple[str, str]]:
        """What makes two rows the same pair: both sentences, in any order, case and outer spaces aside."""
        sides = zip(self.sentence1, self.sentence2, strict=True)
        return [tuple(sorted((a.strip().casefold(), b.strip().casefold()))) for a, b in sides]

    def distinct_sentences(self) -> tuple[list[str], np.ndarray]:
        """Every sentence once, and where each row's stand among them, shape (n, 2), or (n, 1) of single ones."""
        return each_once(self.columns)


def each_once(columns: Sequence[Sequence[str]]) -> tuple[list[str], np.ndarray]:
    """Every sentence of k columns of length n once, and where each row's k stand among them, shape (n, k)."""
    index: dict[str, int] = {}
    where = [[index.setdefault(s, len(index)) for s in row] for row in zip(*columns, strict=True)]
    return list(index), np.array(where, dtype=int).reshape(-1, len(columns))


def distinct_sentences(corpora: Iterable[Pairs]) -> list[str]:
    """Every sentence of several corpora once, in order of appearance."""
    return list(dict.fromkeys(s for pairs in corpora for s in pairs.distinct_sentences()[0]))


def write(path: Path, pairs: Pairs) -> None:
    """Write one split as parquet, whole or not at all, its label kind in the schema's metadata."""
    columns = [pairs.id, pairs.sentence1, pairs.sentence2, pairs.label, pairs.group]
    schema = SCHEMA.with_metadata({"kind": pairs.kind})
    with whole_file(path) as part:
        pq.write_table(pa.table([pa.array(c, f.type) for c, f in zip(columns, schema)], schema=schema), part)


def read(path: Path) -> Pairs:
    """Read one prepared split. Raises UserError when it is not one this version wrote."""
    table = pq.read_table(path)
    if not table.schema.equals(SCHEMA) or b"kind" not in (table.schema.metadata or {}):
        raise UserError(f"{path} is not a prepared split of this version: delete it and run again")
    columns = {name: table[name].to_pylist() for name in ("id", "sentence1", "sentence2", "group")}
    return Pairs(label=table["label"].to_numpy(), kind=table.schema.metadata[b"kind"].decode(), **columns)
