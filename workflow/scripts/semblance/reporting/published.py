"""The README of published results (docs/results/{name}), generated from their results.json."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from semblance.evaluation import counts
from semblance.findings import INCONCLUSIVE, NO, NOT_CLEAR, REFUTED, SUPPORTED, UNJUDGED, JudgedClaim
from semblance.registry import METRICS
from semblance.reporting import claims
from semblance.results import claims_of, judgements_of

TEMPLATE = "published.md.j2"


def readme(
    results: Mapping,
    outdated: Sequence[str],
    figures: Mapping[str, Mapping[str, str]],
    main_claims: Mapping[str, tuple[str, Sequence[JudgedClaim]]],
) -> str:
    """Return the README as Markdown.

    Args:
        results: contents of results.json, see config/schema/results.yaml.
        outdated: what the current configuration would make otherwise: runs (``stl/bert-qqp``) and datasets.
        figures: captions of the published figures by file, by paper.
        main_claims: the main question of each paper, and the claims that answer it.
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    by_paper = {}
    for name in results["papers"]:
        question, answers = main_claims.get(name, ("", ()))
        by_paper[name] = of_paper(name, results) | {"question": question, "main": answers}
    decided = [claim for claim in claims_of(results) if claim.is_decided]
    seeds = Counter((run["paper"], run["run"]) for run in results["runs"])
    environment.filters |= {"effect": claims.effect, "reason": claims.reason, "marks": claims.marks}
    return environment.get_template(TEMPLATE).render(
        results,
        outdated=outdated,
        figures=figures,
        command=_command(results),
        by_paper=by_paper,
        trained=len(seeds),
        single=[run for run, count in seeds.items() if count == 1 < len(results["settings"]["seeds"])],
        decided=decided,
        costs=sum(METRICS[claim.metric].is_timed for claim in decided),
        has_titles=all("title" in dataset for dataset in results["datasets"].values()),
        stands_in=any(encoder["stands_in_for"] for encoder in results["encoders"].values()),
    )


def _command(results: Mapping) -> str:
    """Return the command that makes the results."""
    settings = results["settings"]
    config = [f"preset={results['preset']}", f"'papers={_inline(results['papers'])}'"]
    config += [f"'seeds={_inline(settings['seeds'])}'"]
    config += [f"{key}={settings[key]}" for key in ("data_source", "encoder_source")]
    if settings["data_source"] == "files":
        config.append("data_folder=/folder/with/corpora")
    if set(results["training"]["device"]) - {"cpu"}:
        config.append("device=cuda")
    used = {precision for found in results["training"]["precision"] for precision in found.split(" and ")}
    if used:  # what `auto` meant on that machine
        config.append(f"precision={'bf16' if 'bf16' in used else 'fp32'}")
    return f"snakemake --cores all --config {' '.join(config)}"


def _inline(values) -> str:
    return f"[{','.join(map(str, values))}]"


def of_paper(name: str, results: Mapping) -> dict:
    """Return a paper's tables, claims, trained runs and seeds by what they learned, and numbers of verdicts.

    `at_fdr` has the numbers at a false discovery rate of 5%: a verdict that does not remain counts as inconclusive.
    """
    judged = claims_of(results, name)
    runs = judgements_of(results, name)
    by_learned = {
        word: sorted(run for run, seeds in runs.items() if any(one.learned == word for one in seeds))
        for word in (NO, NOT_CLEAR)
    }
    verdicts = counts.of_claims(judged)
    remaining = Counter(claim.verdict for claim in judged if claim.is_decided and claim.passes_fdr)
    return {
        "tables": [table for table in results["tables"] if table["paper"] == name],
        "claims": judged,
        "learned": counts.of_runs([one for seeds in runs.values() for one in seeds]),
        "by_learned": by_learned,
        "verdicts": {verdict: verdicts[verdict] for verdict in (SUPPORTED, REFUTED)}
        | {INCONCLUSIVE: verdicts[INCONCLUSIVE] + verdicts[UNJUDGED]},
        "at_fdr": {verdict: remaining[verdict] for verdict in (SUPPORTED, REFUTED)}
        | {INCONCLUSIVE: len(judged) - remaining.total()},
    }
