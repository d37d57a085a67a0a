"""What a schema cannot say: that names are known, and that models, objectives, labels and cells fit together.

Everything raises UserError, naming the file, the key and the nearest right name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from semblance.config import cells
from semblance.errors import UserError, require
from semblance.evaluation.names import SCORED
from semblance.evaluation.specs import parts_of_mean

if TYPE_CHECKING:
    from semblance.config.project import Paper, Project

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


def check(project: Project) -> None:
    """Check what the schemas of its files cannot."""
    _check_settings(project)
    for paper in project.papers.values():
        for name, spec in paper.runs.items():
            _check_run(project, spec, f"{paper.where}: runs.{name}")
        for name, table in paper.tables.items():
            _check_table(project, paper, name, table)
        if paper.headline:
            _check_headline(paper, paper.headline)
        for name, figure in paper.figures.items():
            _check_figure(project, paper, name, figure)
        for name, spec in paper.lists.items():
            for cell in cells.of_list(spec):
                _check_cell(project, paper, cell, f"{paper.where}: lists.{name}")
        for name, claim in paper.claims.items():
            where = f"{paper.where}: claims.{name}"
            if "part_of" in claim:
                require(claim["part_of"], paper.claims, "claim", f"{where}.part_of")
            for cell in cells.of_claims({name: claim}):
                _check_cell(project, paper, cell, where)
                require(cell["metric"], SCORED, "metric that a claim can compare", where)
    for name in project.encoders_used():
        _check_encoder(project, name)


def _check_settings(project: Project) -> None:
    wanted = project.settings["data_source"] or project.preset["data_source"]
    if wanted == "files" and not project.settings["data_folder"]:
        raise UserError("config/config.yaml: data_source is files, so data_folder must name the folder that holds them")
    for where, chosen in (("config/config.yaml", project.settings), ("config/presets", project.preset)):
        for name, spec in (chosen.get("encoders") or {}).items():
            require(name, project.encoders, "encoder", f"{where}: encoders")
            if "same_as" in spec:
                require(spec["same_as"], project.encoders, "encoder", f"{where}: encoders.{name}.same_as")
    for name in project.encoders:
        try:
            project.encoder_made(name)
        except RecursionError:
            where = "config/presets and config/config.yaml"
            raise UserError(f"{where}: encoders.{name}.same_as leads back to itself") from None


def _check_encoder(project: Project, name: str) -> None:
    where, spec = f"config: encoders.{name}.generated", project.encoder_spec(name)
    if "start_from" in spec:
        require(spec["start_from"], project.encoders, "encoder", f"{where}.start_from")
    for split in project.read_by_encoder(name):
        _check_split(project, split, f"{where}.corpus")


def _check_run(project: Project, spec: Mapping, where: str) -> None:
    model, stages = spec["model"], spec["stages"]
    if "encoder" in model:
        require(model["encoder"], project.encoders, "encoder", f"{where}.model.encoder")
        project.encoder_spec(model["encoder"])
    for on in spec["evaluate"] + model.get("fit_on", []):
        _check_split(project, on, where)
    if model["kind"] == "siamese-3d":
        _check_side_by_side(spec, where)
    if spec["own_task"]:
        require(spec["own_task"], spec["evaluate"], "split that the run is evaluated on", f"{where}.own_task")
    if spec["select_stage"] and not stages:
        raise UserError(f"{where}: keep_best chooses among stages, but there are none")
    for stage in stages:
        _check_stage(project, model, stage, where)
    for rule in spec["select_stage"]:
        _check_split(project, rule["on"], f"{where}.select_stage")
        require(rule["metric"], SCORED, "metric", f"{where}.select_stage")


def _check_side_by_side(spec: Mapping, where: str) -> None:
    chosen = [stage.get("select", {}).get("metric") for stage in spec["stages"]]
    elsewhere = {"regularizer", "fraction", "watch"} & {key for stage in spec["stages"] for key in stage}
    if chosen != ["class-accuracy"] or spec["start_from"] or elsewhere:
        raise UserError(
            f"{where}: siamese-3d wants one stage that selects by class-accuracy, and no start_from, "
            "regularizer, share or watch"
        )


def _check_stage(project: Project, model: Mapping, stage: Mapping, where: str) -> None:
    require(stage["on"], project.datasets, "dataset", f"{where}.stages")
    _check_objective(model, stage["objective"], f"{where}.stages")
    fits = _check_head if model["kind"] == "multitask" else _check_classes
    fits(model, stage, project.datasets[stage["on"]]["label"], where)
    for key in ("epochs", "batch_size", "learning_rate"):
        if key not in stage:
            raise UserError(f"{where}.stages: the stage on {stage['on']} has no {key}, nor have the defaults")
    if "watch" in stage:
        _check_split(project, stage["watch"], f"{where}.stages.watch")
        if "watch_every" not in stage:
            raise UserError(f"{where}.stages: watch needs watch_every, a number of steps")
    if select := stage.get("select"):
        for name in [select["on"], *select.get("show", [])]:
            _check_split(project, name, f"{where}.stages.select")
        require(select["metric"], SCORED, "metric", f"{where}.stages.select.metric")
    if "smart" in stage.get("regularizer", {}):
        require(stage["objective"], SMOOTHED, "objective that smart can smooth", f"{where}.stages.regularizer")


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


def _check_headline(paper: Paper, headline: Mapping) -> None:
    where = f"{paper.where}: headline"
    require(headline["table"], paper.tables, "table", f"{where}.table")
    table = paper.tables[headline["table"]]
    require(headline["column"], table["columns"], "column", f"{where}.column")
    for row in headline["rows"].values():
        require(row, table["rows"], "row", f"{where}.rows")


def _check_figure(project: Project, paper: Paper, name: str, figure: Mapping) -> None:
    where = f"{paper.where}: figures.{name}"
    for run in figure.get("runs", []):
        require(run, paper.runs, "run", f"{where}.runs")
    if "table" in figure:
        require(figure["table"], paper.tables, "table", f"{where}.table")
    for column in [figure["cost"], *figure["qualities"]] if figure["kind"] == "table-pareto" else []:
        require(column, paper.tables[figure["table"]]["columns"], "column", where)
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
    cells.check(cell, project.runs_known_to(paper), project.datasets, where)
