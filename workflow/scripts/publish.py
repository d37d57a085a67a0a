"""Copy the results of a finished preset to docs/results/{name}, with a README generated from its results.json.

Usage: python workflow/scripts/publish.py evening
       python workflow/scripts/publish.py evening evening-sn3d    (under another name: some papers of a preset)
       python workflow/scripts/publish.py    (only generates the pages and the picture again)

Tables, claims, figures and results.json are copied. Lists and figures of tokens are left out, because they quote the
corpora. The results must have been exported by the current commit, from which no file of the checkout may differ.
Tables, claims and figures must be those of results.json. Two pages beside them, overview.md and audit.md, show the main
claims of all published results, and the papers' numbers that contradict each other.
"""

import re
import shutil
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from semblance.errors import UserError, require
from semblance.evaluation.audit import audited
from semblance.files import read_json, sha256, write_text
from semblance.findings import JudgedClaims
from semblance.paths import ROOT, SCHEMAS
from semblance.planning.published import Published, questions, tables_of_papers
from semblance.provenance import UNKNOWN, commit
from semblance.reporting import audit, claims, frames, recipes
from semblance.reporting.figures import overview as pictures
from semblance.reporting.figures import save
from semblance.reporting.published import overview, readme
from semblance.results import read_results

PUBLISHED = ROOT / "docs" / "results"
HEADLINES, CLAIMS = "headlines.svg", "figures/overview-claims.svg"
FORMATS = (".md", ".csv", ".svg")  # in which tables, claims and figures are published


def publish(preset: str, name: str) -> None:
    """Replace the results that are published under this name by those of a preset."""
    if not re.fullmatch("[a-z0-9-]+", name):
        raise UserError(f"{name!r} names a folder in docs/results, and must be made of a-z, 0-9 and - alone")
    require(preset, [file.stem for file in (SCHEMAS.parent / "presets").glob("*.yaml")], "preset", "publish")
    made, folder = Path("results") / preset, PUBLISHED / name
    results = read_results(made / "results.json")
    if (current := commit()) == UNKNOWN or current.endswith("-dirty"):
        raise UserError("publish from a git checkout without uncommitted changes")
    if (exported := results.commit) != current:
        raise UserError(
            f"{made}/results.json was exported by commit {exported}, not {current}: remove it and run the preset again"
        )
    published = Published(results)
    if changed := published.outdated():
        raise UserError(f"the configuration would make these otherwise: {', '.join(changed)}; run the preset again")
    if changed := [name for name, known in results.checksums.items() if not _is(made / name, known)]:
        raise UserError(f"{', '.join(changed)}: made after {made}/results.json; remove that and run the preset again")
    if lost := _papers(folder) - results.papers.keys():
        raise UserError(
            f"{folder.relative_to(ROOT)} also has {', '.join(sorted(lost))}, which {made} lacks: run these papers too, "
            f"publish under another name (make publish PRESET={preset} NAME=…), or delete the folder first"
        )
    quoting = published.quoting()
    rendered = [made / name for name in results.checksums if name.endswith(FORMATS) and name not in quoting]
    shutil.rmtree(folder, ignore_errors=True)
    for file in (made / "results.json", *rendered):
        copy = folder / file.relative_to(made)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def _is(file: Path, checksum: str) -> bool:
    return file.is_file() and sha256(file) == checksum


def described(published: Published) -> dict[str, str]:
    """Return the files that are made from published results: README, claims, and recipes if they are today's."""
    results, changed = published.results, published.outdated()
    found = {"README.md": readme(results, changed, published.extended(), published.figures(), published.main_claims())}
    for paper in results.papers:
        if judged := results.claims_of(paper):
            found[f"claims/{paper}.md"] = claims.markdown(JudgedClaims(paper, results.about, tuple(judged)))
            found[f"claims/{paper}.csv"] = frames.csv(claims.frame(judged))
    return found if changed else {**found, "recipes.md": recipes.markdown(published.recipes())}


def shared(published: Mapping[str, Published]) -> dict[str, str]:
    """Return the pages about all published results, and about the papers' own numbers."""
    return {
        "overview.md": overview({name: one.results for name, one in published.items()}, questions(published)),
        "audit.md": audit.markdown(audited(tables_of_papers())),
    }


def draw(published: Mapping[str, Published]) -> None:
    """Draw the claims of each published result, and the main claims of all, for the README of the repository."""
    for folder, found in published.items():
        by_paper = [(paper, claim) for paper in found.results.papers for claim in found.results.claims_of(paper)]
        save(partial(pictures.effects, by_paper), PUBLISHED / folder / CLAIMS)
    asked = questions(published)
    main_claims = [(f"{paper} ({folder})", claim) for folder, paper, _, answering in asked for claim in answering]
    save(partial(pictures.effects, main_claims), PUBLISHED / HEADLINES)


def _papers(folder: Path) -> set[str]:
    """Return the papers of which a folder has published results."""
    file = folder / "results.json"
    return set(read_json(file)["papers"]) if file.is_file() else set()


def main(preset: str = "", name: str = "") -> None:
    """Publish a preset, if one is named, and generate the pages and the picture of all published results."""
    if preset:
        publish(preset, name or preset)
    published = {file.parent: Published(read_results(file)) for file in sorted(PUBLISHED.glob("*/results.json"))}
    for folder, found in published.items():
        for page, text in described(found).items():
            write_text(folder / page, text)
        print(f"{folder.relative_to(ROOT)}/README.md")
    by_name = {folder.name: found for folder, found in published.items()}
    for page, text in shared(by_name).items():
        write_text(PUBLISHED / page, text)
    draw(by_name)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except UserError as problem:
        sys.exit(f"semblance: {problem}")
