"""Published results and the current configuration: its recipes, main claims, and what it would make otherwise."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from semblance.config.comparable import claims_of_stand_ins
from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.findings import JudgedClaim
from semblance.paths import ROOT
from semblance.planning import digests, recipes
from semblance.planning.costs import Costs
from semblance.registry import FIGURES
from semblance.results import Results
from semblance.specs.cells import TableSpec
from semblance.specs.resolved import Recipes
from semblance.specs.settings import PAPERS


class Published:
    """Published results, beside the project that the current configuration defines for their settings.

    Claims have their present words, unless they compare something else now.

    Args:
        results: the published results.
    """

    def __init__(self, results: Results):
        self.project = load(
            ROOT,
            read_yaml(ROOT / "config" / "config.yaml")
            | results.settings.plain()
            | {
                "preset": results.preset,
                "papers": list(results.papers),
                "data_folder": "/folder/with/corpora",
                "precision": results.used_precision,
            },
        )
        self.results = replace(results, claims=tuple(map(self._reworded, results.claims)))

    def recipes(self) -> Recipes:
        """Return the current recipes of the runs that these results have; see `planning.recipes`."""
        found = recipes.of_project(self.project, Costs(self.project, "cpu", ROOT))
        made = self.results.recipes
        return {
            paper: {run: recipe for run, recipe in runs.items() if f"{paper}/{run}" in made}
            for paper, runs in found.items()
        }

    def main_claims(self) -> dict[str, tuple[str, list[JudgedClaim]]]:
        """Return the main question of each paper, and what was found of the claims that answer it.

        Older results may lack one.
        """
        found = {(one.paper, one.claim): one for one in self.results.claims}
        return {
            name: (
                paper.headline.question,
                [found[name, claim] for claim in paper.headline.claims if (name, claim) in found],
            )
            for name, paper in self.project.papers.items()
            if paper.headline
        }

    def _reworded(self, found: JudgedClaim) -> JudgedClaim:
        claim = self.project.papers[found.paper].claims.get(found.claim)
        if claim is None or found.definition != claim.definition:
            return found
        return replace(found, statement=claim.statement, source=claim.source, contradicted=claim.contradicted)

    def figures(self) -> dict[str, dict[str, str]]:
        """Return the captions of the published figures by file, by paper."""
        files = self.results.checksums.keys() - self.quoting()
        return {
            paper.name: {
                file: figure.caption
                for name, figure in paper.figures.items()
                if (file := f"figures/{paper.name}-{name}.svg") in files
            }
            for paper in self.project.papers.values()
        }

    def quoting(self) -> set[str]:
        """Return the files of figures that quote sentences of a corpus."""
        return {
            f"figures/{paper.name}-{name}.svg"
            for paper in self.project.papers.values()
            for name, figure in paper.figures.items()
            if FIGURES[figure.kind].data == "matrices"
        }

    def outdated(self) -> list[str]:
        """Return the runs (``stl/bert-qqp``) and datasets that the current configuration would make otherwise.

        A paper's claims (``claims of stl``) or tables are also named if there are others now, or if a claim compares
        something else; tables that have lost rows or columns; and verdicts that are not given any more.
        """
        results, project = self.results, self.project
        runs = {f"{paper}/{run}": digests.of_run(project, paper, run) for paper, run, _ in project.runs()}
        corpora = {n: digests.of_corpus(project, n) for n in results.datasets if n in project.datasets}
        made = {**results.recipes, **{name: dataset.recipe for name, dataset in results.datasets.items()}}
        now = runs | corpora
        changed = [name for name, was in made.items() if now.get(name) != was]
        for paper in project.papers.values():
            claims = results.claims_of(paper.name)
            if {one.claim for one in claims} != set(paper.claims):
                changed.append(f"claims of {paper.name}")
            if {one.name for one in results.tables_of(paper.name)} != set(paper.tables):
                changed.append(f"tables of {paper.name}")
            judged = [one for one in claims if one.claim in paper.claims]
            if others := [one.claim for one in judged if one.definition != paper.claims[one.claim].definition]:
                changed.append(f"definitions of claims of {paper.name} ({', '.join(others)})")
        changed += [f"rows or columns of {name}" for name, then, now in self._cells() if then - now]
        decided = {(one.paper, one.claim) for one in results.claims if one.is_decided}
        if decided & {(name, claim) for name in project.papers for claim in claims_of_stand_ins(project, name)}:
            changed.append("verdicts on untrained stand-ins")
        return changed

    def extended(self) -> list[str]:
        """Return the tables, such as ``smart-table4-2``, that have more rows or columns now."""
        return [name for name, then, now in self._cells() if now - then]

    def _cells(self) -> Iterator[tuple[str, set, set]]:
        """Yield the name, the published and the present cells of each table that is still there."""
        for paper in self.project.papers.values():
            for shown in self.results.tables_of(paper.name):
                if shown.name in paper.tables:
                    then = {(number.row, number.column) for number in shown.numbers}
                    cells = paper.table(shown.name).cells.items()
                    yield (
                        f"{paper.name}-{shown.name}",
                        then,
                        {(row, column) for row, of_row in cells for column in of_row},
                    )


def tables_of_papers() -> dict[str, Mapping[str, TableSpec]]:
    """Return the tables of all papers, by paper and name."""
    all_papers = {"preset": "paper", "papers": list(PAPERS), "own": None, "data_source": None, "data_folder": None}
    project = load(ROOT, read_yaml(ROOT / "config" / "config.yaml") | all_papers)
    return {name: paper.tables for name, paper in project.papers.items()}


Asked = tuple[str, str, str, list[JudgedClaim]]


def questions(published: Mapping[str, Published]) -> list[Asked]:
    """Return the main questions of published results, in the order of `PAPERS`.

    A paper that is not there, such as sn3d-longer, is with the one with which its name begins, or is last. Results of
    few papers, whose runs are longer or have more seeds, precede those of many.

    Args:
        published: the results by the name of their folder in docs/results.

    Returns:
        For each question the results' folder, the paper, the question, and the claims that answer it.
    """

    def place(asked: Asked) -> tuple[int, int, str]:
        folder, name, *_ = asked
        begins = (number for number, known in enumerate(PAPERS) if f"{name}-".startswith(f"{known}-"))
        return next(begins, len(PAPERS)), len(published[folder].results.papers), name

    asked = [
        (folder, name, question, claims)
        for folder, one in published.items()  # a paper can have several published results
        for name, (question, claims) in one.main_claims().items()
    ]
    return sorted(asked, key=place)
