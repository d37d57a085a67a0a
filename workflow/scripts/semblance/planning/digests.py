"""Digests of all that the configuration says of a run or a corpus, and what the registry declares of a job's names.

Results with equal digests were made alike.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

from semblance import provenance
from semblance.config.project import Project
from semblance.registry import LABELS, METRICS, MODELS, OBJECTIVES
from semblance.specs.data import OfficialFiles
from semblance.specs.regularizers import changed

PLUGINS = ("objectives", "models")  # packages with a module for each name of the registry


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


def declared(spec: object, modules: Iterable[Path] = ()) -> str:
    """Return what the registry declares of the names that a job uses, as JSON.

    A job that prepares, trains or scores depends only on these declarations, so that a new metric, loss or kind of
    model makes nothing again. A training's spec does not name the kind of its labels, which comes with its corpus: if
    this kind changes, the corpus is prepared again, and so the run is trained again.

    Args:
        spec: what the job is given, plain dicts and lists. Each text in it that is no key may be a name.
        modules: the modules that the job imports. An objective can import another's, which looks up its constants.
    """
    names = {*_texts(spec), *(path.stem.replace("_", "-") for path in modules if path.parent.name in PLUGINS)}
    found = [kind[name] for kind in (METRICS, LABELS, OBJECTIVES, MODELS) for name in sorted(names & kind.keys())]
    return json.dumps([asdict(one) | {"about": ""} for one in found], default=sorted, sort_keys=True)


def _texts(spec: object) -> Iterator[str]:
    """Yield all texts in a spec but keys."""
    if isinstance(spec, str):
        yield spec
    elif isinstance(spec, (Mapping, list, tuple)):
        for each in spec.values() if isinstance(spec, Mapping) else spec:
            yield from _texts(each)
