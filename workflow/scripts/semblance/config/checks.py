"""Checks beyond the schemas: that names are known, and that models, objectives, labels and cells are compatible.

All of them raise UserError with the file, the key and the closest valid name.
"""

import fnmatch
from dataclasses import fields

from semblance.config import cells, claims
from semblance.config.datasets import check_split
from semblance.config.enumerations import SCORED_METRICS
from semblance.config.files import SETTINGS
from semblance.config.project import Paper, Project
from semblance.config.tables import check_keys
from semblance.errors import UserError, require
from semblance.registry import FIGURES, LABELS, METRICS, MODELS, OBJECTIVES, REGULARIZERS
from semblance.specs.cells import FigureSpec, Headline
from semblance.specs.data import dataset_of
from semblance.specs.encoders import PairPretraining, Pretraining, SentencePretraining
from semblance.specs.run import ModelSpec, RunSpec, SelectionSpec, StageSpec


def check(project: Project) -> None:
    """Check what the schemas of its files cannot."""
    _check_settings(project)
    for paper in project.papers.values():
        runs = project.runs_known_to(paper)
        for name, spec in paper.runs.items():
            _check_run(project, spec, f"{paper.where}: runs.{name}")
            if spec.start_from:
                _check_start(spec.model, paper.runs[spec.start_from].model, f"{paper.where}: runs.{name}.start_from")
        for name, table in paper.tables.items():
            for cell in cells.of_table(table):
                cells.check(cell, runs, project.datasets, f"{paper.where}: tables.{name}")
            for cell in cells.means(table):
                if cell.mean_of:
                    raise UserError(f"{paper.where}: tables.{name}: the mean of a row and of a column meet in one cell")
                require(cell.metric, SCORED_METRICS, "metric of which there are means", f"{paper.where}: tables.{name}")
        for name, figure in paper.figures.items():
            _check_figure(project, paper, name, figure)
        for name, listed in paper.lists.items():
            for cell in listed.cells.values():
                cells.check(cell, runs, project.datasets, f"{paper.where}: lists.{name}")
        claims.check(project, paper)
        if paper.headline:
            _check_headline(paper, paper.headline)
    _check_seeds(project)
    for name in project.encoders_used():
        for split in project.encoders.read_by(name):
            where = f"config: encoders.{name}.generated.corpus"
            check_split(project.datasets, split, where)
            pairs = isinstance(project.encoders[name].source, PairPretraining | SentencePretraining)
            if pairs and LABELS[project.datasets[dataset_of(split)].label].single:
                raise UserError(
                    f"{where}: pre-training learns from pairs of sentences, and those of {split} are single"
                )
    for name in project.datasets_used():
        project.datasets.source(name)


def _check_settings(project: Project) -> None:
    if project.settings.data_source == "files" and not project.settings.data_folder:
        raise UserError(f"{SETTINGS}: data_source is files, so data_folder must name the folder that holds them")
    for name in project.encoders:
        try:
            project.encoders.made(name)
        except RecursionError:
            raise UserError(f"{SETTINGS}, or the preset: encoders.{name}.same_as leads back to itself") from None


def _check_seeds(project: Project) -> None:
    """Check that the runs to which the preset gives one seed exist, and that nothing needs more of their seeds."""
    where, has_one = f"config/presets/{project.settings.preset}.yaml: one_seed", project.settings.has_one_seed
    for name, patterns in project.settings.one_seed.items():
        runs = project.papers[name].runs if name in project.papers else None
        for pattern in patterns:
            if runs is not None and not fnmatch.filter(runs, pattern):
                raise UserError(f"{where}.{name}: {pattern!r} fits none of its runs")
    for owner, run, spec in project.runs():
        start = spec.start_from
        if start and has_one(*project.named(owner, start)) and not has_one(owner, run):
            raise UserError(f"{where} names {start}, from which {run} starts: add it")
    for paper in project.papers.values():
        for name, claim in paper.claims.items():
            # Leaderboards compare runs of several papers; there, the claim's note on a single seed is enough.
            random = [run for run in claim.runs() if "/" not in run and project.is_random(paper.name, run)]
            single = [run for run in random if has_one(paper.name, run)]
            if single and (others := [run for run in random if run not in single]):
                raise UserError(
                    f"{where} names {single[0]}, which the claim {paper.name}/{name} compares with {others[0]}: name "
                    "both or neither"
                )


