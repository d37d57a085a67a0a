"""What jobs record of a run (beside spec, seed and provenance), a dataset, an encoder, and the speed of scoring."""

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


class MachineFacts(TypedDict):
    """The machine of a training or a scoring.

    Attributes:
        device: ``cpu``, or the name of the GPU.
        processor: name of the CPU; None if the system does not tell it.
    """

    device: str
    processor: str | None


class RunFacts(MachineFacts):
    """The facts of a run with one seed.

    Attributes:
        parameters: trainable numbers of the model.
        stages: its stages; none, if it is fitted in one call or not trained.
        selected_stage: the name of the stage whose weights it ends with, if one is selected.
        trained_together: number of networks that were trained at once; the times and the memory are those of all.
        seconds: time of training.
        peak_memory_mb: most memory of the process, in MiB.
        gpu_peak_memory_mb: most memory of the GPU, in MiB; None without one.
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
    precision: str | None
    threads: int
    cores: int | None


class SplitFacts(TypedDict):
    """The facts of one split of a dataset.

    Attributes:
        read: rows in the source; None for an unlabelled split that is not there.
        used: rows that remain.
        empty: rows without a sentence or a label.
        short: rows with a sentence below the least number of characters.
        undecided: rows without a class on which the annotators agree.
        labels_read: rows of each label or class in the source.
        groups_read: rows of each group in the source, such as a genre.
        held_out_of: the split from whose rows it was taken, if the source lacks it.
        overlapping: rows whose pair is in a split that comes first.
        label_mean: mean label of the used rows.
        positive: used rows of equivalent pairs.
        overlap_auc: ROC AUC of word overlap as a score, of labelled pairs.
        classes: used rows of each class.
        groups: used rows of each group.
        parquet_sha256: checksum of the prepared file.
        file: file that was read.
        sha256: its checksum.
        repository: dataset on the hub.
        revision: its revision.
        commit: commit of a file in a repository.
        git_blob: git's id of this file.
        grammar: checksum of the grammar that generated the split.
        seed: seed of the generator.
    """

    read: int | None
    used: int
    empty: NotRequired[int]
    short: NotRequired[int]
    undecided: NotRequired[int]
    labels_read: NotRequired[list[int]]
    groups_read: NotRequired[dict[str, int]]
    held_out_of: NotRequired[str]
    overlapping: NotRequired[int]
    label_mean: NotRequired[float]
    positive: NotRequired[int]
    overlap_auc: NotRequired[float]
    classes: NotRequired[dict[str, int]]
    groups: NotRequired[dict[str, int]]
    parquet_sha256: NotRequired[str]
    file: NotRequired[str]
    sha256: NotRequired[str]
    repository: NotRequired[str]
    revision: NotRequired[str]
    commit: NotRequired[str]
    git_blob: NotRequired[str]
    grammar: NotRequired[str]
    seed: NotRequired[int]


class DatasetFacts(TypedDict):
    """The facts of a dataset: its name, version, kind of source and of label, and its splits."""

    dataset: str
    version: int | None
    source: str
    label: str
    splits: dict[str, SplitFacts]


class EncoderFacts(TypedDict):
    """The facts of an encoder. One that is pre-trained here also has those of its only stage, see `StageFacts`.

    Attributes:
        title: what it is.
        source: kind of its source.
        repo: its repository on the hub.
        revision: the revision of that.
        package: the installed package that it comes from.
        folder: its folder in the package or the checkout.
        path: its folder on this machine.
        file: the file of word vectors.
        weights_sha256: checksum of the weights, if they exist elsewhere.
        start_from: the encoder whose first layers it is.
        layers: number of layers, of a transformer.
        width: their width.
        parameters: its parameters.
        words: number of words, of word vectors.
        dimensions: dimensions of the vectors.
        sentences: sentences on which they were trained here.
    """

    title: str
    source: str
    repo: NotRequired[str]
    package: NotRequired[str]
    folder: NotRequired[str]
    path: NotRequired[str]
    file: NotRequired[str]
    revision: NotRequired[str]
    weights_sha256: NotRequired[str]
    start_from: NotRequired[str]
    layers: NotRequired[int]
    width: NotRequired[int]
    parameters: NotRequired[int]
    words: NotRequired[int]
    dimensions: NotRequired[int]
    sentences: NotRequired[int]


class SpeedFacts(MachineFacts):
    """How fast a split was scored.

    Attributes:
        pairs: its pairs.
        seconds: the median time of the repetitions, without that of a frozen encoder.
        each: the time of each repetition.
        encoding_seconds: the median time of the frozen encoder, if there is one.
        each_encoding: its time in each repetition.
    """

    pairs: int
    seconds: float
    each: list[float]
    encoding_seconds: NotRequired[float]
    each_encoding: NotRequired[list[float]]
