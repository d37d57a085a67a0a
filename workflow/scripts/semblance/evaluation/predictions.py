"""Predictions, from which all metrics are computed: one row per example, one file per run, seed and split."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semblance.data.rows import Pairs
from semblance.errors import UserError
from semblance.files import whole_file
from semblance.registry import METRICS

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("target", pa.float64(), nullable=False),  # label scaled to [0, 1], or class index
        pa.field("score", pa.float64(), nullable=False),  # probability, regression, cosine, or class index
        pa.field("group", pa.string()),
    ]
)
MADE_BY = "semblance"
PROBABILITIES = pa.field("probabilities", pa.list_(pa.float64()), nullable=False)  # an additional column


@dataclass(frozen=True)
class Predictions:
    """Scored examples of one run, seed and split, in the order of the split; columns of equal length.

    Attributes:
        id, target, score, group: the columns of `SCHEMA`, each of shape (n,).
        probabilities: class probabilities, shape (n, classes); None if the score is not a class.
    """

    id: np.ndarray
    target: np.ndarray
    score: np.ndarray
    group: np.ndarray
    probabilities: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.id)

    def compared(self, metric: str) -> np.ndarray:
        """Return what a metric compares with the targets: scores, shape (n,), or probabilities, (n, classes)."""
        if METRICS[metric].of_probabilities:
            if self.probabilities is None:
                raise UserError(
                    f"{metric} needs class probabilities, which these predictions lack: score the run again"
                )
            return self.probabilities
        return self.score

    def only(self, mask: np.ndarray) -> Predictions:
        probabilities = None if self.probabilities is None else self.probabilities[mask]
        return Predictions(self.id[mask], self.target[mask], self.score[mask], self.group[mask], probabilities)


def write(path: Path, pairs: Pairs, scores: np.ndarray, made_by: Mapping) -> None:
    """Write the scores of labelled pairs as parquet of `SCHEMA`.

    Args:
        path: the file; it appears complete or not at all.
        pairs: n scored pairs.
        scores: one score per pair, shape (n,), or class probabilities, shape (n, classes).
        made_by: provenance, stored in the file's metadata.

    Raises:
        UserError: if a score is not finite.
    """
    made = table(pairs, scores, path.name).replace_schema_metadata(metadata(made_by))
    with whole_file(path) as part:
        pq.write_table(made, part)


def table(pairs: Pairs, scores: np.ndarray, where: str) -> pa.Table:
    """Return the scores of labelled pairs as a table of `SCHEMA`.

    Args:
        pairs: n scored pairs.
        scores: one score per pair, shape (n,), or class probabilities, shape (n, classes). With probabilities, the
            score is the most probable class, and the table also has the column `PROBABILITIES`.
        where: description of the file, for the message.

    Raises:
        UserError: if a score is not finite.
    """
    finite = np.isfinite(scores).reshape(len(scores), -1).all(1)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise UserError(
            f"{where}: the model scores {pairs.id[row]} as {scores[row]}: lower its learning rate, "
            "or set precision: fp32"
        )
    chosen = scores if scores.ndim == 1 else scores.argmax(1)
    columns = [pairs.id, pairs.targets, chosen, pairs.group]
    made = pa.table([pa.array(c, f.type) for c, f in zip(columns, SCHEMA)], schema=SCHEMA)
    if scores.ndim == 1:
        return made
    return made.append_column(PROBABILITIES, pa.array(scores.tolist(), PROBABILITIES.type))


def metadata(made_by: Mapping) -> dict[str, str]:
    """Return the metadata of a parquet file with this provenance."""
    return {MADE_BY: json.dumps(made_by, sort_keys=True)}


def made_by(path: Path) -> dict:
    """Return the provenance of a parquet file, see `semblance.provenance`; empty if it has none."""
    return json.loads((pq.read_schema(path).metadata or {}).get(MADE_BY.encode(), "{}"))


def read(path: Path) -> Predictions:
    """Return the predictions in a file."""
    return of_table(pq.read_table(path))


def of_table(table: pa.Table) -> Predictions:
    """Return what `table` made; other columns are ignored."""
    probabilities = None
    if PROBABILITIES.name in table.column_names:
        probabilities = np.stack(table[PROBABILITIES.name].to_numpy())
    columns = {name: table[name].to_numpy() for name in SCHEMA.names}
    return Predictions(**columns, probabilities=probabilities)