def _check_run(project: Project, spec: RunSpec, where: str) -> None:
    model = spec.model
    _check_model(model, f"{where}.model")
    if model.encoder:
        require(model.encoder, project.encoders, "encoder", f"{where}.model.encoder")
        _check_length(project.encoders.pretraining(model.encoder), model, where)
    for on in [*spec.evaluate, *model.fit_on]:
        check_split(project.datasets, on, where)
    for on in model.fit_on:
        _check_class_count(model, project.datasets[dataset_of(on)].label, on, where)
    if MODELS[model.kind].training == "frozen-encoder":
        _check_frozen(spec, where)
    if spec.stages and MODELS[model.kind].training not in ("engine", "frozen-encoder"):
        raise UserError(f"{where}: a {model.kind} is not trained in stages")
    if spec.own_task:
        require(spec.own_task, spec.evaluate, "split that the run is evaluated on", f"{where}.own_task")
    for stage in spec.stages:
        _check_stage(project, model, stage, where)
    # Predictions are kept by split: those of one stage would replace those of another.
    during = [stage.watch for stage in spec.stages if stage.watch] + spec.scored_after_stages()
    if twice := {on for on in during if during.count(on) > 1}:
        raise UserError(f"{where}: {min(twice)} is scored in several stages; name it in one watch, or in select_stage")
    for rule in spec.select_stage:
        _check_selection(project, model, rule, f"{where}.select_stage")
        if rule.patience is not None:
            raise UserError(f"{where}.select_stage: patience ends a stage early; write it below the stage's select")


def _check_length(made: Pretraining | None, model: ModelSpec, where: str) -> None:
    """Check that a model's encoder, if it is pre-trained here, knows all positions of its inputs."""
    if isinstance(made, PairPretraining | SentencePretraining) and (model.max_length or 0) > made.max_length:
        raise UserError(
            f"{where}: max_length is {model.max_length}, but {model.encoder} is pre-trained with {made.max_length} "
            "tokens at most: lower the run's max_length, or set a larger one in the preset's encoders"
        )


def _check_start(model: ModelSpec, start: ModelSpec, where: str) -> None:
    """Check that the weights of one model are a start for another."""
    for kind in (model.kind, start.kind):
        if MODELS[kind].training != "engine":
            raise UserError(f"{where} continues a training, but a {kind} is not trained in stages")
    if model.encoder != start.encoder:
        raise UserError(
            f"{where}: the encoder is {model.encoder}, but that of the start is {start.encoder}: name another start"
        )
    if model.kind == start.kind == "cross-encoder" and model.classes != start.classes and not model.new_head:
        raise UserError(f"{where}: the head of the start has other classes: write new_head: true below model")


def _check_model(model: ModelSpec, where: str) -> None:
    """Check that a model has the keys that its kind requires, and no others."""
    given = {key.name for key in fields(model) if getattr(model, key.name) != key.default}
    check_keys(given, MODELS[model.kind], {"kind", "max_length"}, f"{where}: a {model.kind}")
    if model.hidden_layers and not model.features:
        raise UserError(f"{where}: hidden_layers are those of a head on features, but there are no features")
    if model.cue and model.classes == 2:
        raise UserError(f"{where}: cue {model.cue} is one score for two classes: leave classes out")


