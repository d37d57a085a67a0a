"""What estimates of costs start from, which config/costs.yaml holds, and the estimates."""

from collections.abc import Mapping, Sequence
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
    """All that config/costs.yaml holds.

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


@dataclass(frozen=True)
class Cost:
    """Seconds of a job on its device, and megabytes of memory (without that of a GPU) and of disk space."""

    seconds: float
    memory_mb: float
    disk_mb: float


@dataclass(frozen=True)
class Total:
    """The number of jobs, their seconds, those of the longest, and megabytes of disk space."""

    jobs: int
    seconds: float
    longest: float
    disk_mb: float

    @classmethod
    def of(cls, costs: Sequence[Cost]) -> "Total":
        seconds = [cost.seconds for cost in costs]
        return cls(len(costs), sum(seconds), max(seconds, default=0.0), sum(cost.disk_mb for cost in costs))


@dataclass(frozen=True)
class Plan:
    """What training and scoring would cost.

    Attributes:
        preset: name of the preset.
        seeds: number of seeds.
        threads: threads of each job.
        device: ``cpu`` or ``cuda``.
        rate: assumed speed of the device.
        light_jobs: number of tables, figures, lists and claims, which take seconds.
        papers: cost by paper.
        total: cost of all papers.
    """

    preset: str
    seeds: int
    threads: int
    device: str
    rate: Rate
    light_jobs: int
    papers: Mapping[str, Total]
    total: Total
