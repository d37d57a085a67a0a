"""The registry: metrics, labels, objectives, models, parts of networks, regularizers and figures.

Each name is declared here once, with its properties. The enumerations of the JSON Schemas (`config.enumerations`), the
checks of the configuration, the cost model, the tuning of thresholds and several tests are derived from these
declarations. The module imports only the standard library, because Snakemake's own environment need not have numpy or
torch. Jobs that prepare corpora, make encoders, train and score depend only on the declarations that they use
(`planning.digests.declared`).

The implementation is found by name: metric ``roc-auc`` is `metrics.roc_auc`, objective ``cross-entropy`` is
the module `objectives.cross_entropy`, model kind ``bi-encoder`` is `models.bi_encoder`, regularizer ``smart`` is
`regularizers.smart`, figure kind ``table-dots`` is `reporting.figures.tables.table_dots`.
"""

import math
from collections.abc import Iterable
from functools import partial
from typing import TypeVar

from semblance.specs.kinds import FigureKind, LabelKind, Metric, ModelKind, Objective, Regularizer

Named = TypeVar("Named", Metric, LabelKind, Objective, ModelKind, Regularizer, FigureKind)


def _by_name(declared: Iterable[Named]) -> dict[str, Named]:
    return {one.name: one for one in declared}


_count = partial(Metric, bounds=(0.0, math.inf))


