"""Whether the current configuration would make published results otherwise."""

from collections.abc import Mapping

from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.paths import ROOT
from semblance.planning.work import corpus_recipe, recipe


def outdated(results: Mapping) -> list[str]:
    """Return the runs (``stl/bert-qqp``) and datasets that the current configuration would make otherwise.

    Args:
        results: contents of results.json, see config/schema/results.yaml.
    """
    settings = results["settings"] | {
        "preset": results["preset"],
        "papers": list(results["papers"]),
        "data_folder": "/folder/with/corpora",
    }
    project = load(ROOT, read_yaml(ROOT / "config" / "config.yaml") | settings)
    known = {(paper.name, run) for paper in project.papers.values() for run in paper.runs}
    made = {(run["paper"], run["run"]): run["recipe"] for run in results["runs"]}
    runs = [f"{one[0]}/{one[1]}" for one, was in made.items() if one not in known or recipe(project, *one) != was]
    corpora = {name: dataset["recipe"] for name, dataset in results["datasets"].items()}
    return runs + [
        name for name, was in corpora.items() if name not in project.datasets or corpus_recipe(project, name) != was
    ]
