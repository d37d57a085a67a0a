"""Predictions recorded during training, all in one file."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from semblance.data.rows import Pairs
from semblance.evaluation import predictions
from semblance.evaluation.predictions import Predictions
from semblance.files import whole_file

SCHEMA = pa.schema([pa.field("step", pa.int64()), pa.field("epoch", pa.float64()), *predictions.SCHEMA])


@dataclass
class Watcher:
    """Scores pairs at regular steps, and after epochs and stages; `training.selection` calls it.

    Attributes:
        pairs: the scored pairs.
        score: function from pairs to scores.
        every: number of steps between evaluations.
        seen: step, epoch and scores of each evaluation.
        seconds: time spent on scoring.
    """

    pairs: Pairs
    score: Callable[[Pairs], np.ndarray]
    every: int
    seen: list[tuple[int, float, np.ndarray]] = field(default_factory=list)
    seconds: float = 0.0

    def evaluate(self, step: int, epoch: float) -> None:
        started = time.monotonic()
        self.seen.append((step, epoch, self.score(self.pairs)))
        self.seconds += time.monotonic() - started

    def state_dict(self) -> dict:
        seen = [(step, epoch, scores.tolist(), str(scores.dtype)) for step, epoch, scores in self.seen]
        return {"seen": seen, "seconds": self.seconds}

    def load_state_dict(self, state: dict) -> None:
        self.seen = [(step, epoch, np.array(scores, dtype)) for step, epoch, scores, dtype in state["seen"]]
        self.seconds = state["seconds"]

    def write(self, path: Path, made_by: Mapping) -> None:
        """Write all evaluations as parquet, one row group each; the file appears complete or not at all.

        Its columns are those of `SCHEMA` and, for class probabilities, `predictions.PROBABILITIES`.
        """
        tables = [self._table(*evaluation, path.name) for evaluation in self.seen]
        schema = tables[0].schema if tables else SCHEMA
        with (
            whole_file(path) as part,
            pq.ParquetWriter(part, schema.with_metadata(predictions.metadata(made_by))) as file,
        ):
            for table in tables:
                file.write_table(table, row_group_size=len(table))

    def _table(self, step: int, epoch: float, scores: np.ndarray, where: str) -> pa.Table:
        table = predictions.table(self.pairs, scores, f"{where} at step {step}")
        for place, value in enumerate((step, epoch)):
            column = SCHEMA.field(place)
            table = table.add_column(place, column, pa.array([value] * len(table), column.type))
        return table


@dataclass(frozen=True)
class Evaluation:
    """The predictions of one evaluation during training."""

    step: int
    epoch: float
    predictions: Predictions


def read(path: Path) -> list[Evaluation]:
    """Return all evaluations during training in a file, in order."""
    file = pq.ParquetFile(path)
    return [_evaluation(file.read_row_group(number)) for number in range(file.num_row_groups)]


def _evaluation(table: pa.Table) -> Evaluation:
    return Evaluation(table["step"][0].as_py(), table["epoch"][0].as_py(), predictions.of_table(table))
