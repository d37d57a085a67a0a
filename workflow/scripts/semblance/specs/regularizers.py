"""Specs of regularizers: the options of each, by its name in YAML."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal


@dataclass(frozen=True)
class SmartSpec:
    """The options of `regularizers.smart`.

    Attributes:
        smoothness: λ, the factor of the smoothness term.
        proximity: μ, the factor of the proximity term.
        variant: the equations of the thesis, the same to the letter, its code, or the published codes of SMART.
        epsilon: ε, the largest shift of a coordinate of an embedding.
        sigma: σ, the standard deviation of the initial noise.
        eta: η, the length of a gradient step.
        ascents: T_x, the number of gradient steps.
        steps_per_anchor: S, the steps between updates of the average of weights.
        momentum: β of this average, before and after the switch.
        momentum_switch: when it switches, in epochs. The 54, 38 and 1,769 steps in the thesis are each a fifth of an
            epoch with batches of 32 examples.
    """

    smoothness: float
    proximity: float
    variant: Literal["equations", "literal", "listing", "reference"] = "equations"
    epsilon: float = 1e-5
    sigma: float = 1e-5
    eta: float = 1e-3
    ascents: int = 1
    steps_per_anchor: int = 1
    momentum: tuple[float, float] = (0.99, 0.999)
    momentum_switch: float = 0.2


@dataclass(frozen=True)
class Regularizers:
    """The options of a stage's regularizer, at most one of these."""

    smart: SmartSpec | None = None

    def items(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and the options of the one that is set."""
        named = ((one.name, getattr(self, one.name)) for one in fields(self))
        return ((name, options) for name, options in named if options)


def changed(options: Any) -> dict[str, object]:
    """Return the options that are not a default."""
    return {one.name: value for one in fields(options) if (value := getattr(options, one.name)) != one.default}
