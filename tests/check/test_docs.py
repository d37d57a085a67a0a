"""Numbers of the published results that the documentation names are those of their results.json."""

import json
import math
import re
from fnmatch import fnmatch
from statistics import mean

import pytest
from markdown_it import MarkdownIt

from said import VERDICTS
from semblance.files import read_json
from semblance.paths import ROOT
from semblance.vocabulary import Verdict

STS_OF_PLAIN = ("Before", "Without SMART, after STS")
COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NAMES = (
    "evening",
    "forgetting",
    "forgetting-letter",
    "forgetting-small",
    "longer",
    "longer-attention",
    "longer-combined",
    "longer-pooling",
    "longer-qqp",
    "transfer",
    "transfer-controls",
)


def of_claims(pattern, results):
    """Return the claims whose names fit a pattern."""
    found = [claim for claim in results["claims"] if fnmatch(claim["claim"], pattern)]
    assert found, pattern
    return found


def number(row, column, name, results):
    """Return the number in a cell of the table with this name."""
    [table] = [one for one in results["tables"] if one["name"] == name]
    [found] = [one["value"] for one in table["numbers"] if (one["row"], one["column"]) == (row, column)]
    return found


def proximity(row, results):
    """Return the mean proximity term on QQP of a row of smart-letter's table."""
    return number(row, "QQP, proximity", "terms", results)


def rows_read(dataset, split, results):
    return f"{results['datasets'][dataset]['read'][split]:,}"


def seeds_that_support(claim, results):
    """Return the number of seeds, each of which supports a claim."""
    [found] = of_claims(claim, results)
    assert {one["verdict"] for one in found["each_seed"]} == {Verdict.SUPPORTED}
    return COUNTS[len(found["each_seed"])]


def some_that_support(claim, results):
    """Return how many of the seeds, not all of them, support a claim alone."""
    [found] = of_claims(claim, results)
    supporting = [one for one in found["each_seed"] if one["verdict"] == Verdict.SUPPORTED]
    assert len(supporting) < len(found["each_seed"])
    return COUNTS[len(supporting)]


def seeds_that_oppose(claim, results):
    """Return the number of seeds, each of which has an effect below 0."""
    [found] = of_claims(claim, results)
    assert all(one["effect"] < 0 for one in found["each_seed"])
    return COUNTS[len(found["each_seed"])]


def seeds_that_learned_nothing(run, results):
    """Return with how many seeds a run did not learn, and how many there are."""
    found = [one["learned"] for one in results["runs"] if one["run"] == run]
    return COUNTS[found.count("no")], COUNTS[len(found)]


def seeds_where_snli_helps(results):
    """Return with how many seeds SNLI's first phase learned well. With each it helps, by about half as much as QQP."""
    learned = [one["value"] > 0.85 for one in results["runs"] if one["run"] == "snli"]
    gains = {}
    for first in ("snli", "qqp"):
        [claim] = of_claims(f"{first}-first-over-best-alone-stsb", results)
        gains[first] = [one["effect"] for one, well in zip(claim["each_seed"], learned, strict=True) if well]
    assert min(gains["snli"]) > 0 and 0.4 < sum(gains["snli"]) / sum(gains["qqp"]) < 0.6
    return COUNTS[sum(learned)]


def agreeing_digits(run, other, results):
    """Return to how many digits the scores of two runs agree, after each of their stages, with the first seed."""
    of = {(one["run"], one["on"]): one["value"] for one in results["runs"] if one["seed"] == 1}
    pairs = [(value, of[name.replace(run, other), on]) for (name, on), value in of.items() if name.startswith(run)]
    assert len(pairs) > 2
    return COUNTS[min(int(-math.log10(max(abs(a - b), 1e-16))) for a, b in pairs)]


def sts_before_training(results):
    """Return smart's Pearson correlation on STS before any training, to two digits."""
    [table] = [one for one in results["tables"] if (one["paper"], one["name"]) == ("smart", "matched-forgetting-plain")]
    found = {(one["row"], one["column"]): one["value"] for one in table["numbers"]}
    return f"{found['Before', 'STS Pearson']:.2f}"


def sts_through_the_sequence(results):
    """Return smart's Pearson correlation on STS before and after each stage without SMART, to two digits."""
    [table] = [one for one in results["tables"] if (one["paper"], one["name"]) == ("smart", "matched-forgetting-plain")]
    return [f"{one['value']:.2f}" for one in table["numbers"] if one["column"] == "STS Pearson"]


def seeds_ahead_on_qqp(forms, results):
    """Return with how many seeds, all of them, ROC AUC on QQP is higher with each form of SMART than without it."""
    auc = {(run["run"], run["seed"]): run["value"] for run in results["runs"]}
    seeds = [seed for run, seed in auc if run == "matched-plain-quora"]
    assert all(
        auc[f"matched-{form}-quora", seed] > auc["matched-plain-quora", seed] for form in forms for seed in seeds
    )
    return COUNTS[len(seeds)]


