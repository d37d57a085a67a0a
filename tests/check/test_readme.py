"""README is short, links in README and docs are not broken, and the citation names every paper."""

import re

import pytest
import yaml

from semblance.config.files import read_yaml
from semblance.provenance import release

LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def test_readme_is_short(root):
    assert len((root / "README.md").read_text(encoding="utf-8").split()) <= 600


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


def test_the_citation_names_this_version_and_every_paper(root):
    citation = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == release()
    assert f"## [{release()}]" in (root / "CHANGELOG.md").read_text(encoding="utf-8")
    cited = [one["title"] for one in citation["references"]]
    papers = [read_yaml(file) for file in (root / "config/papers").glob("*.yaml")]
    titles = [paper["title"] for paper in papers if "runs" in paper]
    assert len(cited) == len(titles) and all(any(title.startswith(one[:60]) for one in cited) for title in titles)
