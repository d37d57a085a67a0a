"""The whole configuration as one checked object: what the Snakefile asks, and every script reads."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from semblance.config import cells
from semblance.config.expand import check_chains, complete, expand_grids
from semblance.config.load import check, read_checked, read_yaml
from semblance.errors import UserError, require
from semblance.evaluation.names import SCORED
from semblance.evaluation.specs import parts_of_mean
from semblance.paths import GRAMMAR, ROOT

LEFT_TO_CHANCE = ("tfidf-forest", "multitask")  # even where no stage trains them: fresh heads are random
CLASSES_OF_LABEL = {"binary": 2, "inference": 3, "sentiment": 5, "polarity": 2}

# Of a model of several tasks: the objective of each kind of label but classes, and those that need no head, with
# the kind of label that they make their examples of.
OBJECTIVE_OF = {"binary": "binary-cross-entropy", "score": "score-squared-error"}
WITHOUT_LABELS = {
    "simcse-triplet": "inference",
    "simcse-in-batch": "inference",
    "simcse-listing": "inference",
    "simcse-unsupervised": None,
}
OF_EMBEDDINGS = {
    "cosine-mean-squared-error",
    "cosine-linear",
    "contrastive",
    "triplet",
    "in-batch-ranking",
    *WITHOUT_LABELS,
}
# What regularizers.smart knows the divergence of.
SMOOTHED = ("binary-cross-entropy", "cross-entropy", "mean-squared-error", "score-squared-error")


@dataclass(frozen=True)
class Paper:
    """One paper: its runs, complete and expanded, and its tables, figures, lists of errors and claims as written."""

    name: str
    title: str
    authors: str
    runs: Mapping[str, dict]
    tables: Mapping[str, dict]
    figures: Mapping[str, dict]
    errors: Mapping[str, dict]
    claims: Mapping[str, dict]
    where: str
    altered: frozenset[str] = frozenset()  # the runs whose model or stages the preset changes


@dataclass(frozen=True)
class Project:
    """Everything the configuration says, checked."""

    settings: Mapping
    preset: Mapping
    datasets: Mapping[str, dict]
    encoders: Mapping[str, dict]
    papers: Mapping[str, Paper]

    @property
    def seeds(self) -> list[int]:
        return self.settings["seeds"] or self.preset["seeds"]

    def dataset_source(self, name: str) -> dict:
        """Where a dataset comes from under this configuration: `kind` and that source's own keys."""
        spec = self.datasets[name]
        wanted = self.settings["data_source"] or self.preset["data_source"]
        # What is public but not on the hub has a repository of its own; what is the project's own, neither.
        order = (wanted, *(["repository"] if wanted == "hub" else []), "project", "generated")
        kind = next(k for k in order if k in spec)
        source = {"kind": kind, **spec[kind]}
        if kind == "files":
            source["folder"] = self.settings["data_folder"]
        if kind == "generated":
            source["rows"] = {**source["rows"], **self.preset.get("rows", {}).get(name, {})}
        return source

    def dataset_spec(self, name: str) -> dict:
        """All that the preparation of a dataset depends on."""
        described, source = self.datasets[name], self.dataset_source(name)
        shared = {k: described.get(k) for k in ("label", "splits", "unlabelled", "held_out", "empty_text")}
        shared["minimum_characters"] = described.get("minimum_characters", 1)
        limits = {**described.get("rows", {}), **self.preset.get("rows", {}).get(name, {})}
        return {**shared, "source": source, "limits": {} if source["kind"] == "generated" else limits}

    def _chosen(self, encoder: str) -> dict:
        return {**self.preset.get("encoders", {}).get(encoder, {}), **self.settings["encoders"].get(encoder, {})}

    def encoder_made(self, name: str) -> str:
        """The encoder that is made for `name`: one that only `is` another is not made twice."""
        chosen = self._chosen(name)
        return self.encoder_made(chosen["is"]) if chosen.keys() == {"is"} else name

    def encoder_spec(self, name: str) -> dict:
        """All that the making of an encoder depends on: `kind` of source, that source's own keys, `title`."""
        chosen = self._chosen(name)
        described = self.encoders[chosen.get("is", name)]
        kind = chosen.get("source") or self.settings["encoder_source"] or self.preset["encoder_source"]
        if kind == "path":
            if "path" not in chosen:
                raise UserError(
                    f"config/config.yaml: encoders.{name} comes from a path, but encoders.{name}.path is not set"
                )
            return {"kind": "path", "path": chosen["path"], "title": chosen["path"]}
        own = {**described.get(kind, {}), **chosen.get(kind, {})}
        if not own:
            raise UserError(
                f"config/encoders.yaml: {chosen.get('is', name)} has no source {kind!r}; "
                f"it has {', '.join(k for k in described if k != 'title')}: "
                f"set encoder_source, or encoders.{name}.source"
            )
        return {"kind": kind, "title": described["title"], **own}

    def runs(self) -> Iterator[tuple[str, str, dict]]:
        for paper in self.papers.values():
            for name, spec in paper.runs.items():
                yield paper.name, name, spec

    def inputs_of_run(self, paper: str, run: str) -> list[str]:
        """The splits, named like qqp/train, that a run is fitted on or selected by."""
        spec = self.papers[paper].runs[run]
        used = list(spec["model"].get("fit_on", []))
        for stage in spec["stages"]:
            used += [f"{stage['on']}/train"]
            used += [stage["select"]["on"], *stage["select"].get("show", [])] if "select" in stage else []
            used += [stage["watch"]] if "watch" in stage else []
        used += [rule["on"] for rule in spec["keep_best"]]
        return list(dict.fromkeys(used))

    def chosen_by(self, paper: str, run: str | None) -> list[str]:
        """The splits that chose an epoch or a stage of a run, or of what it starts from."""
        if run is None:
            return []
        spec = self.papers[paper].runs[run]
        own = [stage["select"]["on"] for stage in spec["stages"] if "select" in stage]
        own += [rule["on"] for rule in spec["keep_best"]]
        return list(dict.fromkeys(own + self.chosen_by(paper, spec["start_from"])))

    def seeds_of_run(self, paper: str, run: str) -> list[int]:
        """A run that leaves nothing to chance, nor starts from one that does, is the same for every seed."""
        spec = self.papers[paper].runs[run]
        while spec["start_from"] and not spec["stages"]:
            spec = self.papers[paper].runs[spec["start_from"]]
        by_chance = spec["stages"] or spec["model"]["kind"] in LEFT_TO_CHANCE
        return self.seeds if by_chance else self.seeds[:1]

    def datasets_used(self) -> list[str]:
        """The datasets any run reads, in the order of config/datasets.yaml."""
        used = {
            name.split("/")[0] for p, r, spec in self.runs() for name in spec["evaluate"] + self.inputs_of_run(p, r)
        }
        return [name for name in self.datasets if name in used]

    def encoders_used(self) -> list[str]:
        """The encoders that are made: those any run uses, or that another encoder starts from."""
        used = {self.encoder_made(name) for name in self._encoders_named()}
        starts = {self.encoder_spec(name).get("start_from") for name in used} - {None}
        used |= {self.encoder_made(name) for name in starts}
        return [name for name in self.encoders if name in used]

    def stands_in_for(self, encoder: str) -> list[str]:
        """The encoders that runs name and that this one, made for them, is not."""
        named = set(self._encoders_named())
        return [name for name in self.encoders if name in named and self.encoder_made(name) == encoder != name]

    def runs_waiting_for(self, encoder: str) -> int:
        return sum(self.encoder_made(name) == encoder for name in self._encoders_named())

    def _encoders_named(self) -> list[str]:
        return [spec["model"]["encoder"] for _, _, spec in self.runs() if "encoder" in spec["model"]]

    def files_of_dataset(self, name: str) -> list[str]:
        """The files a dataset is read from, those that are there: a missing one is the reader's to report."""
        source = self.dataset_source(name)
        if source["kind"] == "generated":
            return [os.path.relpath(GRAMMAR)]
        if source["kind"] in ("hub", "repository"):
            return []
        folder = Path(source["folder"]).expanduser() if source["kind"] == "files" else ROOT
        files = dict.fromkeys(folder / name for name in source["splits"].values())
        return [os.path.relpath(path) for path in files if path.exists()]


