"""Numbers of the published results that the documentation names are those of their results.json."""

import re
from fnmatch import fnmatch

import pytest

from semblance.files import read_json
from semblance.findings import DECIDED, SUPPORTED
from semblance.registry import METRICS

COUNTS = ("no", "one", "two", "three", "four", "five", "six")
VARIANTS = ("printed", "reference")
NAMES = ("evening", "evening-sn3d", "evening-smart", "evening-metric", "forgetting")


def of_claims(pattern, results):
    """Return the claims whose names fit a pattern."""
    found = [claim for claim in results["claims"] if fnmatch(claim["claim"], pattern)]
    assert found, pattern
    return found


def rows_read(dataset, split, results):
    return f"{results['datasets'][dataset]['read'][split]:,}"


def seeds_that_support(claim, results):
    [found] = of_claims(claim, results)
    return COUNTS[sum(one["verdict"] == SUPPORTED for one in found["each_seed"])]


def for_smart(results):
    """Return how many verdicts remain over several seeds that scores are better with SMART than without."""
    over_plain = "rounds-printed-* rounds-reference-* *-rounds-overall"
    over_plain += "".join(
        f" {one}-{what}" for one in VARIANTS for what in ("keeps-*", "improves-*", "over-slower", "better-than-slower")
    )
    found = {one["claim"]: one for pattern in over_plain.split() for one in of_claims(pattern, results)}
    remain = {name for name, one in found.items() if one["verdict"] == SUPPORTED and one["passes_fdr"]}
    assert not any(found[name]["single_seed"] for name in remain)
    assert remain == {"rounds-printed-sts", "reference-rounds-overall"}  # which the sentence names
    return COUNTS[len(remain)]


def of_costs(results):
    """Return how many of the decided claims are about times or memory, and how many are decided."""
    decided = [claim for claim in results["claims"] if claim["verdict"] in DECIDED]
    return COUNTS[sum(METRICS[claim["metric"]].is_timed for claim in decided)], len(decided)


# Each with the page, the words around the numbers, and what gives these from the results by name.
SAID = [
    ("results", "a part: {} of 363,846 training pairs", lambda r: [rows_read("qqp", "train", r["evening-sn3d"])]),
    ("results", "and {} of 40,430 others", lambda r: [rows_read("qqp", "validation", r["evening-sn3d"])]),
    ("results", "a part: {} training pairs", lambda r: [rows_read("mnli", "train", r["evening-sn3d"])]),
    ("results", "{} others, of matched and mismatched", lambda r: [rows_read("mnli", "validation", r["evening-sn3d"])]),
    (
        "results",
        "{} of the three seeds alone support that it keeps more of both together",
        lambda r: [seeds_that_support("printed-keeps-both", r["forgetting"]).capitalize()],
    ),
    (
        "results",
        "At a false discovery rate of 5%, {} verdicts for SMART remain over three seeds",
        lambda r: [for_smart(r["forgetting"])],
    ),
    (
        "results",
        "{} of the {} decided claims of its `smart` are about times or memory",
        lambda r: of_costs(r["evening-smart"]),
    ),
    ("results", "{} of its {} decided claims are about times or memory", lambda r: of_costs(r["forgetting"])),
    ("results", "were rendered at `{}`", lambda r: [r["evening-smart"]["commit"][:7]]),
    ("results", "were rendered at `{}`", lambda r: [r["evening-metric"]["commit"][:7]]),
]


@pytest.mark.parametrize(("page", "words", "numbers"), SAID, ids=[words for _, words, _ in SAID])
def test_a_number_in_the_docs_is_that_of_the_results(root, page, words, numbers):
    results = {name: read_json(root / f"docs/results/{name}/results.json") for name in NAMES}
    text = re.sub(r"\s+", " ", (root / f"docs/{page}.md").read_text(encoding="utf-8"))
    assert words.format(*numbers(results)) in text
