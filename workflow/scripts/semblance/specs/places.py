"""Where the recorded results are that a table, figure, list or set of claims is measured from."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from semblance.specs.run import SelectionSpec


@dataclass(frozen=True)
class RunPlaces:
    """The results of one run.

    Attributes:
        recipe: digest of what decides its weights, which its results carry.
        training: its folders of training, one per seed.
        predictions: its folders of predictions, one per seed.
        chosen_by: the splits that selected its weights, or those from which it started.
        chosen_before: those among them that selected no weights which `selection` could change: of a run from which it
            started, or of an earlier stage.
        selection: what selects its own epoch or stage.
        selecting: folder, in those of training, of the predictions that select it.
        start_from: the run whose weights it starts from, if any.
        trained: which of itself and the runs that it starts from are trained and have an own task, the last first.
        single_seed: whether it is random but has one seed.
    """

    recipe: str
    training: tuple[str, ...] = ()
    predictions: tuple[str, ...] = ()
    chosen_by: tuple[str, ...] = ()
    chosen_before: tuple[str, ...] = ()
    selection: tuple[SelectionSpec, ...] = ()
    selecting: str = ""
    start_from: str | None = None
    trained: tuple[str, ...] = ()
    single_seed: bool = False


@dataclass(frozen=True)
class Places:
    """All of them.

    Attributes:
        preset: name of the preset.
        runs: by name.
        learned: files of judgements of learning, by trained run.
        splits: files of prepared splits.
        datasets: files with facts of datasets.
    """

    preset: str
    runs: Mapping[str, RunPlaces]
    learned: Mapping[str, str] = field(default_factory=dict)
    splits: Mapping[str, str] = field(default_factory=dict)
    datasets: Mapping[str, str] = field(default_factory=dict)
