"""The own task of a trained run, on which it is compared with its start and with the majority baseline."""

from collections.abc import Mapping

from semblance.registry import LABELS, MODELS
from semblance.specs.data import dataset_of
from semblance.specs.run import RunSpec, TaskSpec

ORDER = ("test", "validation", "dev")  # of a dataset's splits that a run is evaluated on, the first of these
PROBABLE = 0.5  # the threshold of a classifier


def own_task(spec: RunSpec, labels: Mapping[str, str]) -> TaskSpec | None:
    """Return the task that a run is judged to have learned; None if it is not trained, or not evaluated on one.

    It is the split that ``own_task`` in the run names, otherwise the last stage's dataset if the run is evaluated on
    it, otherwise the split that selected the last stage's epoch. A task with classes needs their probabilities.

    Args:
        spec: the run.
        labels: the kind of label of each dataset.
    """
    if not spec.stages:
        return None
    last = spec.stages[-1]
    own = [f"{last.on}/{part}" for part in ORDER if f"{last.on}/{part}" in spec.evaluate]
    chosen_by = [last.select.on] if last.select and last.select.on in spec.evaluate else []
    on = next(iter([*filter(None, [spec.own_task]), *own, *chosen_by]), None)
    if on is None:
        return None
    dataset = dataset_of(on)
    label = LABELS[labels[dataset]]
    if label.classes and not spec.model.gives_probabilities(label):
        return None
    trained_on = any(stage.on == dataset for stage in spec.stages)
    kind = MODELS[spec.model.kind]
    heads = spec.model.heads or ()
    by_head = (not label.is_score or label.name in heads) if "heads" in kind.requires else bool(spec.model.features)
    cosine = "embeddings" in kind.outputs and not by_head
    at_half = label.is_binary and not cosine and not kind.threshold_is_tuned
    return TaskSpec(
        on=on,
        train=f"{dataset}/train" if trained_on else None,
        metric=label.metric,
        threshold=PROBABLE if at_half else None,
        new_head=not cosine and (spec.start_from is None or spec.model.new_head),
    )
