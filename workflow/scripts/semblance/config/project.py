"""The checked configuration: settings, datasets, encoders, and papers with their runs."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from semblance.config.datasets import Datasets
from semblance.config.encoders import Encoders
from semblance.config.learning import own_task
from semblance.errors import require
from semblance.registry import MODELS
from semblance.specs.cells import ClaimSpec, FigureSpec, Headline, ListSpec, TableSpec
from semblance.specs.data import dataset_of
from semblance.specs.run import RunSpec, TaskSpec
from semblance.specs.settings import Settings

PAPER, PRESET = "paper", "preset"  # what can set a key


@dataclass(frozen=True)
class Origins:
    """What set each key of a run: `PAPER` or `PRESET`; keys that neither gives have defaults.

    Attributes:
        model: by key of the model.
        stages: by key of each stage; of a regularizer's options, by keys such as ``smart.epsilon``.
        is_altered: whether the preset changes the model or the stages.
    """

    model: Mapping[str, str]
    stages: tuple[Mapping[str, str], ...]
    is_altered: bool


@dataclass(frozen=True)
class Paper:
    """One paper: its runs, tables, figures, lists of examples and claims."""

    name: str
    title: str
    authors: str
    runs: Mapping[str, RunSpec]
    tables: Mapping[str, TableSpec]
    figures: Mapping[str, FigureSpec]
    lists: Mapping[str, ListSpec]
    claims: Mapping[str, ClaimSpec]
    where: str
    origins: Mapping[str, Origins] = field(default_factory=dict)  # what set each key of a run
    url: str | None = None  # where it is published
    headline: Headline | None = None  # the comparison that the report's first screen shows

    def table(self, name: str) -> TableSpec:
        """Return a table by its name; raise UserError with the closest name if there is none."""
        require(name, self.tables, "table", self.where)
        return self.tables[name]

    def figure(self, name: str) -> FigureSpec:
        require(name, self.figures, "figure", self.where)
        return self.figures[name]

    def listed(self, name: str) -> ListSpec:
        require(name, self.lists, "list", self.where)
        return self.lists[name]


@dataclass(frozen=True)
class Project:
    """The checked configuration.

    A paper can name another paper's run as paper/run.
    """

    settings: Settings
    datasets: Datasets
    encoders: Encoders
    papers: Mapping[str, Paper]

    def runs(self) -> Iterator[tuple[str, str, RunSpec]]:
        for paper in self.papers.values():
            for name, spec in paper.runs.items():
                yield paper.name, name, spec

    def named(self, paper: str, run: str) -> tuple[str, str]:
        """Return the paper and the name of a run that a paper refers to."""
        owner, slash, name = run.partition("/")
        return (owner, name) if slash else (paper, run)

    def run(self, paper: str, run: str) -> RunSpec:
        """Return a run that a paper refers to."""
        paper, run = self.named(paper, run)
        return self.papers[paper].runs[run]

    def runs_known_to(self, paper: Paper) -> Mapping[str, RunSpec]:
        """Return a paper's own runs; if it has none, those of all other papers as paper/run."""
        return paper.runs or {f"{other}/{run}": spec for other, run, spec in self.runs()}

    def read_in_training(self, paper: str, run: str) -> list[str]:
        """Return the splits that training a run reads, including those that show whether it learned."""
        task = self.own_task(paper, run)
        own = [split for split in (task.on, task.train) if split] if task else []
        return list(dict.fromkeys([*self.run(paper, run).inputs(), *own]))

    def own_task(self, paper: str, run: str) -> TaskSpec | None:
        """Return the task that a run is judged to have learned; see `config.learning`."""
        return own_task(self.run(paper, run), self.datasets.labels)

    def own_tasks(self, paper: str, runs: Iterable[str]) -> dict[str, TaskSpec]:
        """Return the own task of each of a paper's runs that is trained and has one."""
        return {run: task for run in runs if (task := self.own_task(paper, run))}

    def lineage(self, paper: str, run: str) -> dict[str, RunSpec]:
        """Return a run and those that it starts from, the nearest first, by the names that the paper has for them."""
        owner, name = self.named(paper, run)
        runs, prefix, found = self.papers[owner].runs, run.removesuffix(name), {}
        start: str | None = name
        while start:
            found[prefix + start] = runs[start]
            start = runs[start].start_from
        return found

    def start_from(self, paper: str, run: str) -> str | None:
        """Return the run whose weights a run starts from, by the name that the paper has for it."""
        return next(iter(list(self.lineage(paper, run))[1:]), None)

    def trained(self, paper: str, run: str) -> list[str]:
        """Return which of a run and those that it starts from are trained and have an own task, the last first."""
        return [name for name in self.lineage(paper, run) if self.own_task(paper, name)]

    def is_untrained_stand_in(self, paper: str, run: str) -> bool:
        """Return whether a run is an encoder without training and without a head, and not the one of the paper."""
        model = self.run(paper, run).model
        if not model.encoder or model.new_head or self.trained(paper, run):
            return False
        return not self.encoders.has_published_weights(model.encoder)

    def encoder_made(self, paper: str, run: str) -> str | None:
        """Return the encoder that is made for a run; None if it has none."""
        encoder = self.run(paper, run).model.encoder
        return self.encoders.made(encoder) if encoder else None

    def chosen_by(self, paper: str, run: str) -> list[str]:
        """Return the splits that selected an epoch or a stage of a run, or of the runs that it starts from."""
        return list(dict.fromkeys(on for spec in self.lineage(paper, run).values() for on in spec.chosen_by()))

    def seeds_of_run(self, paper: str, run: str) -> list[int]:
        """Return the seeds of a run; one without randomness has only the first, as those that the preset names."""
        several = self.is_random(paper, run) and not self.settings.has_one_seed(*self.named(paper, run))
        return list(self.settings.seeds if several else self.settings.seeds[:1])

    def single_seed(self, paper: str, run: str) -> bool:
        """Return whether a random run has only one seed."""
        return len(self.seeds_of_run(paper, run)) == 1 and self.is_random(paper, run)

    def is_random(self, paper: str, run: str) -> bool:
        """Return whether a run depends on its seed."""
        specs = self.lineage(paper, run).values()
        return any(spec.stages or MODELS[spec.model.kind].random for spec in specs)

    def datasets_used(self) -> list[str]:
        """Return the datasets that any run or pre-training reads, in the order of config/datasets.yaml."""
        splits = {split for _, _, spec in self.runs() for split in (*spec.evaluate, *spec.inputs())}
        splits |= {split for encoder in self.encoders_used() for split in self.encoders.read_by(encoder)}
        used = set(map(dataset_of, splits))
        return [name for name in self.datasets if name in used]

    def encoders_used(self) -> list[str]:
        """Return the encoders that are made: those that runs use, or that other encoders start from."""
        used = {made for name in {*self._encoders_named()} for made in self.encoders.chain(name)}
        return [name for name in self.encoders if name in used]

    def stands_in_for(self, encoder: str) -> list[str]:
        """Return the encoders that runs name and for which this one is used instead."""
        named = set(self._encoders_named())
        return [name for name in self.encoders if name in named and self.encoders.made(name) == encoder != name]

    def runs_waiting_for(self, encoder: str) -> int:
        return sum(self.encoders.made(name) == encoder for name in self._encoders_named())

    def _encoders_named(self) -> list[str]:
        return [spec.model.encoder for _, _, spec in self.runs() if spec.model.encoder]