def tasks_that_overfit(more, fewer, results):
    """Return on how many tasks, all of them, training rows exceed dev by more with one form of SMART than another."""
    excess = {}
    for form in (more, fewer):
        for task in ("quora", "sts", "sst"):
            found = [one for one in results["runs"] if one["run"] == f"matched-{form}-{task}"]
            excess[form, task] = mean(one["train"] - one["value"] for one in found)
    assert all(excess[more, task] > excess[fewer, task] for form, task in excess if form == more)
    return COUNTS[len(excess) // 2]


def seeds_that_overfit_less(form, other, task, results):
    """Return with how many seeds training rows exceed dev by less with one form of SMART than another, of how many."""
    one, two = (
        [run["train"] - run["value"] for run in results["runs"] if run["run"] == f"matched-{name}-{task}"]
        for name in (form, other)
    )
    return COUNTS[sum(a < b for a, b in zip(one, two, strict=True))], COUNTS[len(one)]


def steps(run, name):
    """Return the steps of the only stage of a run in published results."""
    recipes = (ROOT / f"docs/results/{name}/recipes.md").read_text(encoding="utf-8")
    [cell] = re.findall(rf"^\| {re.escape(run)} \|.* \| ([*\d]+ × [*\d]+) \|", recipes, re.MULTILINE)
    epochs, of_each = (int(number) for number in cell.replace("*", "").split(" × "))
    return f"{epochs * of_each:,}"


def rows_used(dataset, split, results):
    return f"{results['datasets'][dataset]['rows'][split]:,}"


# Each with the page, the words around the numbers, and what gives these from the results by name.
SAID = [
    ("findings", "a part: {} of 363,846 training pairs", lambda r: [rows_read("qqp", "train", r["evening"])]),
    ("findings", "and {} of 40,430 others", lambda r: [rows_read("qqp", "validation", r["evening"])]),
    ("findings", "a part: {} training pairs", lambda r: [rows_read("mnli", "train", r["evening"])]),
    ("findings", "{} others, of matched and mismatched", lambda r: [rows_read("mnli", "validation", r["evening"])]),
    ("findings", "three seeds each see {} pairs of QQP", lambda r: [rows_used("qqp", "train", r["transfer"])]),
    ("findings", "first trained on QQP have seen {} steps more", lambda r: [steps("bert-qqp", "transfer")]),
    (
        "findings",
        "networks are trained for {} steps, on MRPC for {}.",
        lambda r: [steps(f"sa-fa-3-rfm-{corpus}", "evening") for corpus in ("snli", "mrpc")],
    ),
    (
        "findings",
        "Networks have up to {} steps on SNLI, five times those of `evening`, and {} on MRPC",
        lambda r: [steps(f"sa-fa-3-rfm-{corpus}", "longer") for corpus in ("snli", "mrpc")],
    ),
    ("findings", "networks see {} pairs once", lambda r: [rows_used("qqp", "train", r["longer-qqp"])]),
    ("findings", "once, in {} steps, with four seeds", lambda r: [steps("sa-fa-3-rfm-1e-3", "longer-qqp")]),
    (
        "findings",
        "the network without RFM did not learn with {} of the four seeds, and the 3D network with {}",
        lambda r: [
            seeds_that_learned_nothing(f"{network}-1e-2", r["longer-qqp"])[0]
            for network in ("sa-fa-3-pooling", "sa-fa-3-rfm")
        ],
    ),
    ("findings", "of the {} rows of QQP in `longer-qqp`", lambda r: [rows_used("qqp", "validation", r["longer-qqp"])]),
    ("findings", "by accuracy on {} dev pairs", lambda r: [rows_used("mrpc", "dev", r["longer"])]),
    ("findings", "With {} pairs, differences below", lambda r: [rows_used("mrpc", "test", r["longer"])]),
    (
        "findings",
        "With ROC AUC, each of the {} seeds alone supports it",
        lambda r: [seeds_that_support("printed-keeps-both-by-auc", r["forgetting"])],
    ),
    (
        "findings",
        "alone supports it; with accuracy, {} of them do",
        lambda r: [some_that_support("printed-keeps-both", r["forgetting"])],
    ),
    (
        "findings",
        "is ahead there with each of the {} seeds alone",
        lambda r: [seeds_that_support("two-stages-beat-one", r["transfer"])],
    ),
    (
        "findings",
        "than after the same training on STS-B alone, with each of the {} seeds",
        lambda r: [seeds_that_support("qqp-first-over-alone-pearson", r["transfer-controls"])],
    ),
    (
        "findings",
        "it has {} pairs, seen several times, where QQP has {}, seen once",
        lambda r: [rows_used(name, "train", r["transfer-controls"]) for name in ("snli", "qqp")],
    ),
    (
        "findings",
        "With the {} seeds where it learned well, SNLI first is ahead",
        lambda r: [seeds_where_snli_helps(r["transfer-controls"])],
    ),
    (
        "findings",
        "SNLI's first phase did not learn with {} of the {} seeds",
        lambda r: seeds_that_learned_nothing("snli", r["transfer-controls"]),
    ),
    (
        "findings",
        "are more accurate than those embeddings with each of the {} seeds alone",
        lambda r: [seeds_that_support("fine-tuning-over-zero-shot-accuracy", r["longer-combined"])],
    ),
    (
        "findings",
        "training twice has the higher ROC AUC with each of the {} seeds",
        lambda r: [seeds_that_oppose("combined-regression-over-twice-roc-auc", r["longer-combined"])],
    ),
    (
        "findings",
        "whose scores agree to {} digits with those of SMART as printed",
        lambda r: [agreeing_digits("matched-proximity", "matched-printed", r["forgetting"])],
    ),
    (
        "findings",
        "on STS is {} before any training, {} after QQP without SMART, {} after STS and {} after SST",
        lambda r: sts_through_the_sequence(r["forgetting"]),
    ),
    (
        "findings",
        "is ahead on QQP with each of the {} seeds",
        lambda r: [seeds_ahead_on_qqp(("printed", "listed", "reference"), r["forgetting"])],
    ),
    (
        "findings",
        "by more with SMART as printed than without it, on all {} tasks",
        lambda r: [tasks_that_overfit("printed", "plain", r["forgetting"])],
    ),
    (
        "findings",
        "on all {} tasks, and by less with the published codes",
        lambda r: [tasks_that_overfit("plain", "reference", r["forgetting"])],
    ),
    (
        "findings",
        "On STS, {} of the {} seeds alone say the opposite of SMART as printed",
        lambda r: seeds_that_overfit_less("printed", "plain", "sts", r["forgetting"]),
    ),
    (
        "findings",
        "Its proximity term is then {:.4f} on QQP, where it is {:.4f} with a moving average",
        lambda r: [proximity(row, r["forgetting-letter"]) for row in ("To the letter", "Moving average")],
    ),
    (
        "findings",
        "to the letter, its gain is {:.3f} in Pearson's correlation",
        lambda r: [of_claims("letter-improves-sts-alone", r["forgetting-letter"])[0]["effect"]],
    ),
    (
        "findings",
        "Pearson's correlation on STS is {:.2f} before the sequence, and {:.2f} after the stage of STS without SMART",
        lambda r: [number(row, "STS Pearson", "stages", r["forgetting-small"]) for row in STS_OF_PLAIN],
    ),
    (
        "findings",
        "All {} claims are open",
        lambda r: [len(r["forgetting-small"]["claims"])],
    ),
    (
        "deviations",
        "the proximity term has a mean of {:.4f} on QQP, where it has {:.4f} with the moving average",
        lambda r: [proximity(row, r["forgetting-letter"]) for row in ("To the letter", "Moving average")],
    ),
    (
        "deviations",
        "is {} before fine-tuning; after all six layers, it is {},",
        lambda r: [sts_before_training(r["forgetting"]), sts_before_training(r["evening"])],
    ),
]


@pytest.mark.parametrize(("page", "words", "numbers"), SAID, ids=[words for _, words, _ in SAID])
def test_a_number_in_the_docs_is_that_of_the_results(root, page, words, numbers):
    results = {name: read_json(root / f"docs/results/{name}/results.json") for name in NAMES}
    text = re.sub(r"\s+", " ", (root / f"docs/{page}.md").read_text(encoding="utf-8"))
    assert words.format(*numbers(results)) in text


def test_the_page_of_measured_speed_shows_what_was_measured(root, monkeypatch):
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    from page import page

    measured = json.loads((root / "docs/speed-measured.json").read_text("utf-8"))
    assert page(measured) == (root / "docs/speed-measured.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "sentence", "patterns", "verdict"),
    [(name, *said) for name, sentences in VERDICTS.items() for said in sentences],
)
def test_a_sentence_about_verdicts_is_that_of_the_results(root, name, sentence, patterns, verdict):
    results = read_json(root / f"docs/results/{name}/results.json")
    assert sentence in re.sub(r"\s+", " ", (root / "docs/findings.md").read_text(encoding="utf-8"))
    for claim in (one for pattern in patterns.split() for one in of_claims(pattern, results)):
        assert claim["verdict"].split(":")[0] == verdict, claim["claim"]


def test_every_table_of_the_documentation_is_shown_as_one(root):
    """A blank line after a table's head, for example, would show its rows as text."""
    pages = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
    parser = MarkdownIt("commonmark").enable("table")
    broken = [
        f"{page.relative_to(root)}:{token.map[0] + 1}"
        for page in pages
        for token in parser.parse(page.read_text("utf-8"))
        if token.type == "inline" and token.content.startswith("|")
    ]
    assert len(pages) > 100 and not broken