def _check_frozen(spec: RunSpec, where: str) -> None:
    """Check that networks over a frozen encoder, which share its batches, have one stage and none of some keys."""
    if len(spec.stages) != 1:
        raise UserError(f"{where}.stages: siamese-3d is trained in one stage, not in {len(spec.stages)}")
    [stage], metrics = spec.stages, ("class-accuracy", "log-loss")
    if not stage.select or stage.select.metric not in metrics:
        raise UserError(f"{where}.stages.select: siamese-3d selects its epoch by {' or '.join(metrics)}")
    refused = {
        "start_from": spec.start_from,
        "select_stage": spec.select_stage,
        "show": stage.select.show,
        "regularizer": [*stage.regularizer.items()],
        "fraction": stage.fraction != 1,
        "watch": stage.watch,
        "frozen_epochs": stage.recipe.frozen_epochs,
        "precision": stage.recipe.precision,
        "decayed: head": stage.recipe.decayed == "head",
    }
    if given := [key for key, value in refused.items() if value]:
        raise UserError(f"{where}: networks of siamese-3d share a frozen encoder and have no {', '.join(given)}")


def _check_stage(project: Project, model: ModelSpec, stage: StageSpec, where: str) -> None:
    require(stage.on, project.datasets, "dataset", f"{where}.stages")
    _check_objective(model, stage.objective, f"{where}.stages")
    fits = _check_head if "heads" in MODELS[model.kind].requires else _check_classes
    fits(model, stage, project.datasets[stage.on].label, where)
    if stage.recipe.frozen_epochs and not _trains_a_head(model, stage, project.datasets[stage.on].label):
        raise UserError(f"{where}.stages.frozen_epochs: {stage.objective} has no head to train alone")
    if stage.watch:
        check_split(project.datasets, stage.watch, f"{where}.stages.watch")
    if stage.select:
        _check_selection(project, model, stage.select, f"{where}.stages.select")
        if stage.select.on_unit_scale:
            raise UserError(f"{where}.stages.select: on_unit_scale is for means of scores, in select_stage")
    for name, _ in stage.regularizer.items():
        if REGULARIZERS[name].needs_divergence:
            fitting = [one.name for one in OBJECTIVES.values() if one.divergence]
            require(stage.objective, fitting, f"objective that {name} can smooth", f"{where}.stages.regularizer")


def _trains_a_head(model: ModelSpec, stage: StageSpec, label: str) -> bool:
    if OBJECTIVES[stage.objective].output == "embeddings":
        return False
    return "heads" not in MODELS[model.kind].requires or label in (model.heads or ())  # scores without a head: cosines


def _check_selection(project: Project, model: ModelSpec, rule: SelectionSpec, where: str) -> None:
    for name in (rule.on, *rule.show):
        check_split(project.datasets, name, where)
    require(rule.metric, SCORED_METRICS, "metric", f"{where}.metric")
    if METRICS[rule.metric].of_probabilities and not model.classes:
        raise UserError(f"{where}.metric: {rule.metric} selects epochs of models with classes, not with heads")
    if rule.threshold is not None and not METRICS[rule.metric].needs_threshold:
        raise UserError(f"{where}.threshold: {rule.metric} has none")
    if METRICS[rule.metric].of_classes and not (model.classes or model.heads):
        raise UserError(f"{where}.metric: {rule.metric} needs a model with classes; accuracy does not")
    label = LABELS[project.datasets[dataset_of(rule.on)].label]
    if label.classes and not (METRICS[rule.metric].of_classes or METRICS[rule.metric].of_probabilities):
        raise UserError(f"{where}.metric: {rule.metric} does not fit the classes of {rule.on}")
    if label.classes and not model.gives_probabilities(label):
        raise UserError(f"{where}.on: the labels of {rule.on} are {label.name}, of which the model has no classes")