def load(root: Path, settings: dict) -> Project:
    """Read and check everything under `root`/config. Raises UserError naming file, key and remedy."""
    config, schema = root / "config", root / "config" / "schema"
    check(settings, schema / "config.yaml", "config/config.yaml")
    require(settings["preset"], _names(config / "presets"), "preset", "config/config.yaml: preset")
    preset = read_checked(config / "presets" / f"{settings['preset']}.yaml", schema / "preset.yaml")
    datasets = read_checked(config / "datasets.yaml", schema / "datasets.yaml")
    encoders = read_checked(config / "encoders.yaml", schema / "encoders.yaml")
    papers = {}
    for name in settings["papers"]:
        require(name, _names(config / "papers"), "paper", "config/config.yaml: papers")
        papers[name] = _paper(config / "papers" / f"{name}.yaml", schema / "paper.yaml", preset)
    project = Project(settings, preset, datasets, encoders, papers)
    _check_settings(project)
    for paper in papers.values():
        _check_paper(project, paper)
    return project


def _names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.yaml"))


def _paper(path: Path, schema: Path, preset: Mapping) -> Paper:
    where = f"config/papers/{path.name}"
    raw = read_yaml(path)
    # Grids first: what stands in for a number while it is written is one when it is checked.
    if isinstance(raw.get("runs"), Mapping):
        raw["runs"] = expand_grids(raw["runs"], where)
    check(raw, schema, where)
    runs = raw["runs"]
    check_chains(runs, where)
    said, runs = (
        {name: complete(spec, raw.get("defaults", {}), changes, path.stem, name) for name, spec in runs.items()}
        for changes in ({}, preset)
    )
    altered = frozenset(name for name in runs if runs[name] != said[name])
    shown = (raw.get(section, {}) for section in ("tables", "figures", "errors", "claims"))
    return Paper(path.stem, raw["title"], raw["authors"], runs, *shown, where, altered)


