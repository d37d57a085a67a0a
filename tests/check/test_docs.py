"""Numbers of the published results that the documentation names are those of their results.json."""

import math
import re
from fnmatch import fnmatch
from statistics import mean

import pytest
from markdown_it import MarkdownIt

from semblance.files import read_json
from semblance.paths import ROOT
from semblance.vocabulary import Verdict

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NAMES = (
    "evening",
    "forgetting",
    "longer",
    "longer-attention",
    "longer-combined",
    "longer-pooling",
    "transfer",
    "transfer-controls",
)


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
    assert {one["verdict"] for one in found["each_seed"]} == {Verdict.SUPPORTED}
    return COUNTS[len(found["each_seed"])]


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
    ("findings", "by accuracy on {} dev pairs", lambda r: [rows_used("mrpc", "dev", r["longer"])]),
    ("findings", "With {} pairs, differences below", lambda r: [rows_used("mrpc", "test", r["longer"])]),
    (
        "findings",
        "each of the {} seeds alone supports it",
        lambda r: [seeds_that_support("printed-keeps-both", r["forgetting"])],
    ),
    (
        "findings",
        "is better there with each of the {} seeds alone",
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
        "deviations",
        "is {} before fine-tuning; after all six layers, it is {},",
        lambda r: [sts_before_training(r["forgetting"]), sts_before_training(r["evening"])],
    ),
]
# Sentences about verdicts by published results, with the claims that they summarise: inconclusive if they fail the FDR.
VERDICTS = {
    "evening": [
        (
            "Whether fine-tuning on QQP first helps on STS-B or on semantic conflicts is open",
            "two-stages-beat-one stress-over-one-stage-* extended-over-one-stage-*",
            Verdict.INCONCLUSIVE,
        ),
        ("SBERT, fine-tuned on STS-B, is better there than BERT", "sbert-over-bert-on-stsb", Verdict.SUPPORTED),
        ("By ROC AUC, fine-tuned MiniLM is better than", "sbert-over-forest-auc", Verdict.SUPPORTED),
        (
            "by accuracy and F1, this does not remain at a false discovery rate",
            "sbert-over-forest sbert-over-forest-accuracy",
            Verdict.INCONCLUSIVE,
        ),
        ("ColBERT is better than the 3D network on SNLI.", "over-colbert-snli", Verdict.REFUTED),
        (
            "All other main claims are open",
            "over-sbert-* over-colbert-qqp over-colbert-mrpc over-colbert-mnli",
            Verdict.INCONCLUSIVE,
        ),
    ],
    "forgetting": [
        (
            "Without SMART, backward transfer is below 0 by the end of the sequence",
            "matched-forgets-both",
            Verdict.SUPPORTED,
        ),
        ("with ROC AUC for QQP, this does not remain", "matched-forgets-both-by-auc", Verdict.INCONCLUSIVE),
        ("Whether QQP alone is forgotten is open", "matched-forgets-qqp* round-forgets-qqp*", Verdict.INCONCLUSIVE),
        ("by the end, with accuracy and with ROC AUC for QQP", "printed-keeps-both*", Verdict.SUPPORTED),
        ("it keeps more by accuracy", "printed-round-keeps-both", Verdict.SUPPORTED),
        (
            "by ROC AUC this does not remain at a false discovery rate",
            "printed-round-keeps-both-by-auc",
            Verdict.INCONCLUSIVE,
        ),
        ("codes keeps more in the first round by both", "reference-round-keeps-both*", Verdict.SUPPORTED),
        ("from QQP on, STS is better after its own stage", "*-improves-sts", Verdict.SUPPORTED),
        ("and in the rounds, too, as printed and in", "rounds-printed-sts rounds-reference-sts", Verdict.SUPPORTED),
        ("the published codes also end better over all tasks", "reference-rounds-overall", Verdict.SUPPORTED),
        (
            "On QQP and SST, whether SMART helps is open",
            "*-improves-qqp *-improves-sst rounds-printed-sst rounds-reference-sst rounds-*-qqp",
            Verdict.INCONCLUSIVE,
        ),
        ("training on QQP lowers the score on STS, where the thesis finds it higher", "qqp-helps-sts", Verdict.REFUTED),
        ("and training on SST lowers it, as the thesis says", "sst-hurts-sts", Verdict.SUPPORTED),
        ("is better on STS than unsupervised SimCSE", "in-batch-beats-unsupervised", Verdict.SUPPORTED),
        ("which improve on no training, this is open", "triplet-beats-unsupervised", Verdict.INCONCLUSIVE),
        ("which improve on no training", "simcse-helps-sts", Verdict.SUPPORTED),
        ("Whether SimCSE before the rounds helps on STS is open", "sss-better-sts", Verdict.INCONCLUSIVE),
        ("without it are ahead, but not at a false discovery rate", "ss-better-overall", Verdict.INCONCLUSIVE),
        (
            "At the end, this does not remain at a false discovery rate of 5%",
            "reference-keeps-both*",
            Verdict.INCONCLUSIVE,
        ),
        ("it then keeps more of QQP alone by ROC AUC", "reference-keeps-qqp-by-auc", Verdict.SUPPORTED),
        ("no claim that it keeps more remains at this rate", "listed-keeps-*", Verdict.INCONCLUSIVE),
        (
            "rounds is not clearly better on QQP or STS",
            "plain-rounds-keep-* *-rounds-keep-qqp reference-r*-keep-sts",
            Verdict.INCONCLUSIVE,
        ),
        ("with SMART as printed, it is worse on STS", "printed-rounds-keep-sts", Verdict.REFUTED),
        ("SMART as printed is not shown to keep more of QQP alone", "printed-keeps-qqp-by-auc", Verdict.INCONCLUSIVE),
        ("Of STS alone, what it keeps does not remain", "printed-keeps-sts", Verdict.INCONCLUSIVE),
        ("at 0.3 of the rate keeps neither clearly more nor less", "slower-keeps-both*", Verdict.INCONCLUSIVE),
        ("the claims about it are open", "*-fewer-epochs-sts", Verdict.INCONCLUSIVE),
    ],
    "longer": [
        ("On SNLI, the 3D network is then better than SBERT", "sa-fa-3-rfm-over-sbert-snli", Verdict.SUPPORTED),
        ("whether it is better than ColBERT, which leads in", "sa-fa-3-rfm-over-colbert-snli", Verdict.INCONCLUSIVE),
        ("after AFE over blocks, it is better than both", "rfm-printed-over-*-snli", Verdict.SUPPORTED),
        (
            "also ahead of max and average pooling, but not at",
            "rfm-over-pooling-fa-3-printed-snli",
            Verdict.INCONCLUSIVE,
        ),
        ("follow the authors' code, ColBERT is better", "all-code-over-colbert-snli", Verdict.REFUTED),
        ("ColBERT is ahead, but not at this rate", "printed-over-colbert-snli", Verdict.INCONCLUSIVE),
        ("After SA alone, RFM is worse than pooling", "rfm-over-pooling-sa-snli", Verdict.REFUTED),
        ("over the last block alone is worse", "over-last-block-snli", Verdict.SUPPORTED),
        (
            "without FA and RFM is better than SBERT, by accuracy and by ROC AUC",
            "sa-pooling-over-sbert-mrpc*",
            Verdict.SUPPORTED,
        ),
        ("With FA and RFM, this is open", "sa-fa-3-rfm-over-sbert-mrpc*", Verdict.INCONCLUSIVE),
        (
            "neither is shown to be better than ColBERT",
            "sa-*-over-colbert-mrpc*",
            Verdict.INCONCLUSIVE,
        ),
        ("has a lower ROC AUC than ColBERT here", "rfm-printed-over-colbert-mrpc-by-auc", Verdict.REFUTED),
        ("After SA alone, RFM is less accurate than pooling", "rfm-over-pooling-sa-mrpc", Verdict.REFUTED),
        (
            "SBERT and RFM as printed have a lower ROC AUC than it",
            "sbert-over-overlap-* rfm-printed-over-overlap-*",
            Verdict.REFUTED,
        ),
    ],
    "transfer-controls": [
        ("QQP is better on STS-B than after the same training", "qqp-first-over-alone-pearson", Verdict.SUPPORTED),
        (
            "at half the rate, and than after longer training",
            "qqp-first-over-half-stsb qqp-first-over-longer-stsb",
            Verdict.SUPPORTED,
        ),
        (
            "better than each of these, too, and than word overlap, by ROC AUC",
            "qqp-first-over-alone-roc-auc qqp-first-over-best-alone-extended qqp-first-over-overlap",
            Verdict.SUPPORTED,
        ),
        ("so that claims about it cannot be judged", "*snli-first*", Verdict.INCONCLUSIVE),
    ],
    "longer-pooling": [
        (
            "After triplets, MEAN and CLS have a higher ROC AUC than MAX.",
            "triplet-mean-over-max triplet-cls-over-max",
            Verdict.SUPPORTED,
        ),
        (
            "After Siamese training, CLS has a lower one than MAX, as it has before training",
            "siamese-cls-over-max zero-shot-cls-over-max",
            Verdict.REFUTED,
        ),
        ("as it has before training, and MEAN against MAX is open.", "siamese-mean-over-max", Verdict.INCONCLUSIVE),
        (
            "After logistic regression, both comparisons are open.",
            "regression-mean-over-max regression-cls-over-max",
            Verdict.INCONCLUSIVE,
        ),
        ("by accuracy and F1 it is open, and CLS against MAX", "mean-over-max-* cls-over-max-*", Verdict.INCONCLUSIVE),
        ("Whether MEAN and CLS are within one point of each other", "mean-like-cls-*", Verdict.INCONCLUSIVE),
        ("is shown to raise the ROC AUC with MAX alone", "siamese-max-over-zero-shot-roc-auc", Verdict.SUPPORTED),
        (
            "is shown to raise the ROC AUC with MAX alone",
            "siamese-mean-over-zero-shot-roc-auc siamese-cls-over-zero-shot-roc-auc",
            Verdict.INCONCLUSIVE,
        ),
        (
            "Triplets and logistic regression raise it with MEAN and with CLS",
            "triplet-mean-over-zero-shot-roc-auc triplet-cls-over-zero-shot-roc-auc "
            "regression-mean-over-zero-shot-roc-auc regression-cls-over-zero-shot-roc-auc",
            Verdict.SUPPORTED,
        ),
        ("So triplets are better than Siamese networks with CLS", "triplet-over-siamese-cls", Verdict.SUPPORTED),
        ("worse with MAX, and on average, this is open", "triplet-over-siamese-max", Verdict.REFUTED),
        (
            "and on average, this is open",
            "triplet-over-siamese-accuracy triplet-over-siamese-f1 triplet-over-siamese-roc-auc",
            Verdict.INCONCLUSIVE,
        ),
        (
            "That logistic regression is better than triplets is open",
            "regression-over-triplet-*",
            Verdict.INCONCLUSIVE,
        ),
        ("than word overlap; triplets with MAX have a lower one", "triplet-max-over-overlap", Verdict.REFUTED),
        (
            "Only with MEAN, triplets and logistic regression have a higher ROC AUC than word overlap",
            "triplet-mean-over-overlap regression-mean-over-overlap",
            Verdict.SUPPORTED,
        ),
        (
            "though trained to serve that mean, favour MEAN over MAX as well",
            "zero-shot-three-layers-mean-over-max zero-shot-mean-over-max",
            Verdict.SUPPORTED,
        ),
        (
            "and logistic regression is worse than with MEAN at 0.01",
            "regression-mean-over-slower-max",
            Verdict.SUPPORTED,
        ),
    ],
    "longer-combined": [
        (
            "it is open whether fine-tuning first helps, by accuracy, F1 and ROC AUC, beside training twice and once",
            "combined-over-*",
            Verdict.INCONCLUSIVE,
        ),
        ("seems to gain by it; this does not remain", "combined-siamese-over-*", Verdict.INCONCLUSIVE),
        ("logistic regression have a higher ROC AUC than the", "[tr]*-over-zero-shot-roc-auc", Verdict.SUPPORTED),
        (
            "different amounts that over all seeds it is open",
            "fine-tuning-over-zero-shot-accuracy",
            Verdict.INCONCLUSIVE,
        ),
        ("but over all of them this is open", "combined-regression-over-twice-roc-auc", Verdict.INCONCLUSIVE),
        ("For triplets it is open", "combined-triplet-over-*", Verdict.INCONCLUSIVE),
        ("is shown to have a higher ROC AUC than word overlap", "*-over-overlap", Verdict.INCONCLUSIVE),
    ],
    "longer-attention": [
        ("All blocks remain far better, even without AFE", "*-over-last-scaled", Verdict.SUPPORTED),
        ("dividing by √D is not shown to help", "scaling-helps", Verdict.INCONCLUSIVE),
        ("Nor is AFE, with a mean of 1, shown to be better than", "adaptive-weights-help", Verdict.INCONCLUSIVE),
        ("or better than AFE over blocks in the variants that", "code-with-mean-1", Verdict.INCONCLUSIVE),
    ],
    "transfer": [
        ("over all seeds it is open", "two-stages-beat-one", Verdict.INCONCLUSIVE),
        (
            "Whether training on QQP first helps on the extended stress suite is open",
            "extended-over-*",
            Verdict.INCONCLUSIVE,
        ),
        ("No verdict of `transfer` remains", "*", Verdict.INCONCLUSIVE),
    ],
}


@pytest.mark.parametrize(("page", "words", "numbers"), SAID, ids=[words for _, words, _ in SAID])
def test_a_number_in_the_docs_is_that_of_the_results(root, page, words, numbers):
    results = {name: read_json(root / f"docs/results/{name}/results.json") for name in NAMES}
    text = re.sub(r"\s+", " ", (root / f"docs/{page}.md").read_text(encoding="utf-8"))
    assert words.format(*numbers(results)) in text


@pytest.mark.parametrize(
    ("name", "sentence", "patterns", "verdict"),
    [(name, *said) for name, sentences in VERDICTS.items() for said in sentences],
)
def test_a_sentence_about_verdicts_is_that_of_the_results(root, name, sentence, patterns, verdict):
    results = read_json(root / f"docs/results/{name}/results.json")
    assert sentence in re.sub(r"\s+", " ", (root / "docs/findings.md").read_text(encoding="utf-8"))
    for claim in (one for pattern in patterns.split() for one in of_claims(pattern, results)):
        assert (claim["verdict"] if claim["passes_fdr"] else Verdict.INCONCLUSIVE) == verdict, claim["claim"]


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
