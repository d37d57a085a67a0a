"""The training curve `curve.csv`, one row per point, written during training."""

import csv
from pathlib import Path

COLUMNS = ("stage", "epoch", "step", "series", "value")
LOSS = "loss"  # series of the whole training loss, with the penalty of a regularizer
PENALTY, SMOOTHNESS, PROXIMITY = "smart penalty", "smart smoothness", "smart proximity"  # of `regularizers.smart`
ENDS = "ends of stages"  # stage name of points after a stage; their epoch and step are its number


class Curve:
    """Begins a CSV file of `COLUMNS` and appends each point to it.

    `series` is `LOSS` (mean since the last point), the name of a score, or a regularizer's term.
    """

    def __init__(self, path: Path):
        self._path = path
        self._path.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")

    def add(self, stage: str, epoch: float, step: int, series: str, value: float) -> None:
        """Append a point.

        Args:
            stage: name of the stage, such as ``1. qqp``.
            epoch: epochs of the stage until then.
            step: steps of the stage until then.
            series: what was measured.
            value: its value.
        """
        with self._path.open("a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerow((stage, f"{epoch:.4f}", step, series, f"{value:.6g}"))

    def state_dict(self) -> dict:
        return {"text": self._path.read_text(encoding="utf-8")}

    def load_state_dict(self, state: dict) -> None:
        self._path.write_text(state["text"], encoding="utf-8")
