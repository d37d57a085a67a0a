"""README is short; links in README and docs are not broken."""

import re

import pytest

LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def test_readme_is_short(root):
    assert len((root / "README.md").read_text(encoding="utf-8").split()) <= 600


@pytest.mark.parametrize("page", ["README.md", "docs/*.md", "docs/results/*/README.md"])
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
