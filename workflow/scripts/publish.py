"""Copy the results of a finished preset to docs/results/{name}, with a README generated from its results.json.

Usage: python workflow/scripts/publish.py evening
       python workflow/scripts/publish.py evening evening-sn3d    (under another name: some papers of a preset)
       python workflow/scripts/publish.py    (only generates the READMEs of all published results again)

Tables, claims, figures, recipes and results.json are copied; lists are not, because they quote the corpora. The results
must have been exported by the current commit, and no file of the checkout may differ from it.
"""

import re
import shutil
import sys
from pathlib import Path

from semblance.errors import UserError
from semblance.files import read_json, write_text
from semblance.paths import ROOT
from semblance.planning.outdated import outdated
from semblance.provenance import commit
from semblance.reporting.published import readme

PUBLISHED = ROOT / "docs" / "results"
# For each paper, and for all: other papers may have left files in the same folder.
OF_PAPER = ("tables/{}-*.md", "tables/{}-*.csv", "claims/{}.md", "claims/{}.csv", "figures/{}-*.svg")
OF_ALL = ("results.json", "recipes.md", "figures/overview-*.svg")


def publish(preset: str, name: str) -> None:
    """Replace the results that are published under this name by those of a preset."""
    if not re.fullmatch("[a-z0-9-]+", name):
        raise UserError(f"{name!r} names a folder in docs/results, and must be made of a-z, 0-9 and - alone")
    made, folder = Path("results") / preset, PUBLISHED / name
    if not (made / "results.json").is_file():
        raise UserError(f"{made}/results.json does not exist: run the preset first")
    if (current := commit()).endswith("-dirty"):
        raise UserError("files of the checkout differ from the current commit: commit them first")
    results = read_json(made / "results.json")
    if (exported := results["commit"]) != current:
        raise UserError(
            f"{made}/results.json was exported by commit {exported}, not {current}: remove it and run the preset again"
        )
    if stale := outdated(results):
        raise UserError(f"the configuration would make these otherwise: {', '.join(stale)}; run the preset again")
    if lost := _papers(folder) - results["papers"].keys():
        raise UserError(
            f"{folder.relative_to(ROOT)} also has {', '.join(sorted(lost))}, which {made} lacks: run these papers too, "
            f"publish under another name (make publish PRESET={preset} NAME=…), or delete the folder first"
        )
    shutil.rmtree(folder, ignore_errors=True)
    for pattern in (*OF_ALL, *(pattern.format(paper) for pattern in OF_PAPER for paper in results["papers"])):
        for file in made.glob(pattern):
            copy = folder / file.relative_to(made)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def describe(folder: Path) -> None:
    """Generate the README of published results."""
    results = read_json(folder / "results.json")
    write_text(folder / "README.md", readme(results, outdated(results)))


def _papers(folder: Path) -> set[str]:
    """Return the papers of which a folder has published results."""
    file = folder / "results.json"
    return set(read_json(file)["papers"]) if file.is_file() else set()


def main(preset: str = "", name: str = "") -> None:
    if preset:
        publish(preset, name or preset)
    for results in sorted(PUBLISHED.glob("*/results.json")):
        describe(results.parent)
        print(f"{results.parent.relative_to(ROOT)}/README.md")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except UserError as problem:
        sys.exit(f"semblance: {problem}")
