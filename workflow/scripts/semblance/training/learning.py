"""Scores that show whether a run learned: of its own task before training, and of its training rows after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation import predictions
from semblance.files import sha256
from semblance.training.selection import share_of

START, TRAIN = "start.parquet", "train.parquet"
ScoreAll = Callable[[Pairs], Sequence[np.ndarray]]  # what each model of a set scores the pairs


class Learning:
    """Records both for runs that are trained together, as predictions are, in each run's folder `learning`.

    Args:
        tasks: each run's own task, see `semblance.config.learning`; None for a run that records nothing.
        data: files of prepared splits by name.
        made_by: what each run writes into its results.
        folders: each run's folder.
    """

    def __init__(
        self,
        tasks: Sequence[Mapping | None],
        data: Mapping[str, Path],
        made_by: Sequence[Mapping],
        folders: Sequence[Path],
    ):
        self._tasks, self._data, self._made_by, self._folders = tasks, data, made_by, folders

    def before(self, score: ScoreAll) -> None:
        """Score the own tasks with the models as they start."""
        for on, runs in self._runs_by("on").items():
            self._write(START, rows.read(self._data[on]), score, on, runs)

    def after(self, score: ScoreAll) -> None:
        """Score as many training rows, at random, as the own task's split has."""
        for train, runs in self._runs_by("train").items():
            whole, wanted = (rows.read(self._data[name]) for name in (train, self._tasks[runs[0]]["on"]))
            self._write(TRAIN, share_of(whole, min(1, len(wanted) / len(whole)), seed=0), score, train, runs)

    def _runs_by(self, key: str) -> dict[str, list[int]]:
        """The numbers of the runs whose task names a split under `key`, by that split."""
        found: dict[str, list[int]] = {}
        for number, task in enumerate(self._tasks):
            if task and task[key]:
                found.setdefault(task[key], []).append(number)
        return found

    def _write(self, name: str, pairs: Pairs, score: ScoreAll, of: str, runs: Sequence[int]) -> None:
        scored, examples = score(pairs), sha256(self._data[of])
        for run in runs:
            made_by = {**self._made_by[run], "examples": examples}
            predictions.write(self._folders[run] / name, pairs, scored[run], made_by)
