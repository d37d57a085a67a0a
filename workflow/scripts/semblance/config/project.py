"""The checked configuration: papers, and what datasets, encoders and runs are made from."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from semblance.config.learning import own_task
from semblance.errors import UserError, require
from semblance.files import read_json
from semblance.paths import GRAMMAR, ROOT, SHIPPED
from semblance.registry import MODELS
from semblance.specs.cells import ClaimSpec, FigureSpec, Headline, ListSpec, TableSpec
from semblance.specs.data import DatasetSpec, GeneratedCorpus, OfficialFiles, Source, UserTable
from semblance.specs.encoders import EncoderSpec, LocalFiles, Pretraining, SentencePretraining, ShippedModel, source
from semblance.specs.run import RunSpec, TaskSpec

PAPER, PRESET = "paper", "preset"  # what can set a key


@dataclass(frozen=True)
class Origins:
    """What set each key of a run: `PAPER` or `PRESET`; keys that neither gives have defaults.

    Attributes:
        model: by key of the model.
        stages: by key of each stage.
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

    Splits are named like qqp/train. A paper can name another paper's run as paper/run.
    """

    settings: Mapping
    preset: Mapping
    datasets: Mapping[str, DatasetSpec]
    sources: Mapping[str, Mapping[str, Source]]  # of each dataset, by kind
    encoders: Mapping[str, dict]
    papers: Mapping[str, Paper]

    @property
    def seeds(self) -> list[int]:
        return self.settings["seeds"] or self.preset["seeds"]

    def _kind_of_source(self, name: str) -> str | None:
        wanted = self.settings["data_source"] or self.preset["data_source"]
        # Some public corpora have a repository instead of a place on the hub; the project's own have neither.
        order = (wanted, *(["repository"] if wanted == "hub" else []), "project", "table", "generated")
        return next((kind for kind in order if kind in self.sources[name]), None)

    def datasets_with_source(self) -> list[str]:
        """Return the datasets that the configured `data_source` can provide."""
        return [name for name in self.datasets if self._kind_of_source(name)]

    def dataset_source(self, name: str) -> Source:
        """Return where a dataset comes from under this configuration.

        Raises:
            UserError: the dataset does not have the source that the configuration wants.
        """
        kind = self._kind_of_source(name)
        if kind is None:
            wanted = self.settings["data_source"] or self.preset["data_source"]
            sources = ", ".join(key for key in ("hub", "files") if key in self.sources[name])
            raise UserError(f"config/datasets.yaml: {name} has no source {wanted!r}; set data_source to {sources}")
        source = self.sources[name][kind]
        if isinstance(source, OfficialFiles) and kind == "files":
            return replace(source, folder=self.settings["data_folder"])
        if isinstance(source, GeneratedCorpus):
            return replace(source, rows={**source.rows, **self._rows(name)})
        return source

    def is_fetched(self, name: str) -> bool:
        """Return whether a dataset comes over the network."""
        return self._kind_of_source(name) in ("hub", "repository")

    def dataset_spec(self, name: str) -> DatasetSpec:
        """Return what a dataset is under this configuration."""
        return replace(self.datasets[name], rows={**self.datasets[name].rows, **self._rows(name)})

    def _rows(self, dataset: str) -> Mapping[str, int]:
        """Return the preset's numbers of rows of a dataset's splits."""
        return self.preset.get("rows", {}).get(dataset, {})

    def _chosen(self, encoder: str) -> dict:
        return {**self.preset.get("encoders", {}).get(encoder, {}), **self.settings["encoders"].get(encoder, {})}

    def encoder_made(self, name: str) -> str:
        """Return the encoder that is made for `name`: another one, if it is the `same_as` that."""
        chosen = self._chosen(name)
        return self.encoder_made(chosen["same_as"]) if chosen.keys() == {"same_as"} else name

    def encoder_spec(self, name: str) -> EncoderSpec:
        """Return what making an encoder depends on.

        Raises:
            UserError: the encoder does not have the source that the configuration wants, or lacks keys of it.
        """
        chosen = self._chosen(name)
        described = self.encoders[chosen.get("same_as", name)]
        # Settings that say how an encoder is generated also mean that it is.
        implied = "generated" if "generated" in self.settings["encoders"].get(name, {}) else None
        kind = chosen.get("source") or implied or self.settings["encoder_source"] or self.preset["encoder_source"]
        if kind == "path":
            if "path" not in chosen:
                raise UserError(
                    f"config/config.yaml: encoders.{name} comes from a path, but encoders.{name}.path is not set"
                )
            return EncoderSpec(chosen["path"], LocalFiles(chosen["path"]))
        own = _merged(described.get(kind, {}), chosen.get(kind, {}))
        if not own:
            raise UserError(
                f"config/encoders.yaml: {chosen.get('same_as', name)} has no source {kind!r}; "
                f"it has {', '.join(k for k in described if k != 'title')}: "
                f"set encoder_source, or encoders.{name}.source"
            )
        if kind == "shipped":
            own["sha256"] = {"model.safetensors": read_json(ROOT / own["folder"] / SHIPPED)["weights_sha256"]}
        return EncoderSpec(described["title"], source({"kind": kind, **own}, f"config: encoders.{name}.{kind}"))

    def pretraining(self, name: str) -> Pretraining | None:
        """Return how an encoder is pre-trained, or was, if it is shipped; None for one that is fetched."""
        found = self.encoder_spec(name).source
        if isinstance(found, ShippedModel):
            found = source({"kind": "generated", **self.encoders[name]["generated"]}, name)
        return found if isinstance(found, Pretraining) else None

    def start_of_encoder(self, name: str) -> str | None:
        """Return the encoder from which the pre-training of another one starts here."""
        found = self.encoder_spec(name).source
        return found.start_from if isinstance(found, SentencePretraining) else None

    def has_published_weights(self, name: str) -> bool:
        """Return whether an encoder's weights are those that the papers used; those from a path are assumed to be."""
        found, published = self.encoder_spec(name).source, self.encoders[name]
        if found.kind in ("hub", "package"):
            return found.kind in published and found == source({"kind": found.kind, **published[found.kind]}, name)
        return found.kind == "path"

    def read_by_encoder(self, name: str) -> list[str]:
        """Return the splits on whose texts an encoder is pre-trained."""
        found = self.encoder_spec(name).source
        return list(found.corpus.splits) if isinstance(found, Pretraining) else []

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
        return own_task(self.run(paper, run), {name: spec.label for name, spec in self.datasets.items()})

    def trained(self, paper: str, run: str) -> str | None:
        """Return the run itself or the one that it starts from, whichever was trained last and has its own task."""
        if self.own_task(paper, run):
            return run
        start, [own, _] = self.run(paper, run).start_from, self.named(paper, run)
        return self.trained(paper, f"{own}/{start}" if "/" in run else start) if start else None

    def chosen_by(self, paper: str, run: str | None) -> list[str]:
        """Return the splits that selected an epoch or a stage of a run, or of the runs that it starts from."""
        if run is None:
            return []
        paper, run = self.named(paper, run)
        spec = self.papers[paper].runs[run]
        return list(dict.fromkeys([*spec.chosen_by(), *self.chosen_by(paper, spec.start_from)]))

    def seeds_of_run(self, paper: str, run: str) -> list[int]:
        """Return the seeds of a run; one without randomness has only the first."""
        return self.seeds if self.is_random(paper, run) else self.seeds[:1]

    def single_seed(self, paper: str, run: str) -> bool:
        """Return whether a random run has only one seed."""
        return len(self.seeds) == 1 and self.is_random(paper, run)

    def is_random(self, paper: str, run: str) -> bool:
        """Return whether a run depends on its seed."""
        paper, run = self.named(paper, run)
        spec = self.papers[paper].runs[run]
        while spec.start_from and not spec.stages:
            spec = self.papers[paper].runs[spec.start_from]
        return bool(spec.stages) or MODELS[spec.model.kind].random

    def datasets_used(self) -> list[str]:
        """Return the datasets that any run reads, in the order of config/datasets.yaml."""
        used = {name.split("/")[0] for _, _, spec in self.runs() for name in [*spec.evaluate, *spec.inputs()]}
        return [name for name in self.datasets if name in used]

    def encoders_used(self) -> list[str]:
        """Return the encoders that are made: those that runs use, or that other encoders start from."""
        used = {self.encoder_made(name) for name in self._encoders_named()}
        used |= {self.encoder_made(start) for start in map(self.start_of_encoder, used) if start}
        return [name for name in self.encoders if name in used]

    def stands_in_for(self, encoder: str) -> list[str]:
        """Return the encoders that runs name and for which this one is used instead."""
        named = set(self._encoders_named())
        return [name for name in self.encoders if name in named and self.encoder_made(name) == encoder != name]

    def runs_waiting_for(self, encoder: str) -> int:
        return sum(self.encoder_made(name) == encoder for name in self._encoders_named())

    def _encoders_named(self) -> list[str]:
        return [spec.model.encoder for _, _, spec in self.runs() if spec.model.encoder]

    def files_of_dataset(self, name: str) -> list[str]:
        """Return the existing files from which a dataset is read; its preparation reports missing ones."""
        source = self.dataset_source(name)
        if isinstance(source, GeneratedCorpus):
            return [os.path.relpath(GRAMMAR)]
        if not isinstance(source, OfficialFiles | UserTable):
            return []
        files = dict.fromkeys(source.path(split) for split in source.splits)
        return [os.path.relpath(path) for path in files if path.exists()]


def _merged(described: Mapping, changed: Mapping) -> dict:
    """Return a source with changed keys; those of a recipe are changed one by one."""
    recipes = {"recipe": {**described.get("recipe", {}), **changed["recipe"]}} if "recipe" in changed else {}
    return {**described, **changed, **recipes}