def _check_settings(project: Project) -> None:
    wanted = project.settings["data_source"] or project.preset["data_source"]
    if wanted == "files" and not project.settings["data_folder"]:
        raise UserError("config/config.yaml: data_source is files, so data_folder must name the folder that holds them")
    for where, chosen in (("config/config.yaml", project.settings), ("config/presets", project.preset)):
        for name, spec in (chosen.get("encoders") or {}).items():
            require(name, project.encoders, "encoder", f"{where}: encoders")
            if "is" in spec:
                require(spec["is"], project.encoders, "encoder", f"{where}: encoders.{name}.is")
    for name in project.encoders:
        try:
            project.encoder_made(name)
        except RecursionError:
            raise UserError(f"config/presets and config/config.yaml: encoders.{name}.is leads back to itself") from None


def _check_paper(project: Project, paper: Paper) -> None:
    for name, spec in paper.runs.items():
        where = f"{paper.where}: runs.{name}"
        if "encoder" in spec["model"]:
            require(spec["model"]["encoder"], project.encoders, "encoder", f"{where}.model.encoder")
            project.encoder_spec(spec["model"]["encoder"])
        for on in spec["evaluate"] + spec["model"].get("fit_on", []):
            _check_split(project, on, where)
        if spec["model"]["kind"] == "siamese-3d":
            chosen = [stage.get("select", {}).get("metric") for stage in spec["stages"]]
            elsewhere = {"regularizer", "share", "watch"} & {key for stage in spec["stages"] for key in stage}
            if chosen != ["class-accuracy"] or spec["start_from"] or elsewhere:
                raise UserError(
                    f"{where}: siamese-3d wants one stage that selects by class-accuracy, and no start_from, "
                    "regularizer, share or watch"
                )
        if spec["keep_best"] and not spec["stages"]:
            raise UserError(f"{where}: keep_best chooses among stages, but there are none")
        for stage in spec["stages"]:
            require(stage["on"], project.datasets, "dataset", f"{where}.stages")
            _check_objective(spec["model"], stage["objective"], f"{where}.stages")
            fits = _check_head if spec["model"]["kind"] == "multitask" else _check_classes
            fits(spec["model"], stage, project.datasets[stage["on"]]["label"], where)
            for key in ("epochs", "batch_size", "learning_rate"):
                if key not in stage:
                    raise UserError(f"{where}.stages: the stage on {stage['on']} has no {key}, nor have the defaults")
            if "watch" in stage:
                _check_split(project, stage["watch"], f"{where}.stages.watch")
                if "watch_every" not in stage:
                    raise UserError(f"{where}.stages: watch needs watch_every, a number of steps")
            for name in [stage["select"]["on"], *stage["select"].get("show", [])] if "select" in stage else []:
                _check_split(project, name, f"{where}.stages.select")
                require(stage["select"]["metric"], SCORED, "metric", f"{where}.stages.select.metric")
            if "smart" in stage.get("regularizer", {}):
                require(stage["objective"], SMOOTHED, "objective that smart can smooth", f"{where}.stages.regularizer")
        for rule in spec["keep_best"]:
            _check_split(project, rule["on"], f"{where}.keep_best")
            require(rule["metric"], SCORED, "metric", f"{where}.keep_best")
    for name, table in paper.tables.items():
        _check_table(project, paper, name, table)
    for name, figure in paper.figures.items():
        _check_figure(project, paper, name, figure)
    for name, spec in paper.errors.items():
        _check_cell(project, paper, cells.of_errors(spec), f"{paper.where}: errors.{name}")
    for name, claim in paper.claims.items():
        for cell in cells.of_claims({name: claim}):
            _check_cell(project, paper, cell, f"{paper.where}: claims.{name}")
            require(cell["metric"], SCORED, "metric that a claim can compare", f"{paper.where}: claims.{name}")