def _cost(name: str, about: str, measures: str = "training", **more: float) -> Metric:
    """Return a metric that is better the lower it is."""
    return _count(name, about, measures=measures, higher_is_better=False, **more)  # type: ignore[arg-type]


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
        Metric("pearson", bounds=(-1.0, 1.0), chance=0.0, ignores_classes=True),
        Metric("spearman", bounds=(-1.0, 1.0), chance=0.0, ignores_classes=True),
        Metric("roc-auc", chance=0.5),
        Metric("mean-score", bounds=(-1.0, 1.0)),
        Metric("mean-absolute-error", bounds=(0.0, math.inf), higher_is_better=False),
        Metric("class-roc-auc", of_probabilities=True, chance=0.5),
        Metric("log-loss", of_probabilities=True, bounds=(0.0, math.inf), higher_is_better=False),
        Metric("threshold", "Threshold, given or tuned", measures="threshold", bounds=(-math.inf, math.inf)),
        _count("examples", "Number of scored examples", measures="examples"),
        _count("step", "Step of an evaluation during training", measures="evaluation"),
        _count("epoch", "Epoch of an evaluation during training", measures="evaluation"),
        _cost("training-minutes", "Minutes of training, evaluations included", is_timed=True),
        _cost("peak-memory-gib", "Highest memory of the training process and its GPU, in GiB", is_timed=True),
        _cost("seconds-per-step", "Seconds of a training step, without evaluations", is_timed=True),
        _cost("parameters", "Number of trained parameters"),
        _cost("selected-epoch", "Epoch whose weights the last stage kept", "selection", of_learning=True, step=1),
        _cost("task-loss", "Mean loss of the task over all steps, without regularizers", of_learning=True),
        _cost("smoothness-term", "Mean of SMART's smoothness over all steps, without its factor", of_learning=True),
        _cost("proximity-term", "Mean of SMART's proximity over all steps, without its factor", of_learning=True),
        _count("pairs-per-second", "Pairs scored in a second", measures="scoring", is_timed=True),
        _cost(
            "milliseconds-per-pair",
            "Milliseconds to score a pair, any frozen encoder's apart",
            "scoring",
            is_timed=True,
        ),
        _cost("milliseconds-per-pair-from-text", "The same with those of a frozen encoder", "scoring", is_timed=True),
        Metric("training-accuracy", "Accuracy on a sample of the training rows", measures="learning"),
        Metric("top-share", "Share of the most predicted class", measures="learning"),
        _count("rows", "Number of rows that were read", measures="corpus"),
        Metric("label-share", "Share of rows with a label", measures="corpus"),
    ]
)
HIGHEST_SCORE = 5.0  # of STS-B and all corpora with scores
LABELS = _by_name(
    [
        LabelKind("binary", objective="binary-cross-entropy", metric="roc-auc"),
        LabelKind("score", highest_score=HIGHEST_SCORE, objective="score-squared-error", metric="pearson"),
        LabelKind("inference", ("entailment", "neutral", "contradiction"), undecided=("-", "-1")),
        LabelKind(
            "sentiment",
            ("negative", "somewhat negative", "neutral", "somewhat positive", "positive"),
            single=True,
        ),
        LabelKind("polarity", ("negative", "positive"), single=True),
    ]
)
_simcse = partial(Objective, output="embeddings", learns_from="triplets", builds_examples=True)
_MARGIN, _SCALE, _TEMPERATURE = {"margin": 0.5}, {"scale": 20.0}, {"temperature": 0.05}
OBJECTIVES = _by_name(
    [
        Objective("binary-cross-entropy", "logit", divergence=True),
        Objective("mean-squared-error", "logit", divergence=True),
        Objective("cross-entropy", "class-logits", divergence=True),
        Objective("score-squared-error", "score", divergence=True),
        Objective("cosine-mean-squared-error", "embeddings"),
        Objective("cosine-linear", "embeddings"),
        Objective("contrastive", "embeddings", constants=_MARGIN),
        Objective("triplet", "embeddings", builds_examples=True, constants=_MARGIN),
        Objective("triplet-hard", "embeddings", builds_examples=True, constants=_MARGIN),
        Objective("in-batch-ranking", "embeddings", across_batch=True, constants=_SCALE),
        _simcse("simcse-triplet", constants=_TEMPERATURE),
        _simcse("simcse-in-batch", across_batch=True, constants=_TEMPERATURE),
        _simcse("simcse-listing", across_batch=True, constants=_TEMPERATURE),
        _simcse("simcse-unsupervised", across_batch=True, constants=_SCALE),
    ]
)
_ENCODER, _POOLED = frozenset({"encoder"}), frozenset({"encoder", "pooling"})
MODELS = _by_name(
    [
        ModelKind("tfidf", "fit", frozenset({"fit_on"})),
        ModelKind("tfidf-forest", "fit", frozenset({"fit_on", "features", "trees"}), random=True),
        ModelKind("surface", "fit", frozenset({"cue", "fit_on"}), frozenset({"classes"})),
        ModelKind("word2vec", "fit", _ENCODER),
        ModelKind(
            "bi-encoder",
            "engine",
            _POOLED,
            frozenset({"features", "hidden_layers"}),
            encodes="separately",
            outputs=frozenset({"embeddings", "logit"}),
            threshold_is_tuned=True,
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
            constants={"dropout": 0.2},  # of the classifier, as in the authors' code
        ),
        ModelKind("library-bi-encoder", "none", _ENCODER),
        ModelKind("library-cross-encoder", "none", _ENCODER),
    ]
)
# Parts of the networks of `models.siamese_3d.network`.
EXTRACTIONS = (
    "afe",
    "afe-printed",
    "afe-mean-1",
    "plain",
)
ATTENTIONS = (
    "sa",
    "sa-scaled",
    "sa-code",
    "fa-1",
    "fa-2",
    "fa-3",
    "fa-3-code",
    "late",
)
FUSIONS = (
    "max-avg",
    "rfm",
    "rfm-printed",
    "rfm-code",
    "inception",
    "dilated",
)
REGULARIZERS = _by_name([Regularizer("smart", needs_divergence=True, passes={"smoothness": 5, "proximity": 1})])
_RUNS, _TABLE = frozenset({"runs"}), frozenset({"table"})
_DOTS = _TABLE | {"quantity"}
FIGURES = _by_name(
    [
        FigureKind(
            "training-curves",
            "curves",
            "Solid: training loss. Dashed, if measured: score on dev. Where the loss still falls at the end, longer "
            "training may help.",
            _RUNS,
        ),
        FigureKind(
            "loss-parts", "curves", "A term that stays orders of magnitude below the task's loss has no effect.", _RUNS
        ),
        FigureKind(
            "scores-by-epoch",
            "curves_by_epoch",
            "Where train rises and dev does not, the model memorises its examples.",
            _RUNS,
        ),
        FigureKind(
            "scores-by-stage",
            "curves_by_stage",
            "A score that falls in the stage of another task shows forgetting.",
            _RUNS,
        ),
        FigureKind(
            "metrics-by-step",
            "metrics_by_step",
            "Lines are measured, hollow markers published. Lines that still rise at the end: longer training may help.",
            frozenset({"run", "metrics", "panels"}),
            _TABLE,
        ),
        FigureKind(
            "table-heatmap",
            "table",
            "Darker is higher in its column. Read a column downwards: it pales where a score falls.",
            _TABLE,
        ),
        FigureKind("table-dots", "table", "Lines are 95% intervals. The grey line is at 0.5.", _DOTS),
        FigureKind(
            "table-panels",
            "table",
            "Lines are 95% intervals. Claims compare rows on the same examples, and so can show smaller differences.",
            _DOTS,
        ),
        FigureKind(
            "table-spread",
            "spread",
            "Short lines are means, tall ones ranges. Where a range is small, the table's columns matter little.",
            _DOTS,
        ),
        FigureKind(
            "table-pareto",
            "tradeoffs",
            "Better is higher, cheaper is further to the left. No model is better and cheaper than a numbered one.",
            _TABLE | {"cost", "qualities"},
        ),
        FigureKind(
            "similarity-matrices",
            "matrices",
            "Darker is more similar. Words of the same meaning should be dark, whatever their place.",
            frozenset({"of", "titles", "on", "pairs"}),
        ),
    ]
)
