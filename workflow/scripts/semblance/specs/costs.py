"""What estimates of costs start from; config/costs.yaml holds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Rate:
    """Operations per second of a device, and how they are known."""

    flops: float
    source: str


@dataclass(frozen=True)
class CorpusSize:
    """Mean number of tokens of an example, numbers of rows by split, and triplets that are built from a row."""

    tokens: float = 40
    rows: Mapping[str, int] = field(default_factory=dict)
    triplets: float = 1


@dataclass(frozen=True)
class EncoderSize:
    """Layers, their width, and millions of weights with those of embeddings."""

    layers: int
    width: int
    weights: float


@dataclass(frozen=True)
class Sizes:
    """All of them.

    Attributes:
        rates: by device, ``cpu`` (a core) and ``cuda``.
        start: seconds until a job's first step.
        head: cost of a network's step over a frozen encoder, in passes of the encoder.
        datasets: by name; another dataset has the defaults.
        encoders: by name.
    """

    rates: Mapping[str, Rate]
    start: float
    head: float
    datasets: Mapping[str, CorpusSize]
    encoders: Mapping[str, EncoderSize]
