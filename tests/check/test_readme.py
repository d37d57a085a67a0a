"""README is short, links in README and docs are not broken, and the citation names every paper."""

import re
from fnmatch import fnmatch

import pytest
import yaml

from semblance.config.files import read_yaml
from semblance.files import read_json
from semblance.provenance import release
from semblance.results import read_results

LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def test_readme_is_short(root):
    words = [word for word in (root / "README.md").read_text(encoding="utf-8").split() if re.search(r"\w", word)]
    assert 400 < len(words) <= 600


def test_readme_links_the_results_of_each_paper_and_study(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(docs/results/(.*?)/README.md#([\w-]+)\)", text))
    published = {
        (file.parent.name, paper)
        for file in root.glob("docs/results/*/results.json")
        for paper in read_results(file).papers
        if paper != "leaderboard"  # which is no paper
    }
    assert published and linked == published


def test_the_findings_begin_with_the_answers_of_the_readme(root):
    rows = [line.split("|") for line in (root / "README.md").read_text(encoding="utf-8").splitlines()]
    answers = [cells[4].strip() for cells in rows if len(cells) == 7 and cells[1].startswith(" `")]
    findings = re.sub(r"\s+", " ", (root / "docs/findings.md").read_text(encoding="utf-8"))
    assert len(answers) == 5 and all(f"**In short:** {answer}." in findings for answer in answers)


# Each with the results and the claims that it summarises, and their verdict.
ANSWERS = {
    ("transfer-controls", "stl-transfer", "with half of MiniLM and five seeds, yes on STS-B"): (
        "qqp-first-over-alone-* qqp-first-over-half-* qqp-first-over-longer-* qqp-first-over-best-alone-*",
        "supported",
    ),
    ("evening", "stl", "with all of MiniLM, open"): (
        "two-stages-beat-one stress-over-one-stage-* extended-over-one-stage-*",
        "inconclusive",
    ),
    ("evening", "minilm", "yes by ROC AUC"): ("sbert-over-forest-auc mean-over-forest-auc", "supported"),
    ("evening", "minilm", "which is not shown to help"): ("fine-tuning-helps mean-fine-tuning-helps", "inconclusive"),
    ("longer", "sn3d-longer", "trained longer, it beats SBERT on SNLI"): ("sa-fa-3-rfm-over-sbert-snli", "supported"),
    ("longer-qqp", "sn3d-qqp", "and QQP (by 2.7)"): ("sa-fa-3-rfm-over-sbert-*", "supported"),
    ("longer-qqp", "sn3d-qqp", "on QQP, SBERT is below its own encoder's cosine"): ("sbert-over-zero-shot", "refuted"),
    ("longer-qqp", "sn3d-qqp", "ColBERT beats it on QQP at the paper's learning rate"): (
        "sa-fa-3-rfm-over-colbert-paper-*",
        "refuted",
    ),
    ("longer-qqp", "sn3d-qqp", "and by ROC AUC at rates chosen on dev"): (
        "sa-fa-3-rfm-over-colbert-chosen-roc-auc",
        "refuted",
    ),
    ("evening", "sn3d", "MNLI's main claims are open"): ("over-sbert-mnli over-colbert-mnli", "inconclusive"),
    ("longer", "sn3d-longer", "on SNLI, this is open"): (
        "sa-fa-3-rfm-over-colbert-snli",
        "inconclusive",
    ),
    ("forgetting", "smart", "and a moving average of weights: yes with five seeds"): (
        "printed-keeps-both*",
        "supported",
    ),
    ("forgetting-letter", "smart-letter", "support it by ROC AUC only"): (
        "average-keeps-both-by-auc",
        "supported",
    ),
    ("forgetting-letter", "smart-letter", "three more support it by ROC AUC only"): (
        "average-keeps-both",
        "inconclusive",
    ),
    ("forgetting-letter", "smart-letter", "also with a faster average"): ("scaled-keeps-both-by-auc", "supported"),
    ("forgetting-letter", "smart-letter", "by ROC AUC only, also with"): ("scaled-keeps-both", "inconclusive"),
    ("forgetting-letter", "smart-letter", "the letter of its formula, not shown"): (
        "letter-keeps-*",
        "inconclusive",
    ),
    ("forgetting-small", "smart-small", "from a small BERT, open"): (
        "*-keeps-*",
        "inconclusive",
    ),
    ("evening", "metric", "fine-tuning first is not shown to help"): ("combined-*", "inconclusive"),
    ("longer-pooling", "metric-pooling", "MAX is shown to be worst after triplets only"): (
        "triplet-mean-over-max triplet-cls-over-max",
        "supported",
    ),
    ("longer-combined", "metric-combined", "nor to beat training twice"): ("combined-*", "inconclusive"),
}
# Effects in the answers, each with the results and the claim that it is of; points are hundredths.
EFFECTS = {
    "on STS-B (Pearson +{:.2f} over the best": ("transfer-controls", "qqp-first-over-best-alone-stsb", 1),
    "on conflicts (ROC AUC +{:.2f})": ("transfer-controls", "qqp-first-over-best-alone-extended", 1),
    "yes by ROC AUC (+{:.2f})": ("evening", "sbert-over-forest-auc", 1),
    "beats SBERT on SNLI (by {:.1f} points)": ("longer", "sa-fa-3-rfm-over-sbert-snli", 100),
    "and QQP (by {:.1f})": ("longer-qqp", "sa-fa-3-rfm-over-sbert-paper-accuracy", 100),
    "at the paper's learning rate (by {:.1f} points)": ("longer-qqp", "sa-fa-3-rfm-over-colbert-paper-accuracy", -100),
    "(backward transfer +{:.2f})": ("forgetting", "printed-keeps-both", 1),
}
# Answers for which no claim alone stands: that none of several is shown to be better.
NOT_SHOWN = {("longer", "sn3d-longer", "On MRPC, none of the three clearly beats word overlap"): "*-over-overlap-mrpc*"}


def test_readme_answers_by_the_published_verdicts(root):
    rows = {line.split("`")[1]: line for line in (root / "README.md").read_text().splitlines() if line[:3] == "| `"}
    published = {file.parent.name: read_json(file)["claims"] for file in root.glob("docs/results/*/results.json")}
    for (results, paper, answer), (patterns, verdict) in ANSWERS.items():
        assert answer in rows[paper.split("-")[0]]
        claims = {one["claim"]: one for one in published[results] if one["paper"] == paper}
        for pattern in patterns.split():
            found = {name: one["verdict"].split(":")[0] for name, one in claims.items() if fnmatch(name, pattern)}
            assert found and set(found.values()) == {verdict}, (answer, found)
    for (results, paper, answer), pattern in NOT_SHOWN.items():
        assert answer in rows[paper.split("-")[0]]
        found = {one["verdict"] for one in published[results] if fnmatch(one["claim"], pattern)}
        assert found and "supported" not in found


@pytest.mark.parametrize("words", EFFECTS)
def test_an_effect_in_the_readme_is_that_of_the_published_claim(root, words):
    results, name, scale = EFFECTS[words]
    [effect] = [c.effect for c in read_results(root / f"docs/results/{results}/results.json").claims if c.claim == name]
    assert words.format(scale * effect) in (root / "README.md").read_text(encoding="utf-8")


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
