"""Numbers of the published results that the documentation names are those of their results.json."""

import re
from fnmatch import fnmatch

import pytest

from semblance.files import read_json
from semblance.findings import DECIDED, INCONCLUSIVE, SUPPORTED
from semblance.registry import METRICS

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NAMES = ("evening", "forgetting")


def of_claims(pattern, results):
    """Return the claims whose names fit a pattern."""
    found = [claim for claim in results["claims"] if fnmatch(claim["claim"], pattern)]
    assert found, pattern
    return found


def rows_read(dataset, split, results):
    return f"{results['datasets'][dataset]['read'][split]:,}"


def seeds_that_support(claim, results):
    """Return the number of seeds, each of which supports a claim."""
    [found] = of_claims(claim, results)
    assert {one["verdict"] for one in found["each_seed"]} == {SUPPORTED}
    return COUNTS[len(found["each_seed"])]


def of_costs(results):
    """Return how many of the decided claims are about times or memory, and how many are decided."""
    decided = [claim for claim in results["claims"] if claim["verdict"] in DECIDED]
    return COUNTS[sum(METRICS[claim["metric"]].is_timed for claim in decided)], len(decided)


# Each with the page, the words around the numbers, and what gives these from the results by name.
SAID = [
    ("results", "a part: {} of 363,846 training pairs", lambda r: [rows_read("qqp", "train", r["evening"])]),
    ("results", "and {} of 40,430 others", lambda r: [rows_read("qqp", "validation", r["evening"])]),
    ("results", "a part: {} training pairs", lambda r: [rows_read("mnli", "train", r["evening"])]),
    ("results", "{} others, of matched and mismatched", lambda r: [rows_read("mnli", "validation", r["evening"])]),
    (
        "results",
        "Each of the {} seeds alone supports it",
        lambda r: [seeds_that_support("printed-keeps-both", r["forgetting"])],
    ),
    (
        "results",
        "{} of the {} decided claims of `evening`, and {} of the {} of `forgetting`",
        lambda r: [count for name in NAMES for count in of_costs(r[name])],
    ),
]
# Sentences about verdicts, with the claims of `forgetting` that they summarise: inconclusive if they fail the FDR.
VERDICTS = [
    (
        "QQP and STS together than the same sequence without SMART: with accuracy and with ROC AUC for QQP",
        "printed-keeps-both* printed-round-keeps-both",
        SUPPORTED,
    ),
    ("form of the published codes keeps more after equal numbers of steps", "reference-round-keeps-both", SUPPORTED),
    (
        "at the end, this does not remain at a false discovery rate of 5%, nor does it for SMART as listed",
        "reference-keeps-both* listed-keeps-both*",
        INCONCLUSIVE,
    ),
    ("by ROC AUC, SMART as printed keeps no clear part of QQP alone", "printed-keeps-qqp-by-auc", INCONCLUSIVE),
    ("at 0.3 of the rate keeps neither clearly more nor less", "slower-keeps-both*", INCONCLUSIVE),
    ("the claims about it are open", "*-fewer-epochs-sts", INCONCLUSIVE),
]


@pytest.mark.parametrize(("page", "words", "numbers"), SAID, ids=[words for _, words, _ in SAID])
def test_a_number_in_the_docs_is_that_of_the_results(root, page, words, numbers):
    results = {name: read_json(root / f"docs/results/{name}/results.json") for name in NAMES}
    text = re.sub(r"\s+", " ", (root / f"docs/{page}.md").read_text(encoding="utf-8"))
    assert words.format(*numbers(results)) in text


@pytest.mark.parametrize(("sentence", "patterns", "verdict"), VERDICTS, ids=[patterns for _, patterns, _ in VERDICTS])
def test_a_sentence_about_verdicts_is_that_of_the_results(root, sentence, patterns, verdict):
    results = read_json(root / "docs/results/forgetting/results.json")
    assert sentence in re.sub(r"\s+", " ", (root / "docs/results.md").read_text(encoding="utf-8"))
    for claim in (one for pattern in patterns.split() for one in of_claims(pattern, results)):
        assert (claim["verdict"] if claim["passes_fdr"] else INCONCLUSIVE) == verdict, claim["claim"]
