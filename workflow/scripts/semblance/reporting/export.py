"""results.json: all numbers, claims, runs and audit results of a preset in one machine-readable file."""

from collections.abc import Mapping
from pathlib import Path

from semblance.evaluation.counts import core_hours
from semblance.files import read_json, sha256, write_json
from semblance.provenance import Ledger, commit, release
from semblance.reporting.tables import numbers

ENCODER = ("title", "source", "repo", "revision", "weights_sha256")


def export(content: Mapping, output: str) -> None:
    """Write the file that config/schema/results.yaml describes.

    Args:
        content: the rendered tables and claims, the judgements of runs and the audit, as for the report.
        output: path of the file.

    Raises:
        UserError: if the files come from different presets or versions; see `semblance.provenance`.
    """
    papers = {paper["name"]: {key: paper[key] for key in ("title", "authors", "url")} for paper in content["papers"]}
    ledger = Ledger(content["preset"])
    pages = [Path(path) for paper in content["papers"] for path in (*paper["tables"], *paper["claims"])]
    tables = [
        {key: table[key] for key in ("paper", "name", "caption", "source")} | {"numbers": numbers(table)}
        for paper in content["papers"]
        for table in map(ledger.rendered, paper["tables"])
    ]
    claims = [
        {"paper": paper["name"], **claim}
        for paper in content["papers"]
        for path in paper["claims"]
        for claim in ledger.rendered(path)["claims"]
    ]
    runs = [
        {"paper": paper["name"], "run": run, "recipe": found["made_by"]["recipe"]}
        | {key: value for key, value in found.items() if key != "made_by"}
        for paper in content["papers"]
        for run, path in paper["learned"].items()
        for found in read_json(path)[run]
    ]
    encoders = {
        name: {key: read_json(path).get(key) for key in ENCODER} | {"stands_in_for": content["stand_ins"].get(name, [])}
        for name, path in content["encoders"].items()
    }
    facts = [read_json(path) for paper in content["papers"] for paths in paper["runs"].values() for path in paths]
    recipes = {
        f"{paper['name']}/{run}": read_json(paths[0])["made_by"]["recipe"]
        for paper in content["papers"]
        for run, paths in paper["runs"].items()
    }
    whole = {
        "preset": content["preset"],
        "about": content["about"],
        "version": release(),
        "commit": commit(),
        "settings": content["settings"],
        "versions": ledger.versions,
        # A run that is fitted in one call has no device.
        "training": {"core_hours": core_hours(facts)}
        | {key: sorted({one[key] for one in facts} - {None}) for key in ("device", "cores", "precision")},
        "papers": papers,
        "datasets": {
            name: _dataset(read_json(path)) | {"recipe": content["corpora"][name]}
            for name, path in content["datasets"].items()
        },
        "encoders": encoders,
    }
    figures = [Path(figure["svg"]) for paper in content["papers"] for figure in paper["figures"]]
    files = [file for page in pages for file in sorted(page.parent.glob(f"{page.stem}.*"))]
    files += [*figures, *map(Path, content["overview"])]
    checksums = {f"{file.parent.name}/{file.name}": sha256(file) for file in files}
    whole |= {"recipes": recipes, "checksums": checksums}
    write_json(output, whole | {"runs": runs, "tables": tables, "claims": claims, "audit": read_json(content["audit"])})


def _dataset(facts: Mapping) -> dict:
    """Return the source of a dataset; of its splits the rows used, the rows read, and checksums of official files."""
    used = {split: found for split, found in facts["splits"].items() if found["used"]}
    found = {"rows": "used", "read": "read", "sha256": "sha256"}
    by_split = {name: {split: one[key] for split, one in used.items() if key in one} for name, key in found.items()}
    return {"source": facts["source"]} | {name: splits for name, splits in by_split.items() if splits}
