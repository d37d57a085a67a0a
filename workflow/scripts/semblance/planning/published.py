"""Published results and the current configuration: its recipes, and what it would make otherwise."""

from collections.abc import Iterable, Mapping

from semblance.config.comparable import claims_of_stand_ins
from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.config.project import Project
from semblance.paths import ROOT
from semblance.planning import recipes
from semblance.planning.costs import Costs
from semblance.planning.work import corpus_recipe, recipe


def configured(results: Mapping) -> Project:
    """Return the project that the current configuration defines for the settings of results.json."""
    settings = results["settings"] | {
        "preset": results["preset"],
        "papers": list(results["papers"]),
        "data_folder": "/folder/with/corpora",
    }
    return load(ROOT, read_yaml(ROOT / "config" / "config.yaml") | settings)


def recipes_of(results: Mapping) -> dict[str, dict]:
    """Return the current recipes of all runs of the results; see `planning.recipes`."""
    project = configured(results)
    return recipes.of_project(project, Costs(project, "cpu", ROOT))


def headlines(published: Iterable[Mapping]) -> list[Mapping]:
    """Return the main claims of published results, in the order of the papers in config/config.yaml."""
    claims: dict[str, list[Mapping]] = {}
    for results in published:
        for name, paper in configured(results).papers.items():
            main = paper.headline.claims if paper.headline else ()
            said = {"preset": results["preset"]}
            found = {claim["claim"]: {**claim, **said} for claim in results["claims"] if claim["paper"] == name}
            # Older results may lack a claim. Results of two presets can be published of one paper.
            claims.setdefault(name, []).extend(found[claim] for claim in main if claim in found)
    order = read_yaml(ROOT / "config" / "config.yaml")["papers"]
    return [claim for name in order for claim in claims.get(name, [])]


def outdated(results: Mapping) -> list[str]:
    """Return the runs (``stl/bert-qqp``) and datasets that the current configuration would make otherwise.

    A paper's claims (``claims of stl``) or tables are also named if there are others now, ``intervals of claims`` if
    they were computed otherwise, before claims said whether they are `exact`, and verdicts that are not given any more.

    Args:
        results: contents of results.json, see config/schema/results.yaml.
    """
    project = configured(results)
    runs = {f"{paper}/{run}": recipe(project, paper, run) for paper, run, _ in project.runs()}
    corpora = {name: corpus_recipe(project, name) for name in results["datasets"] if name in project.datasets}
    # Older results have recipes of trained runs alone.
    made = results.get("recipes") or {f"{run['paper']}/{run['run']}": run["recipe"] for run in results["runs"]}
    made = made | {name: dataset["recipe"] for name, dataset in results["datasets"].items()}
    now = runs | corpora
    changed = [name for name, was in made.items() if now.get(name) != was]
    for paper in project.papers.values():
        for kind, key in (("claims", "claim"), ("tables", "name")):
            shown = {one[key] for one in results[kind] if one["paper"] == paper.name}
            if shown != set(getattr(paper, kind)):
                changed.append(f"{kind} of {paper.name}")
    if any("exact" not in claim for claim in results["claims"]):
        changed.append("intervals of claims")
    decided = {(one["paper"], one["claim"]) for one in results["claims"] if one["verdict"] in ("supported", "refuted")}
    if decided & {(name, claim) for name in project.papers for claim in claims_of_stand_ins(project, name)}:
        changed.append("verdicts on untrained stand-ins")
    return changed
