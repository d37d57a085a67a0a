"""The facts of a run that its training records in facts.json, beside its spec, its seed and its provenance."""

from typing import NotRequired, TypedDict


class StageFacts(TypedDict):
    """The facts of one stage.

    Attributes:
        stage: its number and dataset, such as ``1. qqp``.
        examples: training examples; a pair or a triplet is one.
        steps: steps that were made.
        precision: ``fp32`` or ``bf16``.
        means: means over the steps of the loss and of each term of a penalty, by series of the curve.
        batch_in_pieces: parts in which a batch was computed, if it does not fit the memory as a whole.
        diverged_after_step: the step after which the loss was not finite.
        selected_epoch: the epoch whose weights the stage ends with, if one is selected.
        selected_score: its score, by the metric that selects; None if it diverged.
        after: the scores after the stage and their mean, if stages are selected.
        selecting_seconds: time of the evaluations that select an epoch or a stage.
        watching_seconds: time of the evaluations that only record.
    """

    stage: str
    examples: int
    steps: int
    precision: str
    means: dict[str, float]
    batch_in_pieces: NotRequired[int]
    diverged_after_step: NotRequired[int]
    selected_epoch: NotRequired[float]
    selected_score: NotRequired[float | None]
    after: NotRequired[dict[str, float]]
    selecting_seconds: NotRequired[float]
    watching_seconds: NotRequired[float]


class RunFacts(TypedDict):
    """The facts of a run with one seed.

    Attributes:
        parameters: trainable numbers of the model.
        stages: its stages; none, if it is fitted in one call or not trained.
        selected_stage: the name of the stage whose weights it ends with, if one is selected.
        trained_together: number of networks that were trained at once; the times and the memory are those of all.
        seconds: time of training.
        peak_memory_mb: most memory of the process, in MiB.
        gpu_peak_memory_mb: most memory of the GPU, in MiB; None without one.
        device: ``cpu``, or the name of the GPU.
        processor: name of the CPU.
        precision: the precisions of all stages; None if the model has none.
        threads: threads of the process.
        cores: cores of the machine.
    """

    parameters: int
    stages: list[StageFacts]
    selected_stage: NotRequired[str]
    trained_together: NotRequired[int]
    seconds: float
    peak_memory_mb: int
    gpu_peak_memory_mb: int | None
    device: str
    processor: NotRequired[str]
    precision: str | None
    threads: int
    cores: int | None
