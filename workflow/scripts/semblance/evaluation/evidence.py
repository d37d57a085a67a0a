"""All that was recorded of the runs a table or figure is about, each file read once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from semblance.data import rows
from semblance.data.rows import Pairs
from semblance.evaluation import predictions, watched
from semblance.evaluation.predictions import Predictions
from semblance.evaluation.watched import Moment
from semblance.files import read_json


class Evidence:
    """Looks things up by run and split (``qqp/dev``); whatever is of a run comes as a list, one entry a seed."""

    def __init__(self, places: Mapping[str, Mapping]):
        """`places` gives every run's folders and what chose its weights, the files of splits and of datasets' facts."""
        self._places = places
        self._predictions, self._moments, self._pairs = map(cache, (predictions.read, watched.read, rows.read))
        self._pair_keys = cache(lambda on: self.pairs(on).pair_keys())

    def predictions(self, run: str, on: str, epoch: float | None = None) -> list[Predictions]:
        """The finished run's, or those taken nearest to `epoch` while it trained."""
        if epoch is not None:
            return [moment.predictions for moment in self.moments(run, on, epoch)]
        return [self._predictions(folder / "predictions" / _parquet(on)) for folder in self._folders(run)]

    def moments(self, run: str, on: str, epoch: float) -> list[Moment]:
        """The look nearest to `epoch`."""
        return [min(looks, key=lambda m: abs(m.epoch - epoch)) for looks in self.looks(run, on)]

    def looks(self, run: str, on: str) -> list[list[Moment]]:
        """Every look at a run in training."""
        return [self._moments(folder / "watched" / _parquet(on)) for folder in self._folders(run)]

    def facts(self, run: str) -> list[dict]:
        return [read_json(folder / "facts.json") for folder in self._folders(run)]

    def chosen_by(self, run: str) -> list[str]:
        """The splits that an epoch or a stage of the run was chosen by."""
        return self._places["chosen_by"][run]

    def speed(self, run: str, on: str) -> list[dict]:
        """How many pairs a split had, and the seconds it took to score them."""
        return [read_json(folder / "speed.json")[on] for folder in self._folders(run)]

    def pairs(self, on: str) -> Pairs:
        return self._pairs(Path(self._places["splits"][on]))

    def pair_keys(self, on: str) -> list[tuple[str, str]]:
        """What makes pairs the same, of every pair of a split."""
        return self._pair_keys(on)

    def dataset(self, name: str) -> dict:
        return read_json(self._places["datasets"][name])

    def _folders(self, run: str) -> list[Path]:
        return [Path(folder) for folder in self._places["runs"][run]]


def _parquet(on: str) -> str:
    return f"{on.replace('/', '-')}.parquet"
