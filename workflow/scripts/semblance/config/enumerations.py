"""The enumerations of the JSON Schemas: names in the registry, and texts that a field of a spec can have.

They are apart from the registry, on which all jobs depend, because an edit of a claim's fields
must not train anything again.
"""

from typing import get_args, get_type_hints

from semblance.registry import (
    ATTENTION,
    EXTRACTION,
    FIGURES,
    FORMATS,
    FUSION,
    LABELS,
    METRICS,
    MODELS,
    OBJECTIVES,
)
from semblance.specs.cells import ClaimSpec, Subset
from semblance.specs.recipe import Recipe
from semblance.specs.run import ModelSpec, NetworkSpec


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
