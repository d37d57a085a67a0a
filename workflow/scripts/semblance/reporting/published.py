"""Pages of published results, from their results.json: a README of each (docs/results/{name}), an overview of all."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from semblance.evaluation import counts
from semblance.findings import JudgedClaim
from semblance.reporting import claims
from semblance.results import Results, ShownTable
from semblance.vocabulary import Learned, Verdict

TEMPLATE, OVERVIEW = "published.md.j2", "published_overview.md.j2"


def readme(
    results: Results,
    outdated: Sequence[str],
    extended: Sequence[str],
    figures: Mapping[str, Mapping[str, str]],
    main_claims: Mapping[str, tuple[str, Sequence[JudgedClaim]]],
) -> str:
    """Return the README of published results as Markdown.

    Args:
        results: the published results.
        outdated: what the current configuration would make otherwise: runs (``stl/bert-qqp``) and datasets.
        extended: tables that have more rows or columns now.
        figures: captions of the published figures by file, by paper.
        main_claims: the main question of each paper, and the claims that answer it.
    """
    by_paper = {}
    for name in results.papers:
        by_paper[name] = of_paper(name, results, *main_claims.get(name, ("", ())))
    timed = [claim for claim in results.claims if claim.is_timed]
    trained, seeds = results.training, Counter((run.paper, run.run) for run in results.runs)
    return _template(TEMPLATE).render(
        vars(results),
        outdated=outdated,
        extended=extended,
        figures=figures,
        command=_command(results),
        by_paper=by_paper,
        trained_runs=len(seeds),
        single=[run for run, count in seeds.items() if count == 1 < len(results.settings.seeds)],
        decided=[claim for claim in counts.untimed(results.claims) if claim.is_decided],
        only_by_themselves=[claim for claim in counts.untimed(results.claims) if claim.is_decided_only_by_itself],
        timed=timed,
        per_core_hour=counts.decided_per_core_hour(results.claims, trained.core_hours, trained.device),
        stands_in=any(encoder.stands_in_for for encoder in results.encoders.values()),
    )


def overview(published: Mapping[str, Results], asked: Sequence[tuple[str, str, str, Sequence[JudgedClaim]]]) -> str:
    """Return a page of all published results, with their main claims, as Markdown.

    Args:
        published: the results, by the name of their folder.
        asked: main questions, each with the results' folder, the paper and the claims that answer it; see
            `planning.published.questions`.
    """
    return _template(OVERVIEW).render(
        published=published,
        learned={name: counts.of_runs(results.runs) for name, results in published.items()},
        verdicts={name: counts.by_verdict(results.claims).values() for name, results in published.items()},
        asked=asked,
    )


def _template(name: str) -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        one.__name__: one for one in (claims.answer, claims.chosen, claims.effect, claims.reason, claims.marks)
    }
    return environment.get_template(name)


def _command(results: Results) -> str:
    """Return the command that makes the results."""
    settings = results.settings
    config = [f"preset={results.preset}", f"'papers={_inline(results.papers)}'", f"'seeds={_inline(settings.seeds)}'"]
    config += [f"data_source={settings.data_source}", f"encoder_source={settings.encoder_source}"]
    if settings.data_source == "files":
        config.append("data_folder=/folder/with/corpora")
    if set(results.training.device) - {"cpu"}:
        config.append("device=cuda")
    config.append(f"precision={results.used_precision}")
    return f"snakemake --cores all --config {' '.join(config)}"


def _inline(values: Iterable) -> str:
    return f"[{','.join(map(str, values))}]"


@dataclass(frozen=True)
class PublishedPaper:
    """What the README says of a paper.

    Attributes:
        question: its main question; empty without one.
        main: the claims that answer it.
        claims: all its claims.
        tables: its tables in results.json.
        learned: numbers of its trainings by what they learned, and all as ``runs``.
        unlearned: runs of which a seed did not learn, each with the number of such seeds and of all its seeds.
        unclear: runs of which a seed gained nothing clearly, likewise.
        verdicts: numbers of its claims by verdict, without those about times or memory.
    """

    question: str
    main: Sequence[JudgedClaim]
    claims: Sequence[JudgedClaim]
    tables: Sequence[ShownTable]
    learned: Mapping[str, int]
    unlearned: Mapping[str, tuple[int, int]]
    unclear: Mapping[str, tuple[int, int]]
    verdicts: Mapping[Verdict, int]


def of_paper(name: str, results: Results, question: str = "", main: Sequence[JudgedClaim] = ()) -> PublishedPaper:
    """Return what the README says of a paper.

    Args:
        name: name of the paper.
        results: the published results.
        question: its main question.
        main: the claims that answer it.
    """
    judged, runs = results.claims_of(name), results.runs_of(name)
    seeds = Counter(run.run for run in runs)

    def those(word: Learned) -> dict[str, tuple[int, int]]:
        found = Counter(run.run for run in runs if run.learned == word)
        return {run: (found[run], seeds[run]) for run in sorted(found)}

    return PublishedPaper(
        question=question,
        main=main,
        claims=judged,
        tables=results.tables_of(name),
        learned=counts.of_runs(runs),
        unlearned=those(Learned.NO),
        unclear={run: found for run, found in those(Learned.NOT_CLEAR).items() if run not in those(Learned.NO)},
        verdicts=counts.by_verdict(judged),
    )
