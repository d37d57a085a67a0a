"""What the JSON Schemas may write in the place of an enumeration.

They are apart from the registry, because only the reading of the configuration needs them.
"""

from typing import get_args, get_type_hints

from semblance import registry
from semblance.registry import METRICS
from semblance.specs import cells, data, encoders, recipe, regularizers, run, settings

MODULES = (cells, data, encoders, recipe, regularizers, run, settings)
SPECS = {name: one for module in MODULES for name, one in vars(module).items()}
ENCODER_SOURCES = list(encoders.SOURCES)
MEASURED = ("training", "selection", "scoring")
SCORED_METRICS = [name for name, one in METRICS.items() if one.is_scored]
CLAIMED_METRICS = [name for name, one in METRICS.items() if one.on_examples or one.measures in MEASURED]
TUNED_METRICS = [name for name, one in METRICS.items() if one.needs_threshold and one.higher_is_better]


def enumeration(name: str) -> list[str | None]:
    """Return a list of names above or in the registry (``MODELS``), or a field's texts (``Recipe.optimizer``).

    A name that ends with `` or null`` allows null as well.
    """
    name, null, _ = name.partition(" or null")
    if null:
        return [*enumeration(name), None]
    spec, dot, field = name.partition(".")
    if not dot:
        return list(globals().get(name) or getattr(registry, name))
    hint = get_type_hints(SPECS[spec])[field]
    return [choice for part in (hint, *get_args(hint)) for choice in get_args(part) if isinstance(choice, str)]
