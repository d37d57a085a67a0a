"""Specs of runs: models, stages, and how epochs and stages are selected."""

from dataclasses import dataclass, replace
from typing import Literal

from semblance.specs.kinds import LabelKind
from semblance.specs.recipe import Recipe
from semblance.specs.regularizers import Regularizers


@dataclass(frozen=True)
class NetworkSpec:
    """A network over a frozen encoder, by the names of its parts, which `semblance.registry` lists.

    Attributes:
        extraction: how features are extracted from the encoder's states.
        blocks: which blocks of the encoder it uses.
        attention: its attentions; the results of several are multiplied.
        fusion: how both sentences' features are fused.
        layers: number of hidden layers of the classifier.
        matched: whether the width of AFE's hidden layer, or of the classifier if there is no AFE, is chosen so that the
            network has about as many parameters as the one with AFE, SA and FA-3 (sn3d, section 4.3).
    """

    extraction: str
    blocks: Literal["all", "top", "bottom", "spaced", "last"]
    attention: tuple[str, ...]
    fusion: str
    layers: int = 1
    matched: bool = False


@dataclass(frozen=True)
class ModelSpec:
    """A model. `semblance.registry` declares which of these a kind of model has.

    Attributes:
        kind: name of the kind.
        encoder: name of the encoder.
        max_length: maximum number of tokens of a sequence; None is the encoder's own.
        pooling: how token states become a sentence embedding.
        features: features of a pair of vectors u and v, which are concatenated.
        hidden_layers: hidden layers of the head on these features, each as wide as an embedding.
        fit_on: splits on which the model is fitted in one call.
        heads: kinds of labels with a head of their own.
        dropout: dropout before the heads.
        trees: number of trees of a random forest.
        cue: what a surface baseline sees of a pair.
        new_head: whether the head of the encoder, or of the run that it starts from, gets random weights.
        classes: number of classes, each with a logit; None is one logit for a pair.
        network: network over a frozen encoder.
    """

    kind: str
    encoder: str | None = None
    max_length: int | None = None
    pooling: Literal["mean", "max", "cls"] | None = None
    features: tuple[Literal["u", "v", "|u-v|", "u*v"], ...] = ()
    hidden_layers: int = 0
    fit_on: tuple[str, ...] = ()
    heads: tuple[str, ...] | None = None
    dropout: float | None = None
    trees: int | None = None
    cue: Literal["overlap", "length", "majority"] | None = None
    new_head: bool = False
    classes: int | None = None
    network: NetworkSpec | None = None

    def gives_probabilities(self, label: LabelKind) -> bool:
        """Return whether it gives class probabilities for such labels."""
        return bool(label.classes) and (self.classes == label.class_count or label.name in (self.heads or ()))


@dataclass(frozen=True)
class SelectionSpec:
    """How an epoch or a stage is selected.

    Attributes:
        on: the split that selects.
        metric: the metric that selects.
        threshold: threshold of the metric; None is the best one on the split.
        patience: epochs without a better score after which training stops; None never stops.
        show: other splits that the curve shows: as many rows of each after an epoch, all rows after a stage.
        on_unit_scale: whether a correlation r counts as (r + 1) / 2.
    """

    on: str
    metric: str
    threshold: float | None = None
    patience: float | None = None
    show: tuple[str, ...] = ()
    on_unit_scale: bool = False


@dataclass(frozen=True)
class StageSpec:
    """One stage of training.

    Attributes:
        on: the dataset whose training split is used.
        objective: name of the loss.
        recipe: hyperparameters.
        fraction: share of the training rows.
        select: how the epoch is selected whose weights the stage ends with; None is the last step.
        watch: split that is scored during training.
        watch_every: steps between these evaluations.
        regularizer: the penalty that is added to the loss.
    """

    on: str
    objective: str
    recipe: Recipe
    fraction: float = 1.0
    select: SelectionSpec | None = None
    watch: str | None = None
    watch_every: int | None = None
    regularizer: Regularizers = Regularizers()


