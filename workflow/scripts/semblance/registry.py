"""The registry: metrics, labels, objectives, models, regularizers, figures, lists, parts of networks and file formats.

Each name is declared here once, with its properties. The JSON Schemas' enumerations, the checks of the configuration,
the cost model, the tuning of thresholds and several tests are derived from these declarations. The module imports only
the standard library, because Snakemake's own environment need not have numpy or torch.

The implementation is found by name: metric ``roc-auc`` is `evaluation.metrics.roc_auc`, objective ``cross-entropy`` is
the module `objectives.cross_entropy`, model kind ``bi-encoder`` is `models.bi_encoder`, regularizer ``smart`` is
`regularizers.smart`, figure kind ``table-dots`` is `reporting.figures.table_dots`, list kind ``answers`` is
`evaluation.lists.answers`.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar, get_args, get_type_hints

from semblance.specs.cells import ClaimSpec, Subset
from semblance.specs.recipe import Recipe
from semblance.specs.run import ModelSpec, NetworkSpec


@dataclass(frozen=True)
class Metric:
    """Something a table cell can show.

    Attributes:
        name: its name in YAML.
        about: what it is and its unit, if it is no function of `evaluation.metrics` that says so.
        measures: what it is computed from: scores of examples; the examples or the threshold of such a cell; an
            evaluation during training; the judgement of whether a run learned; a run's training; the selection of its
            epoch; the scoring of a split; a corpus. Class probabilities, which are not recorded, can only select an
            epoch.
        bounds: lowest and highest possible value.
        needs_threshold: whether it compares a score with a threshold, and can be tuned for.
        of_classes: whether scores and targets are class indices.
        is_share: whether it is a whole number of examples over their number, so that an exact interval exists.
        higher_is_better: its direction, for claims and for selecting epochs.
        chance: value of a constant score; None for classes and decisions, where it depends on the class.
        is_timed: whether it depends on the machine's load.
        of_learning: whether it says how a training went. Another seed gives another value, and the value means nothing
            for a run that did not learn.
    """

    name: str
    about: str = ""
    measures: Literal[
        "scores",
        "probabilities",
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
    is_share: bool = False
    higher_is_better: bool = True
    chance: float | None = None
    is_timed: bool = False
    of_learning: bool = False

    @property
    def is_scored(self) -> bool:
        return self.measures == "scores"

    @property
    def on_examples(self) -> bool:
        """Whether it varies with the examples on which it is measured, so that they can be resampled."""
        return self.is_scored or self.measures == "threshold"

    @property
    def is_correlation(self) -> bool:
        """Whether scores are compared by their order or size alone, without classes."""
        return self.chance == 0

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
        classes: names of the classes in the order of their indices; empty for scores.
        range: lowest and highest label.
        single: whether examples are single sentences.
        objective: the objective by which a multitask model's head learns such labels.
        metric: the metric by which a run's own task is judged.
    """

    name: str
    classes: tuple[str, ...] = ()
    range: tuple[float, float] = (0.0, 1.0)
    single: bool = False
    objective: str = "cross-entropy"
    metric: str = "class-accuracy"


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
    """

    name: str
    output: Literal["logit", "class-logits", "score", "embeddings"]
    across_batch: bool = False
    divergence: bool = False
    learns_from: Literal["labels", "triplets"] = "labels"


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
    """

    name: str
    training: Literal["engine", "frozen-encoder", "fit", "none"]
    requires: frozenset[str]
    allows: frozenset[str] = frozenset()
    random: bool = False
    encodes: Literal["jointly", "separately", "neither"] = "neither"
    outputs: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Regularizer:
    """A penalty added to an objective's loss.

    Attributes:
        name: its name in YAML.
        needs_divergence: whether it applies only to objectives with a divergence.
        defaults: values of its keys that a stage need not give.
    """

    name: str
    needs_divergence: bool = False
    defaults: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure.

    Attributes:
        name: its name in YAML.
        data: function of `evaluation.figures` that measures its data.
        requires: the keys that it has beside its kind and caption.
        allows: keys that it can have as well.
    """

    name: str
    data: Literal["curves", "metrics_by_step", "table", "pareto", "matrices"]
    requires: frozenset[str]
    allows: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ListKind:
    """A kind of list of examples, with the keys that it has beside those of all lists."""

    name: str
    requires: frozenset[str]
    allows: frozenset[str] = frozenset()


Named = TypeVar("Named", Metric, LabelKind, Objective, ModelKind, Regularizer, FigureKind, ListKind)


def _by_name(declared: Iterable[Named]) -> dict[str, Named]:
    return {one.name: one for one in declared}


UNBOUNDED = (0.0, math.inf)
METRICS = _by_name(
    [
        Metric("accuracy", needs_threshold=True, is_share=True),
        Metric("precision", needs_threshold=True),
        Metric("recall", needs_threshold=True),
        Metric("f1", needs_threshold=True),
        Metric("weighted-f1", needs_threshold=True),
        Metric("false-positive-rate", needs_threshold=True, higher_is_better=False),
        Metric("class-accuracy", of_classes=True, is_share=True),
        Metric("class-weighted-f1", of_classes=True),
        Metric("pearson", bounds=(-1.0, 1.0), chance=0.0),
        Metric("spearman", bounds=(-1.0, 1.0), chance=0.0),
        Metric("roc-auc", chance=0.5),
        Metric("mean-score", bounds=(-1.0, 1.0)),
        Metric("mean-absolute-error", bounds=UNBOUNDED, higher_is_better=False),
        Metric("log-loss", measures="probabilities", bounds=UNBOUNDED, higher_is_better=False),
        Metric("threshold", "Threshold, given or tuned", measures="threshold", bounds=(-math.inf, math.inf)),
        Metric("examples", "Number of scored examples", measures="examples", bounds=UNBOUNDED),
        Metric("step", "Step of an evaluation during training", measures="evaluation", bounds=UNBOUNDED),
        Metric("epoch", "Epoch of an evaluation during training", measures="evaluation", bounds=UNBOUNDED),
        Metric(
            "training-minutes",
            "Minutes of training, evaluations included",
            measures="training",
            bounds=UNBOUNDED,
            higher_is_better=False,
            is_timed=True,
        ),
        Metric(
            "peak-memory-gib",
            "Highest memory of the training process, with that of its GPU, in GiB",
            measures="training",
            bounds=UNBOUNDED,
            higher_is_better=False,
            is_timed=True,
        ),
        Metric(
            "seconds-per-step",
            "Seconds of a training step, without evaluations",
            measures="training",
            bounds=UNBOUNDED,
            higher_is_better=False,
            is_timed=True,
        ),
        Metric(
            "selected-epoch",
            "Epoch of the last stage whose weights were kept",
            measures="selection",
            bounds=UNBOUNDED,
            higher_is_better=False,
            of_learning=True,
        ),
        Metric(
            "task-loss",
            "Mean loss of the task over all steps, without regularizers",
            measures="training",
            bounds=UNBOUNDED,
            higher_is_better=False,
            of_learning=True,
        ),
        Metric(
            "smoothness-term",
            "Mean of SMART's smoothness over all steps, without its factor",
            measures="training",
            bounds=UNBOUNDED,
            higher_is_better=False,
            of_learning=True,
        ),
        Metric(
            "proximity-term",
            "Mean of SMART's proximity over all steps, without its factor",
            measures="training",
            bounds=UNBOUNDED,
            higher_is_better=False,
            of_learning=True,
        ),
        Metric(
            "parameters", "Number of trained parameters", measures="training", bounds=UNBOUNDED, higher_is_better=False
        ),
        Metric("pairs-per-second", "Pairs scored in a second", measures="scoring", bounds=UNBOUNDED, is_timed=True),
        Metric(
            "milliseconds-per-pair",
            "Milliseconds to score a pair; without those of a frozen encoder",
            measures="scoring",
            bounds=UNBOUNDED,
            higher_is_better=False,
            is_timed=True,
        ),
        Metric(
            "milliseconds-per-pair-from-text",
            "Milliseconds to score a pair, with those of a frozen encoder",
            measures="scoring",
            bounds=UNBOUNDED,
            higher_is_better=False,
            is_timed=True,
        ),
        Metric("training-accuracy", "Accuracy on a sample of the training rows", measures="learning"),
        Metric("top-share", "Share of the most predicted class", measures="learning"),
        Metric("rows", "Number of rows that were read", measures="corpus", bounds=UNBOUNDED),
        Metric("label-share", "Share of rows with a label", measures="corpus"),
    ]
)
LABELS = _by_name(
    [
        LabelKind("binary", objective="binary-cross-entropy", metric="roc-auc"),
        LabelKind("score", range=(0.0, 5.0), objective="score-squared-error", metric="pearson"),
        LabelKind("inference", ("entailment", "neutral", "contradiction"), (0.0, 2.0)),
        LabelKind(
            "sentiment",
            ("negative", "somewhat negative", "neutral", "somewhat positive", "positive"),
            (0.0, 4.0),
            single=True,
        ),
        LabelKind("polarity", ("negative", "positive"), single=True),
    ]
)
OBJECTIVES = _by_name(
    [
        Objective("binary-cross-entropy", "logit", divergence=True),
        Objective("mean-squared-error", "logit", divergence=True),
        Objective("cross-entropy", "class-logits", divergence=True),
        Objective("score-squared-error", "score", divergence=True),
        Objective("cosine-mean-squared-error", "embeddings"),
        Objective("cosine-linear", "embeddings"),
        Objective("contrastive", "embeddings"),
        Objective("triplet", "embeddings"),
        Objective("triplet-hard", "embeddings"),
        Objective("in-batch-ranking", "embeddings", across_batch=True),
        Objective("simcse-triplet", "embeddings", learns_from="triplets"),
        Objective("simcse-in-batch", "embeddings", across_batch=True, learns_from="triplets"),
        Objective("simcse-listing", "embeddings", across_batch=True, learns_from="triplets"),
        Objective("simcse-unsupervised", "embeddings", across_batch=True, learns_from="triplets"),
    ]
)
_ENCODER, _POOLED = frozenset({"encoder"}), frozenset({"encoder", "pooling"})
MODELS = _by_name(
    [
        ModelKind("tfidf", "fit", frozenset({"fit_on"})),
        ModelKind("tfidf-forest", "fit", frozenset({"fit_on", "features", "trees"}), random=True),
        ModelKind("surface", "fit", frozenset({"cue", "fit_on"})),
        ModelKind("word2vec", "fit", _ENCODER),
        ModelKind(
            "bi-encoder",
            "engine",
            _POOLED,
            frozenset({"features", "hidden_layers"}),
            encodes="separately",
            outputs=frozenset({"embeddings", "logit"}),
        ),
        ModelKind(
            "cross-encoder",
            "engine",
            _ENCODER,
            frozenset({"classes", "new_head"}),
            random=True,
            encodes="jointly",
            outputs=frozenset({"logit", "class-logits"}),
        ),
        ModelKind(
            "multitask",
            "engine",
            _POOLED | {"heads", "features", "dropout"},
            random=True,
            encodes="separately",
            outputs=frozenset({"embeddings", "logit", "class-logits", "score"}),
        ),
        ModelKind(
            "siamese-3d",
            "frozen-encoder",
            _ENCODER | {"network", "classes"},
            outputs=frozenset({"class-logits"}),
        ),
        ModelKind("library-bi-encoder", "none", _ENCODER),
        ModelKind("library-cross-encoder", "none", _ENCODER),
    ]
)
SMART = {
    "variant": "equations",
    "epsilon": 1e-5,  # ε: largest shift of a coordinate of an embedding
    "sigma": 1e-5,  # standard deviation of the initial noise
    "eta": 1e-3,  # length of a gradient step
    "ascents": 1,  # T_x: number of gradient steps
    "steps_per_anchor": 1,  # S: steps between updates of the average
    "momentum": [0.99, 0.999],  # β before and after the switch
    # The 54, 38 and 1,769 steps in the thesis are each a fifth of an epoch with batches of 32 examples.
    "momentum_switch": 0.2,  # in epochs
}
REGULARIZERS = _by_name([Regularizer("smart", needs_divergence=True, defaults=SMART)])
_RUNS, _TABLE = frozenset({"runs"}), frozenset({"table"})
_DOTS = _TABLE | {"quantity"}
FIGURES = _by_name(
    [
        FigureKind("training-curves", "curves", _RUNS),
        FigureKind("loss-parts", "curves", _RUNS),
        FigureKind("scores-by-epoch", "curves", _RUNS),
        FigureKind("scores-by-stage", "curves", _RUNS),
        FigureKind("metrics-by-step", "metrics_by_step", frozenset({"run", "metrics", "panels"}), _TABLE),
        FigureKind("table-heatmap", "table", _TABLE),
        FigureKind("table-dots", "table", _DOTS),
        FigureKind("table-panels", "table", _DOTS),
        FigureKind("table-spread", "table", _DOTS),
        FigureKind("table-pareto", "pareto", _TABLE | {"cost", "qualities"}),
        FigureKind("similarity-matrices", "matrices", frozenset({"of", "titles", "on", "pairs"})),
    ]
)
LISTS = _by_name([ListKind("worst-errors", frozenset({"run", "count"})), ListKind("answers", _RUNS)])
# Parts of the networks of `models.siamese_3d.network`.
EXTRACTION = (
    "afe",
    "afe-printed",
    "afe-mean-1",
    "plain",
)
ATTENTION = (
    "sa",
    "sa-scaled",
    "sa-code",
    "fa-1",
    "fa-2",
    "fa-3",
    "fa-3-code",
    "late",
)
FUSION = (
    "max-avg",
    "rfm",
    "rfm-printed",
    "rfm-code",
    "inception",
    "dilated",
)
# Formats of official files, each read by the function of that name in `data.formats`.
FORMATS = (
    "glue-qqp-tsv",
    "stsb-csv",
    "msr-paraphrase",
    "snli-jsonl",
    "cs224n-csv",
    "stress-csv",
)


def _choices(spec: type, name: str) -> tuple[str, ...]:
    """Return the texts that a field of a spec can have, from its type."""
    hint = get_type_hints(spec)[name]
    return tuple(choice for part in (hint, *get_args(hint)) for choice in get_args(part) if isinstance(choice, str))


# What a schema may write in the place of an enumeration.
ENUMERATIONS = {
    "metrics": tuple(name for name, metric in METRICS.items() if metric.measures != "probabilities"),
    "scored-metrics": tuple(name for name, metric in METRICS.items() if metric.is_scored),
    "selecting-metrics": tuple(
        name for name, metric in METRICS.items() if metric.is_scored or metric.measures == "probabilities"
    ),
    "claimed-metrics": tuple(
        name
        for name, metric in METRICS.items()
        if metric.on_examples or metric.measures in ("training", "selection", "scoring")
    ),
    "tuned-metrics": tuple(
        name for name, metric in METRICS.items() if metric.needs_threshold and metric.higher_is_better
    ),
    "labels": tuple(LABELS),
    "objectives": tuple(OBJECTIVES),
    "models": tuple(MODELS),
    "extraction": EXTRACTION,
    "attention": ATTENTION,
    "fusion": FUSION,
    "formats": FORMATS,
    "figures": tuple(FIGURES),
    "lists": tuple(LISTS),
    "optimizers": _choices(Recipe, "optimizer"),
    "schedules": _choices(Recipe, "schedule"),
    "decayed": _choices(Recipe, "decayed"),
    "precisions": _choices(Recipe, "precision"),
    "poolings": _choices(ModelSpec, "pooling"),
    "cues": _choices(ModelSpec, "cue"),
    "blocks": _choices(NetworkSpec, "blocks"),
    "halves": _choices(Subset, "half"),
    "better-the": _choices(ClaimSpec, "better_the"),
    "than-the": _choices(ClaimSpec, "than_the"),
    "pairs": _choices(ClaimSpec, "pairs"),
}
