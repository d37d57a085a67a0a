"""Access to the recorded results of the runs of a table, figure, list or set of claims."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from semblance import findings
from semblance.data import rows
from semblance.data.groups import kind_of
from semblance.data.rows import Pairs
from semblance.evaluation import clusters, predictions, watched
from semblance.evaluation.predictions import Predictions
from semblance.evaluation.selecting import by_other_half, half_of
from semblance.evaluation.watched import Evaluation
from semblance.files import read_json
from semblance.findings import Judgement, RecordedJudgement
from semblance.paths import CURVE, FACTS, LEARNING, SPEED, START_ROWS, TRAINING_ROWS, WATCHED, predictions_of
from semblance.provenance import Ledger
from semblance.registry import METRICS
from semblance.specs.cells import START, CellSpec
from semblance.specs.facts import DatasetFacts, RunFacts, SpeedFacts
from semblance.specs.places import Places

ROUNDING = 1e-6  # of epochs
CPU = "cpu"  # a device


class Evidence:
    """The recorded results, looked up by run and split (e.g. ``qqp/dev``).

    Results of a run are lists with one entry per seed. Predictions, evaluations and splits are read once and cached.
    Reading raises UserError if results come from different presets, recipes or versions; see `semblance.provenance`.

    Args:
        places: where they are.
    """

    def __init__(self, places: Places):
        self._places = places
        self._ledger = Ledger(places.preset, {name: run.recipe for name, run in places.runs.items()})
        self._predictions, self._evaluations = cache(self._scored), cache(self._watched)
        self._pairs, self._json = cache(rows.read), cache(read_json)
        self._judgements = cache(self._judged)
        self._pair_keys = cache(lambda on: self.pairs(on).pair_keys())
        self._kinds, self._clusters = cache(self._kinds_of_sentence), cache(self._clustered)

    def predictions(self, run: str, on: str, during: float | str | None = None) -> list[Predictions]:
        """Return the predictions of the finished run, or of the evaluation during training nearest to an epoch.

        There must be such an evaluation: see `reached`.

        Args:
            run: name of the run.
            on: split, named like qqp/validation.
            during: epoch of an evaluation during training, or number of stages; `START` before training, None after it;
                `OTHER_HALF` as in `selecting.by_other_half`, if the run selects on this split.
        """
        if isinstance(during, str):
            return self.starts(run, on) if during == START else self._by_other_half(run, on)
        if during is not None:
            return [one.predictions for one in self.evaluations_near(run, on, during)]
        return [self._predictions(folder / predictions_of(on), run, on) for folder in self._scoring(run)]

    def evaluations_near(self, run: str, on: str, epoch: float) -> list[Evaluation]:
        """Return, for each seed, the evaluation during training that is nearest to `epoch`; empty if none is near.

        For evaluations after stages, it is the number of stages.

        An evaluation is near if no other could be nearer: within half of the longest time between two evaluations. The
        one before the first step is near no later epoch.

        Args:
            run: name of the run.
            on: split that is evaluated during training.
            epoch: the epoch.
        """
        found = []
        for of_seed in self.evaluations(run, on):
            if not of_seed:
                return []
            candidates = [one for one in of_seed if one.step or not epoch]
            nearest = min(candidates, key=lambda one: abs(one.epoch - epoch), default=None)
            reached = np.diff([0.0, *(one.epoch for one in of_seed)]).max() / 2
            if nearest is None or abs(nearest.epoch - epoch) > reached + ROUNDING:
                return []
            found.append(nearest)
        return found

    def reached(self, run: str, on: str, during: float | str) -> bool:
        """Return whether an evaluation during training is near an epoch; `START` and `OTHER_HALF` always are."""
        return isinstance(during, str) or bool(self.evaluations_near(run, on, during))

    def evaluations(self, run: str, on: str, kind: str = WATCHED) -> list[list[Evaluation]]:
        """Return, for each seed, all evaluations during training, in order.

        Args:
            run: name of the run.
            on: the split.
            kind: folder of the evaluations: `WATCHED` or `SELECTING`.
        """
        return [self._evaluations(folder / kind / predictions_of(on), run) for folder in self._training(run)]

    def starts(self, run: str, on: str) -> list[Predictions]:
        """Return the model's predictions before training."""
        return [self._predictions(folder / LEARNING / START_ROWS, run, on) for folder in self._training(run)]

    def on_training_rows(self, run: str, of: str) -> list[Predictions]:
        """Return the finished model's predictions for a sample of its training split `of`."""
        return [self._predictions(folder / LEARNING / TRAINING_ROWS, run, of) for folder in self._training(run)]

    def learned(self, run: str) -> Sequence[Judgement]:
        """Return for each seed whether a run, or the last trained one that it starts from, learned its own task.

        The list is empty if none was trained, or if their results are not among these.
        """
        trained = self._places.runs[run].trained
        return self._judgements(trained[0]) if trained and trained[0] in self._places.learned else []

    def learned_before(self, run: str) -> dict[str, Sequence[Judgement]]:
        """Return the judgements, by run, of the earlier trained runs from which a run started, without `learned`."""
        return {name: self._judgements(name) for name in self._places.runs[run].trained[1:]}

    def made_by(self, run: str, on: str) -> dict:
        """Return the provenance of a run's predictions, without the digest of the examples."""
        found = predictions.made_by(self._scoring(run)[0] / predictions_of(on))
        return {key: value for key, value in found.items() if key != "examples"}

    def facts(self, run: str) -> list[RunFacts]:
        """Return what training recorded of a run, for each seed."""
        return [self._recorded(folder / FACTS, run) for folder in self._training(run)]

    def machines(self, cell: CellSpec) -> set[str]:
        """Return the GPUs, or else the CPUs, on which what a cell measures was done: training or scoring."""
        scoring = METRICS[cell.metric].measures == "scoring"
        found = self.speed(cell.run, cell.on) if scoring else self.facts(cell.run)
        return {one["processor"] or CPU if one["device"] == CPU else one["device"] for one in found}

    def curves(self, run: str) -> list[Path]:
        """Return the files written by `semblance.curve`."""
        return [folder / CURVE for folder in self._training(run)]

    def is_selected_on(self, cell: CellSpec) -> bool:
        """Return whether the rows that a cell scores also selected the weights that score them."""
        run = self._places.runs[cell.run]
        return cell.on in (run.chosen_before if cell.selected_by else run.chosen_by)

    def start_from(self, run: str) -> str | None:
        """Return the run whose weights a run started from, if any."""
        return self._places.runs[run].start_from

    def single_seed(self, run: str) -> bool:
        """Return whether the run is random but has one seed, so that intervals omit the variance between seeds."""
        return self._places.runs[run].single_seed

    def speed(self, run: str, on: str) -> list[SpeedFacts]:
        """Return what scoring recorded of a split, for each seed."""
        return [self._recorded(folder / SPEED, run)["splits"][on] for folder in self._scoring(run)]

    def pairs(self, on: str) -> Pairs:
        """Return the pairs of a split, named like qqp/validation."""
        return self._pairs(Path(self._places.splits[on]))

    def pair_keys(self, on: str) -> list[tuple[str, str]]:
        """Return the key of every pair of a split; equal keys mean equal pairs (see `Pairs.pair_keys`)."""
        return self._pair_keys(on)

    def clusters(self, on: str, ids: np.ndarray) -> np.ndarray:
        """Return the index of each example's cluster of examples that share sentences, shape (n,).

        If the examples are of several kinds of sentence, examples of one kind are in one cluster too. If all are of one
        kind, kinds are ignored, because there would be a single cluster.

        Args:
            on: the split.
            ids: identifiers of n examples of the split.
        """
        kinds = {self._kinds(on)[example] for example in ids}
        cluster_of = self._clusters(on, len(kinds) > 1)
        return np.unique([cluster_of[example] for example in ids], return_inverse=True)[1]

    def dataset(self, name: str) -> DatasetFacts:
        """Return what preparation recorded of a dataset."""
        return read_json(self._places.datasets[name])

    @property
    def provenance(self) -> dict:
        """The preset, and versions of the libraries that made all results read so far; None before the first."""
        return {"preset": self._places.preset, "versions": self._ledger.versions}

    def _by_other_half(self, run: str, on: str) -> list[Predictions]:
        places, finished = self._places.runs[run], self.predictions(run, on)
        if on not in [rule.on for rule in places.selection]:
            return finished
        first = half_of(self.clusters(on, finished[0].id))
        evaluations = {rule.on: self.evaluations(run, rule.on, places.selecting) for rule in places.selection}
        chosen = []
        for seed, after in enumerate(finished):
            # The scores before training select nothing, and those of a stage that diverged are not kept.
            found = {split: [one.predictions for one in of[seed] if one.step] for split, of in evaluations.items()}
            chosen.append(by_other_half(places.selection, found, on, first) if found[on] else after)
        return chosen

    def _kinds_of_sentence(self, on: str) -> dict[str, str | None]:
        return {example: kind_of(group) for example, group in zip(self.pairs(on).id, self.pairs(on).group)}

    def _clustered(self, on: str, by_kind: bool) -> dict[str, int]:
        kinds = list(self._kinds(on).values()) if by_kind else None
        return dict(zip(self.pairs(on).id, clusters.of_pairs(self.pairs(on), kinds)))

    def _scored(self, file: Path, run: str, on: str) -> Predictions:
        made_by = predictions.made_by(file)
        self._ledger.check(file, run, made_by)
        self._ledger.agree(f"the examples of {on}", file, made_by["examples"])
        return predictions.read(file)

    def _watched(self, file: Path, run: str) -> list[Evaluation]:
        self._ledger.check(file, run, predictions.made_by(file))
        return watched.read(file)

    def _judged(self, run: str) -> list[RecordedJudgement]:
        file = Path(self._places.learned[run])
        found = findings.judgements(self._json(file), run.rpartition("/")[2])
        for one in found:
            self._ledger.check(file, run, one.made_by)
        return found

    def _recorded(self, file: Path, run: str) -> Any:
        recorded = read_json(file)
        self._ledger.check(file, run, recorded.get("made_by"))
        return recorded

    def _training(self, run: str) -> list[Path]:
        return [Path(folder) for folder in self._places.runs[run].training]

    def _scoring(self, run: str) -> list[Path]:
        return [Path(folder) for folder in self._places.runs[run].predictions]
