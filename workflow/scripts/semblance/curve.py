"""The training curve `curve.csv`, one row per point, written during training."""

import csv
from pathlib import Path

COLUMNS = ("stage", "epoch", "step", "series", "value")
ENDS = "ends of stages"  # stage name of points after a stage; their epoch and step are its number


class Curve:
    """Appends points to a CSV file of `COLUMNS` and flushes each of them.

    `series` is ``loss`` (mean training loss since the last point), the name of a score, or a regularizer's term.
    """

    def __init__(self, path: Path):
        self._path = path
        self._begin()
        self._write(COLUMNS)

    def add(self, stage: str, epoch: float, step: int, series: str, value: float) -> None:
        self._write((stage, f"{epoch:.4f}", step, series, f"{value:.6g}"))

    def close(self) -> None:
        self._file.close()

    def state_dict(self) -> dict:
        return {"text": self._path.read_text(encoding="utf-8")}

    def load_state_dict(self, state: dict) -> None:
        self.close()
        self._begin(state["text"])

    def _begin(self, text: str = "") -> None:
        self._file = self._path.open("w", newline="", encoding="utf-8")
        self._file.write(text)
        self._file.flush()
        self._writer = csv.writer(self._file, lineterminator="\n")

    def _write(self, row: tuple) -> None:
        self._writer.writerow(row)
        self._file.flush()
