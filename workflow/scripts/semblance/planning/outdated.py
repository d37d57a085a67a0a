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
    runs = {f"{paper}/{run}": recipe(project, paper, run) for paper, run, _ in project.runs()}
    corpora = {name: corpus_recipe(project, name) for name in results["datasets"] if name in project.datasets}
    # Older results have recipes of trained runs alone.
    made = results.get("recipes") or {f"{run['paper']}/{run['run']}": run["recipe"] for run in results["runs"]}
    made = made | {name: dataset["recipe"] for name, dataset in results["datasets"].items()}
    now = runs | corpora
    return [name for name, was in made.items() if now.get(name) != was]
