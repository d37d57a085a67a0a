"""Predictions that show whether a run learned: on its own task before training, on training rows after it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation import predictions
from semblance.files import sha256
from semblance.paths import START_ROWS, TRAINING_ROWS
from semblance.specs.run import TaskRows
from semblance.training.selection import share_of

ScoreAll = Callable[[Pairs], Sequence[np.ndarray]]  # returns the scores of each model of a group


class Learning:
    """Records these predictions for a group of runs, as `START_ROWS` and `TRAINING_ROWS`.

    Args:
        tasks: rows of each run's own task; None for a run that records nothing.
        data: files of prepared splits by name.
        made_by: provenance of each run.
        folders: destination of each run.
    """

    def __init__(
        self,
        tasks: Sequence[TaskRows | None],
        data: Mapping[str, Path],
        made_by: Sequence[Mapping],
        folders: Sequence[Path],
    ):
        self._tasks, self._data, self._made_by, self._folders = tasks, data, made_by, folders

    def before(self, score: ScoreAll) -> None:
        """Record the predictions of the untrained models on their own tasks."""
        for on, runs in self._runs_by("on").items():
            self._write(START_ROWS, rows.read(self._data[on]), score, on, runs)

    def after(self, score: ScoreAll) -> None:
        """Record predictions on a random sample of training rows, as many as the own task's split has."""
        for train, runs in self._runs_by("train").items():
            whole, wanted = (rows.read(self._data[name]) for name in (train, self._tasks[runs[0]].on))
            self._write(TRAINING_ROWS, share_of(whole, min(1, len(wanted) / len(whole)), seed=0), score, train, runs)

    def _runs_by(self, key: str) -> dict[str, list[int]]:
        """Return the indices of the runs by the split that their task names under `key`."""
        found: dict[str, list[int]] = {}
        for number, task in enumerate(self._tasks):
            if task and (split := getattr(task, key)):
                found.setdefault(split, []).append(number)
        return found

    def _write(self, name: str, pairs: Pairs, score: ScoreAll, of: str, runs: Sequence[int]) -> None:
        scored, examples = score(pairs), sha256(self._data[of])
        for run in runs:
            made_by = {**self._made_by[run], "examples": examples}
            predictions.write(self._folders[run] / name, pairs, scored[run], made_by)
