"""What a trained run is to have learned: its own task, on which it is compared with its start and with the majority."""

from __future__ import annotations

from collections.abc import Mapping

from semblance.registry import LABELS

ORDER = ("test", "validation", "dev")  # of a dataset's splits that a run is evaluated on, the first of these
PROBABLE = 0.5  # the threshold of what is a probability


def own_task(spec: Mapping, labels: Mapping[str, str]) -> dict | None:
    """The task that a complete run is judged to have learned.

    It is what ``own_task`` in the run names, else the last stage's dataset where the run is evaluated on that,
    else what chose the last stage's epoch.

    Args:
        spec: a complete run.
        labels: the kind of label by dataset.

    Returns:
        `on`, the split that is evaluated; `metric`; `train`, the split of the same dataset that was trained on, or
        None; `threshold`, which tells the classes of binary labels apart: 0.5 for probabilities, None for cosines,
        whose threshold is tuned on the training split. None for a run that is not trained or not evaluated so.
    """
    if not spec["stages"]:
        return None
    last = spec["stages"][-1]
    evaluated = {name: name.split("/")[1] for name in spec["evaluate"] if name.split("/")[0] == last["on"]}
    own = [name for part in ORDER for name in evaluated if evaluated[name] == part]
    chosen_by = [last["select"]["on"]] if last.get("select", {}).get("on") in spec["evaluate"] else []
    on = next(iter([*([spec["own_task"]] if spec.get("own_task") else []), *own, *chosen_by]), None)
    if on is None:
        return None
    dataset = on.split("/")[0]
    label = labels[dataset]
    trained_on = any(stage["on"] == dataset for stage in spec["stages"])
    cosine = spec["model"]["kind"] == "bi-encoder" and not spec["model"].get("features")
    return {
        "on": on,
        "metric": LABELS[label].metric,
        "train": f"{dataset}/train" if trained_on else None,
        "threshold": PROBABLE if label == "binary" and not cosine else None,
    }
