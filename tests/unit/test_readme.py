"""What the README says was found is what the copied results say."""

import re

COUNTS = re.compile(r"\[(\d+), (\d+), (\d+)\]\((docs/results/\S+/claims/\w+\.md)\)")
VERDICTS = ("holds", "does not hold", "cannot tell at this size")


def test_the_readme_counts_the_verdicts_of_the_claims_it_links_to(root):
    told = COUNTS.findall((root / "README.md").read_text(encoding="utf-8"))
    assert len(told) == 6
    for *counts, file in told:
        claims = (root / file).read_text(encoding="utf-8")
        assert [claims.count(f"| **{verdict}**") for verdict in VERDICTS] == list(map(int, counts)), file