def _check_classes(model: Mapping, stage: Mapping, label: str, where: str) -> None:
    """A model of classes learns from as many by their cross-entropy, and others do not."""
    classes = CLASSES_OF_LABEL.get(label)
    if ("classes" in model) != (stage["objective"] == "cross-entropy"):
        raise UserError(f"{where}: objective cross-entropy and model.classes go together: name both or neither")
    if "classes" in model and model["classes"] != classes:
        raise UserError(
            f"{where}.model.classes: {model['classes']}, but the labels of {stage['on']} are {classes or label}"
        )


def _check_objective(model: Mapping, objective: str, where: str) -> None:
    """Embeddings are what bi-encoders without a head give, and models of several tasks where nothing is labelled."""
    kind, of_embeddings = model["kind"], objective in OF_EMBEDDINGS
    gives = {"bi-encoder": "features" not in model, "multitask": objective in WITHOUT_LABELS}.get(kind, False)
    if of_embeddings != gives or (objective == "score-squared-error" and kind != "multitask"):
        told = f"{kind} with features" if "features" in model else kind
        raise UserError(f"{where}.objective: {objective} cannot be learnt by a {told}")


def _check_head(model: Mapping, stage: Mapping, label: str, where: str) -> None:
    """A model of several tasks learns each kind of label by the objective of its head, or none by a contrast."""
    if stage["objective"] in WITHOUT_LABELS:
        wanted = WITHOUT_LABELS[stage["objective"]]
        if wanted not in (None, label):
            raise UserError(f"{where}: objective {stage['objective']} learns from {wanted} pairs, not {stage['on']}")
        return
    if stage["objective"] != OBJECTIVE_OF.get(label, "cross-entropy"):
        raise UserError(
            f"{where}: labels that are {label} are learnt by {OBJECTIVE_OF.get(label, 'cross-entropy')}, "
            f"but the stage on {stage['on']} has {stage['objective']}"
        )
    if label != "score" and label not in model["heads"]:
        raise UserError(f"{where}.model.heads: there is none for {label}, the labels of {stage['on']}")


def _check_split(project: Project, name: str, where: str) -> None:
    dataset, _, split = name.partition("/")
    require(dataset, project.datasets, "dataset", where)
    require(split, project.datasets[dataset]["splits"], f"split of {dataset}", where)


def _check_table(project: Project, paper: Paper, name: str, table: Mapping) -> None:
    where = f"{paper.where}: tables.{name}"
    for row, values in table.get("published", {}).items():
        require(row, table["rows"], "row", f"{where}.published")
        if len(values) > len(table["columns"]):
            raise UserError(f"{where}.published.{row}: {len(values)} numbers for {len(table['columns'])} columns")
    for axis in ("columns", "rows"):
        for said in table[axis].values():
            for part, _ in parts_of_mean(said):
                require(part, table[axis], axis[:-1], f"{where}.{axis}.mean_of")
    for cell in cells.of_table(table):
        _check_cell(project, paper, cell, where)


def _check_figure(project: Project, paper: Paper, name: str, figure: Mapping) -> None:
    where = f"{paper.where}: figures.{name}"
    for run in figure.get("runs", []):
        require(run, paper.runs, "run", f"{where}.runs")
    if "table" in figure:
        require(figure["table"], paper.tables, "table", f"{where}.table")
    if figure["kind"] == "similarity-matrices":
        _check_split(project, figure["on"], where)
        for run in figure["of"]:
            require(run, paper.runs, "run", f"{where}.of")
            if not {"sa", "late"} & {*paper.runs[run]["model"].get("network", {}).get("attention", [])[:1]}:
                raise UserError(f"{where}.of: {run} compares no tokens: its attention must begin with sa or late")
    if figure["kind"] == "metrics-by-step":
        for cell in cells.of_figure(figure):
            _check_cell(project, paper, cell, where)


def _check_cell(project: Project, paper: Paper, cell: Mapping, where: str) -> None:
    cells.check(cell, paper.runs, project.datasets, where)
