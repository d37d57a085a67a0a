"""What `semblance.registry` declares: metrics, labels, objectives, models, regularizers and figures."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Metric:
    """Something a table cell can show.

    Attributes:
        name: its name in YAML.
        about: what it is and its unit, if it is no function of `semblance.metrics` that says so.
        measures: what it is computed from: scores of examples; the examples or the threshold of such a cell; an
            evaluation during training; the judgement of whether a run learned; a run's training; the selection of its
            epoch; the scoring of a split; a corpus.
        bounds: lowest and highest possible value.
        needs_threshold: whether it compares a score with a threshold, and can be tuned for.
        of_classes: whether scores and targets are class indices.
        of_probabilities: whether it compares class probabilities with class indices.
        is_share: whether it is a whole number of examples over their number, so that an exact interval exists.
        higher_is_better: its direction, for claims and for selecting epochs.
        chance: value of a constant score; None for classes and decisions, where it depends on the class.
        is_timed: whether it depends on the machine's load.
        of_learning: whether it says how a training went. Another seed gives another value, and the value means nothing
            for a run that did not learn.
        step: what its values are whole multiples of, if that is not much less than their differences.
        ignores_classes: whether it compares scores by their order or size alone, so that a run that it judges
            cannot collapse to one class.
    """

    name: str
    about: str = ""
    measures: Literal[
        "scores",
        "examples",
        "threshold",
        "evaluation",
        "learning",
        "training",
        "selection",
        "scoring",
        "corpus",
    ] = "scores"
    bounds: tuple[float, float] = (0.0, 1.0)
    needs_threshold: bool = False
    of_classes: bool = False
    of_probabilities: bool = False
    is_share: bool = False
    higher_is_better: bool = True
    chance: float | None = None
    is_timed: bool = False
    of_learning: bool = False
    step: float = 0.0
    ignores_classes: bool = False

    @property
    def is_scored(self) -> bool:
        return self.measures == "scores"

    @property
    def on_examples(self) -> bool:
        """Whether it varies with the examples on which it is measured, so that they can be resampled."""
        return self.is_scored or self.measures == "threshold"

    @property
    def varies(self) -> bool:
        """Whether another measurement or training would give another value, although no examples are resampled."""
        return self.is_timed or self.of_learning

    @property
    def uses_threshold(self) -> bool:
        return self.needs_threshold or self.measures == "threshold"


@dataclass(frozen=True)
class LabelKind:
    """A kind of label of a corpus.

    Attributes:
        name: its name in YAML.
        classes: names of the classes in the order of their indices; empty for yes or no, and for scores.
        highest_score: the highest of scores, which start at 0; None for yes or no, and for classes.
        single: whether examples are single sentences.
        objective: the objective by which a multitask model's head learns such labels.
        metric: the metric by which a run's own task is judged.
        undecided: what stands for a class if annotators do not agree; such rows are dropped. In files, and on the hub.
    """

    name: str
    classes: tuple[str, ...] = ()
    highest_score: float | None = None
    single: bool = False
    objective: str = "cross-entropy"
    metric: str = "class-roc-auc"
    undecided: tuple[str, ...] = ()

    @property
    def is_score(self) -> bool:
        """Whether labels are scores."""
        return self.highest_score is not None

    @property
    def is_binary(self) -> bool:
        """Whether labels are 0 or 1, for no or yes."""
        return not (self.classes or self.is_score)

    @property
    def gives_triplets(self) -> bool:
        """Whether its pairs give an anchor with a sentence that follows from it and one that contradicts it."""
        return {"entailment", "contradiction"} <= set(self.classes)

    @property
    def class_count(self) -> int | None:
        """Number of different labels, which are indices; None for scores."""
        return None if self.is_score else len(self.classes) or 2

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest label."""
        return 0.0, (len(self.classes) or 2) - 1.0 if self.highest_score is None else self.highest_score


@dataclass(frozen=True)
class Objective:
    """A training objective.

    Attributes:
        name: its name in YAML.
        output: what it compares with the labels: one logit per example, one logit per class, a score on the corpus's
            scale, or the embeddings of an example's sentences.
        across_batch: whether it compares examples of a batch with one another, so that a batch cannot be split.
        divergence: whether the smart regularizer has a divergence for its output.
        learns_from: ``labels``, or ``triplets`` made of inference pairs.
        builds_examples: whether its examples are not rows, but built from them, such as triplets.
        constants: what its module computes with besides the batch, by name, such as a margin.
    """

    name: str
    output: Literal["logit", "class-logits", "score", "embeddings"]
    across_batch: bool = False
    divergence: bool = False
    learns_from: Literal["labels", "triplets"] = "labels"
    builds_examples: bool = False
    constants: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ModelKind:
    """A kind of model.

    Attributes:
        name: its name in YAML.
        training: how it is trained: by the engine, as one of a group over a frozen encoder, by a single fit, or not.
        requires: keys of `model` that a run must give.
        allows: keys that it may give besides; every kind may have `max_length`.
        random: whether it depends on the seed even without training.
        encodes: whether it reads both sentences of a pair jointly or separately.
        outputs: what it gives to objectives. One that allows `features` gives embeddings without them.
        threshold_is_tuned: whether the papers tune the threshold of its scores on dev even if they are probabilities.
        constants: hyperparameters that no key of `model` sets, by name.
    """

    name: str
    training: Literal["engine", "frozen-encoder", "fit", "none"]
    requires: frozenset[str]
    allows: frozenset[str] = frozenset()
    random: bool = False
    encodes: Literal["jointly", "separately", "neither"] = "neither"
    outputs: frozenset[str] = frozenset()
    threshold_is_tuned: bool = False
    constants: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Regularizer:
    """A penalty added to an objective's loss; `specs.regularizers` has its options.

    Attributes:
        name: its name in YAML.
        needs_divergence: whether it applies only to objectives with a divergence.
        passes: forward passes that each of its terms adds to a step, by the option that weights the term:
            ``{"smoothness": 5}``. A step without it takes as long as three.
    """

    name: str
    needs_divergence: bool = False
    passes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure.

    Attributes:
        name: its name in YAML.
        data: function of `evaluation.figures` that measures its data.
        reading: how to read it, in a sentence or two that follow its caption.
        requires: the keys that it has beside its kind and caption.
        allows: keys that it can have as well.
    """

    name: str
    data: Literal[
        "curves", "curves_by_epoch", "curves_by_stage", "metrics_by_step", "table", "spread", "tradeoffs", "matrices"
    ]
    reading: str
    requires: frozenset[str]
    allows: frozenset[str] = frozenset()
