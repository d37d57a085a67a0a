"""Neural networks that `training.engine` trains one by one, through all their stages, or that are not trained."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from accelerate import Accelerator

from semblance import device, models, objectives, regularizers
from semblance.curve import Curve
from semblance.data import rows
from semblance.evaluation.watched import Watcher
from semblance.paths import CURVE, LEARNING, MODEL, SELECTING, WATCHED, predictions_of
from semblance.specs.facts import RunFacts, SpeedFacts, StageFacts
from semblance.specs.run import ModelSpec, RunSpec, StageSpec
from semblance.trainers import prediction
from semblance.trainers.work import Scoring, Training
from semblance.training import engine
from semblance.training.checkpoint import Checkpoint, Meter, Stateful, restore, states_of
from semblance.training.learning import Learning
from semblance.training.selection import BestStage, selection, share_of
from semblance.training.streams import RandomStates


def train(work: Training) -> dict[str, RunFacts]:
    """Build, train and save each run.

    Its folder gets the model, the training curve, the predictions of stages with `watch` or `select`, and those that
    show whether the run learned; `semblance.paths` has their names.

    Returns:
        The facts of each run.
    """
    return {run: _train(run, work) for run in work.specs}


def _train(run: str, work: Training) -> RunFacts:
    spec, folder, made_by = work.specs[run], work.folders[run], work.made_by[run]
    accelerated = device.accelerator(work.computing, work.seed)
    model = _opened(spec.model, work.origin, accelerated.device.type)
    learned = Learning([work.tasks.get(run)], work.data, [made_by], [folder / LEARNING])
    learned.before(lambda pairs: [models.scores(model, pairs)])
    progress = _Run(spec, work, model, Curve(folder / CURVE), accelerated)
    totals = progress.train()
    for kind, watchers in ((WATCHED, progress.watchers), (SELECTING, progress.selecting)):
        for name, watcher in watchers.items():
            watcher.write(folder / kind / predictions_of(name), made_by)
    model.save(folder / MODEL)
    measured = progress.meter.facts()
    learned.after(lambda pairs: [models.scores(model, pairs)])
    return {
        "parameters": sum(weights.numel() for weights in model.module.parameters()),
        "stages": progress.stages,
        **totals,
        **measured,
        **device.describe(accelerated, [stage["precision"] for stage in progress.stages]),
    }


def predict(work: Scoring) -> dict[str, dict[str, SpeedFacts]]:
    """Score the runs; see `trainers.prediction.predict`."""
    place = device.place(work.computing)
    return prediction.predict(work, place, device.machine(place))


class _Run:
    """The progress of a model through its stages, which is the state that a checkpoint saves."""

    def __init__(self, spec: RunSpec, work: Training, model, curve: Curve, accelerated: Accelerator):
        self._spec, self._seed, self._data = spec, work.seed, work.data
        self._model, self._curve, self._accelerated = model, curve, accelerated
        self._checkpoint = Checkpoint(work.state, work.save_every)
        self._best = BestStage(model, spec.select_stage, work.data, curve) if spec.select_stage else None
        self.stages: list[StageFacts] = []  # of finished stages
        score = partial(models.scores, model)
        # Several stages can watch one split: the watcher then goes on through them.
        self.watchers = {
            stage.watch: Watcher(rows.read(work.data[stage.watch]), score, stage.watch_every)
            for stage in spec.stages
            if stage.watch
        } | (self._best.watchers if self._best else {})
        # Of several stages that select on one split, the last one counts.
        self.selecting = {
            stage.select.on: Watcher(rows.read(work.data[stage.select.on]), score, every=1)
            for stage in spec.stages
            if stage.select
        }
        self.meter = Meter()

    def train(self) -> dict:
        """Train all remaining stages; return the selected stage in `selected_stage`, if stages are selected."""
        self._checkpoint.run = self
        if saved := self._checkpoint.saved:
            # Within a stage, the engine restores the rest.
            restore({"run": self} | ({} if "step" in saved else self._parts()), saved)
        for stage in self._spec.stages[len(self.stages) :]:
            self.stages.append(self._through(stage, number=len(self.stages) + 1))
            self._checkpoint.saved = {}
            self._checkpoint.save(**states_of(self._parts()))
        return {"selected_stage": self._best.restore()} if self._best else {}

    def _parts(self) -> dict[str, Stateful]:
        """Return the objects that have a state between stages."""
        return {"module": self._model.module, "curve": self._curve, "random": RandomStates()}

    def _through(self, stage: StageSpec, number: int) -> StageFacts:
        """Train one stage and return its facts."""
        whole = rows.read(self._data[f"{stage.on}/train"])
        whole.require_every_class(f"{stage.on}/train")
        pairs = share_of(whole, stage.fraction, self._seed)
        watcher = self.watchers.get(stage.watch)
        facts = engine.train(
            self._model.task(objectives.examples(stage.objective, pairs, self._seed)),
            objectives.named(stage.objective),
            stage.recipe,
            # Repeated stages have different orders of batches.
            seed=self._seed + 1000 * (number - 1),
            stage=f"{number}. {stage.on}",
            accelerator=self._accelerated,
            curve=self._curve,
            select=selection(self._model, stage, self._data, self.selecting[stage.select.on]) if stage.select else None,
            watch=watcher,
            regularize=_regularizer(stage, self._seed + number),
            checkpoint=self._checkpoint,
            divisible=objectives.divisible(stage.objective),
            patience=stage.select.patience if stage.select else None,
            may_diverge=self._spec.may_collapse,
        )
        if stage.select and "diverged_after_step" in facts:
            self.selecting[stage.select.on].seen.clear()  # no epoch is selected
        if self._best:
            facts["after"], seconds = self._best.consider(number, facts["stage"])
            facts["selecting_seconds"] = round(facts.get("selecting_seconds", 0) + seconds, 1)
        if watcher:
            facts["watching_seconds"] = round(watcher.seconds, 1)
        return facts

    def state_dict(self) -> dict:
        return {
            "stages": self.stages,
            "watchers": states_of(self.watchers),
            "selecting": states_of(self.selecting),
            "best": self._best and self._best.state_dict(),
            "meter": self.meter.state_dict(),
        }

    def load_state_dict(self, state: dict) -> None:
        self.stages = state["stages"]
        self.meter.load_state_dict(state["meter"])
        restore(self.watchers, state["watchers"])
        restore(self.selecting, state["selecting"])
        if self._best:
            self._best.load_state_dict(state["best"])


def _opened(spec: ModelSpec, origin: Path, where: str):
    options = {"new_head": True} if spec.new_head else {}
    return models.kind(spec.kind).open(spec, origin, where, **options)


def _regularizer(stage: StageSpec, seed: int) -> Callable | None:
    for kind, options in stage.regularizer.items():  # at most one
        make = regularizers.named(kind)
        return lambda task, per_epoch: make(options, task, stage.objective, per_epoch, seed)
    return None
