"""Scores of other rows, or of other labels than a metric is for, are refused before anything is trained."""

import re

import pytest

from configuration import change, settings
from semblance.config.load import load
from semblance.errors import UserError

ODD = 'claims:\n  odd: {{statement: s, source: "1", {}}}\n'

TAKEN_TWICE = "held_out: {validation: {from: train, rows: 9}, dev: {from: validation, rows: 5000}}"


@pytest.mark.parametrize(
    ("paper", "claim", "says"),
    [
        (
            "stl",
            "cell: {metric: roc-auc}, better: [{run: bert-qqp, on: qqp/validation}], "
            "than: [{run: bert-qqp-stsb, on: stress-extended/test}]",
            "a claim compares scores of one split, not of qqp/validation and stress-extended/test",
        ),
        (
            "stl",
            "cell: {metric: roc-auc, on: stress-extended/test}, than_value: 0, "
            "better: [{run: bert-qqp-stsb, minus: {run: bert-qqp, on: qqp/validation}}]",
            "minus is of qqp/validation, not of stress-extended/test",
        ),
        (
            "stl",
            "cell: {metric: roc-auc, on: stress-extended/test, subset: {unseen_in: [qqp/trian]}}, "
            "better: [{run: bert-qqp-stsb}], than: [{run: sbert-stsb}]",
            "unseen_in: there is no split of qqp 'trian'; did you mean 'train'",
        ),
        (
            "smart",
            "retention: true, cell: {on: sts-held-out/dev, metric: pearson}, "
            "better: [{run: matched-printed-sst, minus: {run: matched-printed-quora}}], "
            "than: [{run: matched-plain-sst, minus: {run: matched-plain-quora}}]",
            "before training, matched-printed-quora is scored on quora-held-out/dev, its own task, and not on sts-held",
        ),
    ],
)
def test_a_claim_that_would_compare_other_rows_is_refused(checkout, paper, claim, says):
    change(checkout / f"config/papers/{paper}.yaml", "claims:\n", ODD.format(claim))
    with pytest.raises(UserError, match=f"claims.odd.*{re.escape(says)}"):
        load(checkout, settings(checkout, papers=[paper]))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "&sst-accuracy {on: sst/dev, metric: class-accuracy}",
            "&sst-accuracy {on: sst/dev, metric: accuracy, threshold: 0.5}",
            "accuracy does not fit the classes of sst/dev; class-accuracy, class-weighted-f1, ",
        ),
        (
            "&by-sst {on: sst/dev, metric: class-accuracy,",
            "&by-sst {on: sst/dev, metric: accuracy,",
            "select.metric: accuracy does not fit the classes of sst/dev",
        ),
        (
            "&by-sst {on: sst/dev,",
            "&by-sst {on: cfimdb/dev,",
            "select.on: the labels of cfimdb/dev are polarity, of which the model has no classes",
        ),
    ],
)
def test_a_metric_that_is_not_for_the_labels_is_refused(checkout, old, new, says):
    change(checkout / "config/papers/smart.yaml", old, new)
    with pytest.raises(UserError, match=re.escape(says)):
        load(checkout, settings(checkout, papers=["smart"]))


def test_a_split_is_not_taken_from_one_that_is_taken_itself(checkout):
    file = checkout / "config/datasets.yaml"
    change(file, "held_out: {dev: {from: train, rows: 5000}}", TAKEN_TWICE)
    with pytest.raises(UserError, match="held_out.dev.from: validation is itself taken from another split"):
        load(checkout, settings(checkout))


def test_a_part_of_a_claim_has_no_parts(checkout):
    claims = ODD.format("cell: {metric: roc-auc, on: qqp/validation}, better: [{run: bert-qqp}], than_value: 0.5")
    parts = claims.replace("odd", "other").replace("claims:\n", "").replace("source", "part_of: odd, source")
    changed = claims.replace("source", "part_of: other, source") + parts
    change(checkout / "config/papers/stl.yaml", "claims:\n", changed)
    with pytest.raises(UserError, match="claims.odd.part_of: other is itself a part of another claim"):
        load(checkout, settings(checkout))