def _check_classes(model: ModelSpec, stage: StageSpec, label: str, where: str) -> None:
    """Check that a model of classes is trained by their cross-entropy on as many classes, and other models are not."""
    of_classes = OBJECTIVES[stage.objective].output == "class-logits"
    if LABELS[label].single:
        raise UserError(f"{where}: a {model.kind} learns from pairs of sentences, and those of {stage.on} are single")
    if OBJECTIVES[stage.objective].learns_from == "labels" and not of_classes and LABELS[label].classes:
        raise UserError(f"{where}: {stage.objective} learns from pairs with two labels or scores, not from {label}")
    if bool(model.classes) != of_classes:
        raise UserError(f"{where}: objective cross-entropy and model.classes go together: name both or neither")
    if of_classes:
        _check_class_count(model, label, stage.on, where)


def _check_class_count(model: ModelSpec, label: str, on: str, where: str) -> None:
    classes = LABELS[label].class_count
    if model.classes and model.classes != classes:
        raise UserError(f"{where}.model.classes: {model.classes}, but the labels of {on} are {classes or label}")


def _check_objective(model: ModelSpec, name: str, where: str) -> None:
    """Check that the model outputs what the objective compares with the labels."""
    kind, objective = MODELS[model.kind], OBJECTIVES[name]
    fits = objective.output in kind.outputs
    if "features" in kind.allows:  # a head on features, or embeddings without them
        fits &= (objective.output == "embeddings") != bool(model.features)
    if "heads" in kind.requires:  # heads learn from labels, embeddings without them
        fits &= (objective.output == "embeddings") == (objective.learns_from != "labels")
    if not fits:
        described = f"{model.kind} with features" if model.features else model.kind
        raise UserError(f"{where}.objective: {name} cannot be learned by a {described}")


def _check_head(model: ModelSpec, stage: StageSpec, label: str, where: str) -> None:
    """Check that a multitask model learns each kind of label by its head's objective, or without labels."""
    objective, wanted = OBJECTIVES[stage.objective], LABELS[label].objective
    if objective.learns_from != "labels":
        if not LABELS[label].gives_triplets:
            raise UserError(f"{where}: objective {objective.name} learns from inference pairs, not {stage.on}")
        return
    if objective.name != wanted:
        raise UserError(
            f"{where}: labels that are {label} are learned by {wanted}, "
            f"but the stage on {stage.on} has {objective.name}"
        )
    if not LABELS[label].is_score and label not in (model.heads or ()):
        raise UserError(f"{where}.model.heads: there is none for {label}, the labels of {stage.on}")


def _check_headline(paper: Paper, headline: Headline) -> None:
    where = f"{paper.where}: headline"
    for claim in headline.claims:
        require(claim, paper.claims, "claim", f"{where}.claims")
        if METRICS[paper.claims[claim].cells[0].metric].is_timed:
            raise UserError(f"{where}.claims: {claim} is about times or memory, which depend on the machine")
    for place in headline.rows.values():
        require(place.table, paper.tables, "table", where)
        require(place.column, paper.tables[place.table].columns, "column", f"{where}.column")
        require(place.row, paper.tables[place.table].rows, "row", f"{where}.rows")


def _check_figure(project: Project, paper: Paper, name: str, figure: FigureSpec) -> None:
    where = f"{paper.where}: figures.{name}"
    for run in figure.runs:
        require(run, [one for one, spec in paper.runs.items() if spec.stages], "run with a curve", f"{where}.runs")
    if figure.table:
        require(figure.table, paper.tables, "table", f"{where}.table")
    if figure.run and figure.table:
        require("Epoch", paper.tables[figure.table].columns, "column", f"{where}.table: {figure.table}")
    for column in [figure.cost, *figure.qualities] if figure.cost else []:
        require(column, paper.tables[figure.table].columns, "column", where)
    if FIGURES[figure.kind].data == "matrices":
        check_split(project.datasets, figure.on, where)
        for run in figure.of:
            require(run, paper.runs, "run", f"{where}.of")
            network = paper.runs[run].model.network
            if not network or not {"sa", "late"} & {*network.attention[:1]}:
                raise UserError(f"{where}.of: {run} compares no tokens: its attention must begin with sa or late")
    for cell in cells.of_figure(figure):
        cells.check(cell, project.runs_known_to(paper), project.datasets, where)
