"""README is short, links in README and docs are not broken, and the citation names every paper."""

import re
from fnmatch import fnmatch

import pytest
import yaml

from semblance.config.files import read_yaml
from semblance.files import read_json
from semblance.provenance import release
from semblance.reporting import published as readme
from semblance.results import read_results

LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def test_readme_is_short(root):
    assert len((root / "README.md").read_text(encoding="utf-8").split()) <= 600


def test_readme_counts_the_verdicts(root):
    found = re.findall(
        r"\[(\d+)/(\d+)/(\d+)\]\(docs/results/(.*?)/README.md#([\w-]+)\)",
        (root / "README.md").read_text(encoding="utf-8"),
    )
    counted = {(name, paper): tuple(map(int, counts)) for *counts, name, paper in found}
    published = {
        (file.parent.name, paper): tuple(readme.of_paper(paper, results).verdicts.values())
        for file in root.glob("docs/results/*/results.json")
        for results in [read_results(file)]
        for paper in results.papers
        if paper != "leaderboard"  # which is no paper
    }
    assert published and counted == published


# Each with the results and the claims that it summarises, and their verdict.
ANSWERS = {
    (
        "transfer-controls",
        "stl-transfer",
        "on STS-B, yes, and a little on conflicts, if BERT is half of MiniLM",
    ): (
        "qqp-first-over-alone-* qqp-first-over-half-* qqp-first-over-longer-* qqp-first-over-best-alone-*",
        "supported",
    ),
    ("transfer-controls", "stl-transfer", "SNLI first may help, too"): ("*snli-first*", "inconclusive"),
    ("transfer", "stl", "else open"): (
        "two-stages-beat-one stress-over-one-stage-* extended-over-one-stage-*",
        "inconclusive",
    ),
    ("evening", "stl", "else open"): (
        "two-stages-beat-one stress-over-one-stage-* extended-over-one-stage-*",
        "inconclusive",
    ),
    ("evening", "minilm", "yes by ROC AUC"): ("sbert-over-forest-auc mean-over-forest-auc", "supported"),
    ("longer", "sn3d-longer", "trained longer, it beats SBERT on SNLI"): ("sa-fa-3-rfm-over-sbert-snli", "supported"),
    ("longer-qqp", "sn3d-qqp", "it beats SBERT on SNLI and QQP"): ("sa-fa-3-rfm-over-sbert-*", "supported"),
    ("longer-qqp", "sn3d-qqp", "as on QQP, ColBERT leads"): (
        "sa-fa-3-rfm-over-colbert-paper-* sa-fa-3-rfm-over-colbert-chosen-roc-auc",
        "refuted",
    ),
    ("longer", "sn3d-longer", "ColBERT on SNLI with RFM as printed (partly chosen there)"): (
        "rfm-printed-over-*-snli",
        "supported",
    ),
    ("evening", "sn3d", "else open"): (
        "over-sbert-* over-colbert-qqp over-colbert-mrpc over-colbert-mnli",
        "inconclusive",
    ),
    ("evening", "sn3d", "ColBERT leads"): ("over-colbert-snli", "refuted"),
    ("longer", "sn3d-longer", "ColBERT leads"): ("rfm-printed-over-colbert-mrpc-by-auc", "refuted"),
    ("longer", "sn3d-longer", "SBERT on SNLI and QQP, in its simplest form on MRPC"): (
        "sa-pooling-over-sbert-mrpc*",
        "supported",
    ),
    ("forgetting", "smart", "as printed, yes, with half of MiniLM and a moving average"): (
        "printed-keeps-both* printed-round-keeps-both",
        "supported",
    ),
    ("evening", "smart", "else open"): ("*-keeps-*", "inconclusive"),
    ("evening", "metric", "open, also beside training twice"): ("combined-*", "inconclusive"),
    ("longer-pooling", "metric-pooling", "MAX only after triplets"): (
        "triplet-mean-over-max triplet-cls-over-max",
        "supported",
    ),
    ("longer-combined", "metric-combined", "open, also beside training twice"): ("combined-*", "inconclusive"),
}


def test_readme_answers_by_the_published_verdicts(root):
    rows = {line.split("`")[1]: line for line in (root / "README.md").read_text().splitlines() if line[:3] == "| `"}
    published = {file.parent.name: read_json(file)["claims"] for file in root.glob("docs/results/*/results.json")}
    for (results, paper, answer), (patterns, verdict) in ANSWERS.items():
        assert answer in rows[paper.split("-")[0]]
        claims = {one["claim"]: one for one in published[results] if one["paper"] == paper}
        for pattern in patterns.split():
            found = {name: one["verdict"].split(":")[0] for name, one in claims.items() if fnmatch(name, pattern)}
            assert found and set(found.values()) == {verdict}, (answer, found)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/*.md", "docs/results/*/README.md"])
def test_links_lead_somewhere(root, page):
    pages = list(root.glob(page))
    assert pages
    broken = [
        f"{path.relative_to(root)}: {target}"
        for path in pages
        for target in LINK.findall(path.read_text(encoding="utf-8"))
        if not (path.parent / target).exists()
    ]
    assert not broken


def test_the_catalog_of_workflows_finds_what_it_asks_for(root):
    """What a workflow of standardized usage has, by the catalog's documentation."""
    usage = yaml.safe_load((root / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))["usage"]
    assert usage["software-stack-deployment"] == {"conda": True} and usage["report"] is True
    assert all((root / file).is_file() for file in ("Snakefile", "config/README.md", "LICENSE", "README.md"))


def test_the_citation_names_this_version_and_every_paper(root):
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == release()
    assert f"## [{release()}]" in (root / "CHANGELOG.md").read_text(encoding="utf-8")
    cited = [one["title"] for one in citation["references"]]
    papers = [read_yaml(file) for file in (root / "config/papers").glob("*.yaml")]
    titles = [paper["title"] for paper in papers if "runs" in paper]
    assert {one for one in cited for title in titles if title.startswith(one[:60])} == set(cited)
    assert all(any(title.startswith(one[:60]) for one in cited) for title in titles)
