"""Digests of all that the configuration says of a run or a corpus: results with equal ones were made alike."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace

from semblance import provenance
from semblance.config.project import Project
from semblance.registry import LABELS, METRICS, MODELS, OBJECTIVES, REGULARIZERS
from semblance.specs.data import OfficialFiles
from semblance.specs.regularizers import changed


def of_run(project: Project, paper: str, run: str) -> str:
    """Return the digest of what decides a run's weights, and those of the runs and the encoder that it starts from."""
    spec = project.run(paper, run)
    weights = replace(spec.as_trained(), may_collapse=True)  # of a run that has weights, it has decided none
    encoder = asdict(project.encoders[spec.model.encoder]) if spec.model.encoder else None
    start = of_run(project, project.named(paper, run)[0], spec.start_from) if spec.start_from else None
    described = asdict(weights)
    for plain, stage in zip(described["stages"], spec.stages, strict=True):
        # Defaults do not count, so that a new option of a regularizer leaves all digests as they are.
        plain["regularizer"] = {kind: changed(options) for kind, options in stage.regularizer.items()}
    return provenance.digest(described, encoder, start)


def of_corpus(project: Project, name: str) -> str:
    """Return the digest of a dataset and its source, but for the folder of its files."""
    source = project.datasets.source(name)
    if isinstance(source, OfficialFiles):
        source = replace(source, folder=None)
    return provenance.digest(asdict(project.datasets[name]), asdict(source))


def declared(*specs: Mapping) -> str:
    """Return what the registry declares of all names in some specs, which are plain dicts, as JSON.

    A job that prepares, trains or scores depends on these declarations alone, so that a new metric, loss or kind of
    model makes nothing again.
    """
    names = {text for spec in specs for text in _texts(spec)}
    kinds = (METRICS, LABELS, OBJECTIVES, MODELS, REGULARIZERS)
    found = [kind[name] for kind in kinds for name in sorted(names & kind.keys())]
    return json.dumps([asdict(one) for one in found], default=sorted, sort_keys=True)


def _texts(spec: object) -> Iterator[str]:
    """Yield all texts in a spec, keys included."""
    if isinstance(spec, str):
        yield spec
    elif isinstance(spec, Mapping):
        for each in spec.items():
            yield from _texts(each)
    elif isinstance(spec, (list, tuple)):
        for each in spec:
            yield from _texts(each)