@dataclass(frozen=True)
class TaskRows:
    """The rows of a run's own task.

    Attributes:
        on: the split that is scored.
        train: training split of the same dataset; None if the run was trained on another.
    """

    on: str
    train: str | None


@dataclass(frozen=True)
class TaskSpec(TaskRows):
    """The task that a trained run is judged to have learned; see `evaluation.learning`.

    Attributes:
        metric: the metric of the judgement.
        threshold: decides the classes of binary labels: 0.5 for probabilities; None for cosines, whose threshold is
            tuned on the training split, and for other labels.
        new_head: whether the head has random weights before training, so that the sign of its scores is random.
    """

    metric: str
    threshold: float | None
    new_head: bool = False


@dataclass(frozen=True)
class RunSpec:
    """One run: a model, its training and its evaluation.

    Attributes:
        model: the model.
        stages: its stages of training, in order.
        start_from: the run whose weights it starts from; None is the encoder.
        select_stage: scores whose mean selects a stage; without them, the last stage is the result. Their splits, and
            those that they show, are scored after every stage, and the predictions are kept.
        evaluate: splits that are scored.
        timing_repeats: number of times that each is scored, for the median time.
        may_collapse: whether it may give all examples the same score, and may have a loss that is not finite, which
            ends a stage with all weights 0; without it, such a run fails.
        own_task: the split of its own task, if the default is another one.
        departs: how and why it departs from what the paper states; its numbers are then not comparable.
    """

    model: ModelSpec
    stages: tuple[StageSpec, ...] = ()
    start_from: str | None = None
    select_stage: tuple[SelectionSpec, ...] = ()
    evaluate: tuple[str, ...] = ()
    timing_repeats: int = 1
    may_collapse: bool = True
    own_task: str | None = None
    departs: str = ""

    def as_trained(self) -> "RunSpec":
        """Return what training depends on: no evaluation, and not how the run is judged."""
        return RunSpec(self.model, self.stages, self.start_from, self.select_stage, may_collapse=self.may_collapse)

    def as_scored(self) -> "RunSpec":
        """Return what scoring depends on."""
        return replace(self, stages=(), start_from=None, select_stage=(), own_task=None, departs="")

    def scored_after_stages(self) -> list[str]:
        """Return the splits that are scored after every stage, in a run that selects one."""
        return list(dict.fromkeys(split for rule in self.select_stage for split in (rule.on, *rule.show)))

    def learns_from(self) -> list[str]:
        """Return the splits, named like qqp/train, on which the run is fitted."""
        return list(dict.fromkeys([*self.model.fit_on, *(f"{stage.on}/train" for stage in self.stages)]))

    def selection(self) -> tuple[SelectionSpec, ...]:
        """Return what selects the weights that it ends with: the stage, or the epoch of the last stage."""
        return self.select_stage or tuple(stage.select for stage in self.stages[-1:] if stage.select)

    def chosen_before(self) -> list[str]:
        """Return the splits that select an epoch of an earlier stage, whose weights later ones start from."""
        earlier = self.stages if self.select_stage else self.stages[:-1]
        return [stage.select.on for stage in earlier if stage.select and stage.recipe.epochs > 1]

    def chosen_by(self) -> list[str]:
        """Return the splits that select an epoch or a stage."""
        # A stage of one epoch has nothing to select.
        rules = [stage.select for stage in self.stages if stage.select and stage.recipe.epochs > 1]
        rules += self.select_stage
        return list(dict.fromkeys(rule.on for rule in rules))

    def inputs(self) -> list[str]:
        """Return all splits that training reads: those, and the ones that are evaluated on the way."""
        shown = [split for stage in self.stages if stage.select for split in (stage.select.on, *stage.select.show)]
        shown += self.scored_after_stages()
        shown += [stage.watch for stage in self.stages if stage.watch]
        return list(dict.fromkeys([*self.learns_from(), *self.chosen_by(), *shown]))
