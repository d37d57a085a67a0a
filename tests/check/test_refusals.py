"""Mistakes in the configuration are refused with the file, the key and the nearest known name."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from configuration import change, settings
from semblance.config.files import RENAMED, read_yaml
from semblance.config.load import load
from semblance.errors import UserError


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("papers/stl.yaml", "authors:", "autors:", "there is no key 'autors'; did you mean 'authors'"),
        ("papers/smart.yaml", "select_stage: *overall\n", "keep_best: *overall\n", "is now called 'select_stage'"),
        ("papers/stl.yaml", "objective: mean-squared-error", "objective: mean-square-error", "mean-squared-error"),
        (
            "papers/stl.yaml",
            "qqp, objective: binary-cross-entropy,",
            "qqp, objective: binary-cross-entropy, momentum: 0.3,",
            "stages.momentum has no effect with optimizer adamw and schedule linear",
        ),
        ("papers/stl.yaml", "{run: word2vec}", "{run: word3vec}", "no run 'word3vec'; did you mean 'word2vec'"),
        ("papers/stl.yaml", "encoder: word2vec", "encoder: word2vek", "no encoder 'word2vek'; did you mean 'word2vec'"),
        ("papers/stl.yaml", "on: qqp, objective", "on: qpq, objective", "no dataset 'qpq'; did you mean 'qqp'"),
        ("papers/stl.yaml", "stsb/test, metric: pearson", "stsb/test, metric: person", "did you mean 'pearson'"),
        ("papers/stl.yaml", "tune_on: qqp/dev", "tune_on: qqp/validation", "the rows that are scored"),
        ("papers/minilm.yaml", "[0.3, 0.8], leaks: true}}", "[0.3, 0.8]}}", "or write leaks: true"),
        ("papers/minilm.yaml", "half: first}, maximise", "half: second}, maximise", "the rows that are scored"),
        ("papers/minilm.yaml", "{run: minilm, epoch: 0.0879}", "{run: minilm}", "a cell of step needs epoch as well"),
        ("papers/minilm.yaml", "watch: qqp-tenth/validation", "watch: qqp-tenth/dev", "no split of qqp-tenth 'dev'"),
        ("papers/minilm.yaml", "validation, watch_every: 100}", "validation}", "watch needs watch_every as well"),
        ("papers/minilm.yaml", "watch: qqp-tenth/validation, ", "", "watch_every needs watch as well"),
        (
            "papers/stl.yaml",
            "    model: {kind: word2vec",
            "    own_task: stsb/test\n    model: {kind: word2vec",
            "own_task needs stages",
        ),
        ("papers/minilm.yaml", "learning_rate: 2.0e-5, ", "", "has no learning_rate, nor have the defaults"),
        ("papers/minilm.yaml", "batch_size: [8,", "batch_size: [0,", "batch_size: 0 should be at least 1"),
        (
            "papers/minilm.yaml",
            "validation, metric: roc-auc}}\n  mean-over",
            "validation, metric: roc-acu}}\n  mean-over",
            "roc-auc",
        ),
        ("papers/minilm.yaml", "{MiniLM: minilm}", "{MiniLM: mimilm}", "no run 'mimilm'; did you mean"),
        ("papers/stl.yaml", "metric: accuracy, threshold: 0.5", "metric: accuracy", "needs threshold as well"),
        ("papers/minilm.yaml", "claims: [sbert-over-forest-auc", "claims: [less-memory", "is about times or memory"),
        ("papers/sn3d.yaml", "fusion: rfm}", "fusion: rmf}", "'rmf'"),
        ("papers/sn3d.yaml", "metric: class-accuracy, patience", "metric: accuracy, patience", "selects its epoch by"),
        ("papers/sn3d.yaml", "validation, metric: roc", "validation, metric: class-roc", "needs class probabilities"),
        ("papers/sn3d.yaml", "classes: 2,", "classes: 3,", "3, but the labels of qqp are 2"),
        ("papers/sn3d.yaml", "encoder: bert, classes: 3}", "encoder: bert}", "go together: name both or neither"),
        ("papers/sn3d.yaml", "mean_of: [QQP, MRPC", "mean_of: [QPQ, MRPC", "no column 'QPQ'; did you mean 'QQP'"),
        ("papers/sn3d.yaml", "of: [colbert-mrpc,", "of: [sbert-mrpc,", "sbert-mrpc compares no tokens"),
        ("papers/stl.yaml", 'start_from: "{encoder}-qqp"', 'start_from: "{encoder}-qqp-stsb"', "goes in a circle"),
        (
            "papers/smart.yaml",
            "heads: [polarity]",
            "heads: [sentiment]",
            "there is none for polarity, the labels of cfimdb",
        ),
        (
            "papers/smart.yaml",
            "on: sst, objective: cross-entropy, epochs: 10, sel",
            "on: sst, objective: score-squared-error, epochs: 10, sel",
            "labels that are sentiment are learned by cross-entropy",
        ),
        (
            "papers/smart.yaml",
            "on: snli-triplets, objective",
            "on: sst, objective",
            "simcse-triplet learns from inference pairs, not sst",
        ),
        (
            "papers/stl.yaml",
            "objective: cosine-mean-squared-error",
            "objective: mean-squared-error",
            "cannot be learned by a bi-encoder",
        ),
        (
            "papers/stl.yaml",
            "objective: binary-cross-entropy",
            "objective: triplet",
            "triplet cannot be learned by a cross-encoder",
        ),
        (
            "papers/metric.yaml",
            "kind: training-curves",
            "kind: table-dots",
            "a figure of kind table-dots needs quantity, table",
        ),
        ("papers/metric.yaml", "kind: training-curves", "kind: training-curve", "did you mean 'training-curves'"),
        (
            "papers/metric.yaml",
            "kind: training-curves",
            "kind: training-curves\n    table: table1",
            "a figure of kind training-curves has no table; its keys are runs",
        ),
        ("encoders.yaml", "learning_rate: 1.0e-3", "learningrate: 1.0e-3", "did you mean 'learning_rate'"),
        ("encoders.yaml", "learning_rate: 1.0e-3", "learning_rate: fast", "fast"),
        (
            "encoders.yaml",
            "{epochs: 1, batch",
            "{optimizer: sdg, epochs: 1, batch",
            "no value 'sdg'; did you mean 'sgd'",
        ),
        ("encoders.yaml", "{epochs: 1, batch", "{frozen_epochs: 1, epochs: 1, batch", "no key 'frozen_epochs'"),
        ("papers/stl.yaml", "than_value: 0.9", "than_value: 0.9\n    pairs: all", "better has 1 cells, than has 0"),
        ("papers/sn3d.yaml", "    spread: 4 ", "    spread: 3 ", "16 and 16 cells cannot be divided into groups of 3"),
        ("papers/sn3d.yaml", "    spread: 4 ", "    better_the: worst\n    spread: 4 ", "does not go with better_the"),
        ("papers/metric.yaml", "    than_the: best\n", "    choose_on: mrpc/train\n", "is trained on mrpc/train"),
        ("papers/minilm.yaml", "    than_the: best\n", "    choose_on: qqp-tenth/validation\n", "choose on others"),
        (
            "papers/minilm.yaml",
            " within: 0.01\n",
            " within: 0.01\n    choose_on: qqp-sweep/validation\n",
            "nothing to choose",
        ),
        ("papers/sn3d.yaml", "    spread: 4 ", "    choose_on: mrpc/test\n    spread: 4 ", "does not go with spread"),
        ("papers/stl.yaml", "    than_value: 0.9\n", "", "give either than or than_value"),
        (
            "papers/minilm.yaml",
            "    within: 0.01\n",
            "    within: 0.01\n    than_the: best\n",
            "does not go with than_the",
        ),
        (
            "papers/minilm.yaml",
            "peak-memory-gib}\n    better: *ours\n    than: [{run: forest}]",
            "peak-memory-gib}\n    better: *ours\n    than_value: 0",
            "it must be positive",
        ),
        ("papers/stl.yaml", "tune_on: qqp/dev, maximise", "tune_on: qqp/dev, maximize", "did you mean 'maximise'"),
        ("papers/stl.yaml", "runs:\n  tfidf", "run:\n  tfidf", "there is no key 'run'; did you mean 'runs'"),
        (
            "papers/minilm.yaml",
            "between: [0.3, 0.8]",
            "between: [0.8, 0.3]",
            r"between: \[0.8, 0.3\]: give the lower end",
        ),
        ("papers/minilm.yaml", "between: [0.3, 0.8]", "between: [0.8]", "at least 2 are needed"),
        (
            "papers/metric.yaml",
            "    runs: [siamese-bert-cls, ",
            "    runs: [majority, ",
            "no run with a curve 'majority'",
        ),
        ("papers/sn3d.yaml", "mean_of: [QQP, MRPC", "mean_of: [Params, MRPC", "metric of which there are means"),
        ("papers/sn3d.yaml", '{cue}", fit', '{cue}", classes: 3, fit', "3, but the labels of qqp/train are 2"),
        ("papers/sn3d.yaml", '{cue}", fit', '{cue}", classes: 2, fit', "for two classes: leave classes out"),
        ("papers/sn3d.yaml", "mean_of: [QQP, MRPC", "mean_of: [Avg, MRPC", "Avg, of which there is to be a mean, is"),
        (
            "papers/stl.yaml",
            "    than_value: 0.9\n",
            "    than_value: 0.9\n    part_of: negated-pairs-score-high\n",
            "no other claim 'negated-pairs-score-high'",
        ),
        (
            "papers/stl.yaml",
            "\nruns:\n",
            "\nmembers: {A: {b: c}}\nevaluate_on: [stsb/test]\nruns:\n",
            "give either runs or members",
        ),
        # What would have no effect.
        (
            "papers/sn3d.yaml",
            "milestones: [10, 11",
            "weight_decay: 0.1, milestones: [10, 11",
            "weight_decay has no effect",
        ),
        (
            "papers/sn3d.yaml",
            "objective: cross-entropy, select: {on: qqp",
            "objective: cross-entropy, precision: fp32, select: {on: qqp",
            "have no precision",
        ),
        (
            "papers/smart.yaml",
            "threshold: 0.5}\n  plain",
            "threshold: 0.5, patience: 2}\n  plain",
            "patience ends a stage",
        ),
        (
            "papers/smart.yaml",
            "{on: sst/dev, metric: class-accuracy}\n      - {on",
            "{on: sst/dev, metric: class-accuracy, threshold: 0.5}\n      - {on",
            "class-accuracy has none",
        ),
        (
            "papers/smart.yaml",
            "sts-held-out/selection, metric: pearson}}",
            "sts-held-out/selection, metric: pearson, on_unit_scale: true}}",
            "for means of scores",
        ),
        (
            "papers/smart.yaml",
            "  bert-untuned:\n",
            "  bert-untuned:\n    own_task: sst/dev\n",
            "own_task needs stages as well",
        ),
        ("papers/metric.yaml", "features: *all-four, hidden_layers", "hidden_layers", "but there are no features"),
        (
            "papers/metric.yaml",
            "[{on: mrpc, objective: triplet}]",
            "[{on: sst, objective: triplet}]",
            "those of sst are single",
        ),
        (
            "papers/metric.yaml",
            "[{on: mrpc, objective: triplet}]",
            "[{on: snli, objective: triplet}]",
            "not from inference",
        ),
        (
            "papers/metric.yaml",
            "[{on: mrpc, objective: triplet}]",
            "[{on: mrpc, objective: triplet, frozen_epochs: 1}]",
            "frozen_epochs: triplet has no head to train alone",
        ),
        (
            "papers/smart.yaml",
            "on: sts-cs224n, objective: score-squared-error, epochs: 10, select: *by-sts}]",
            "on: sts-cs224n, objective: score-squared-error, epochs: 10, frozen_epochs: 1, select: *by-sts}]",
            "frozen_epochs: score-squared-error has no head to train alone",
        ),
        (
            "papers/smart.yaml",
            "within: 0.5, cell: {metric: selected-epoch}",
            "retention: true, within: 0.5, cell: {metric: selected-epoch}",
            "retention: selected-epoch is no score that could be lost",
        ),
        ("papers/smart.yaml", "repeat: 10", "repeats: 10", "repeat"),
        ("papers/smart.yaml", "smoothness: 10", "smothness: 10", "smothness"),
        ("papers/smart.yaml", '- {on_unit_scale: "Semantic', '- {on_unit_scale: "Semantical', "no row 'Semantical"),
        (
            "papers/smart.yaml",
            'minus: {run: "{method}-quora"}',
            'minus: {run: "{method}-quota"}',
            "no run 'sbert-quota'; did you mean",
        ),
        ("papers/smart.yaml", "show: [sst/train]", "show: [sst/test]", "no split of sst 'test'"),
        ("papers/smart.yaml", "threshold: 0.5}\n  plain", "treshold: 0.5}\n  plain", "treshold"),
        (
            "papers/stl.yaml",
            'start_from: "{encoder}-qqp"',
            'start_from: "{encoder}-qq"',
            "no run 'bert-qq'; did you mean",
        ),
        (
            "papers/stl.yaml",
            "SBERT (Pre-trained): [",
            "SBERT (Pretrained): [",
            "did you mean 'SBERT \\(Pre-trained\\)'",
        ),
        ("papers/stl.yaml", "kind: word2vec,", "kind: word2vec, trees: 3,", "a word2vec has no trees; its keys are"),
        ("papers/stl.yaml", "kind: word2vec, encoder: word2vec", "kind: word2vec", "a word2vec needs encoder"),
        ("papers/stl.yaml", "title:", "title: a\ntitle:", "line 4: the key 'title' is repeated"),
        ("presets/demo.yaml", "threads: 1", "threads: none", "threads: 'none' should be a whole number"),
        ("datasets.yaml", "bcdcba79d07b", "main", "should be 40 hexadecimal digits"),
        ("encoders.yaml", "architecture: bert", "architecture: bart", "did you mean 'bert'"),
        (
            "papers/minilm.yaml",
            'batch_size: "{batch_size}", watch',
            "batch_size: 8, watch",
            "batch_size changes nothing but",
        ),
        ("datasets.yaml", "{dev: {from: train,", "{dve: {from: train,", "no split 'dve'; did you mean 'dev'"),
        ("datasets.yaml", "{dev: {from: train,", "{dev: {from: dev,", "dev cannot be held out of itself"),
        ("datasets.yaml", "  <<: *qqp\n  title", "  <<: *qqp\n  <<: *qqp\n  title", "the key '<<' is repeated"),
        ("papers/stl.yaml", 'start_from: "{encoder}-qqp"', "start_from: bert-qqp", "but that of the start is bert"),
        ("papers/stl.yaml", 'start_from: "{encoder}-qqp"', "start_from: tfidf", "a tfidf is not trained in stages"),
        (
            "papers/stl-transfer.yaml",
            "model: {<<: *cross-encoder, new_head: true}",
            "model: *cross-encoder",
            "the head of the start has other classes: write new_head: true",
        ),
        (
            "papers/stl.yaml",
            "  tfidf:\n",
            "  tfidf:\n    stages: [{on: qqp, objective: contrastive}]\n",
            "in stages",
        ),
        ("papers/stl.yaml", "split: train+validation", "split: train+valdation", "did you mean 'validation'"),
        (
            "papers/minilm.yaml",
            "stages: [&sweep {on: qqp-sweep",
            "select_stage: [{on: qqp-sweep/validation, metric: accuracy}]\n    stages: [&sweep {on: qqp-sweep",
            "qqp-sweep/validation is scored in several stages",
        ),
        (
            "papers/stl.yaml",
            "fit_on: [qqp/train, stsb/train]",
            "fit_on: [qqp/validation]",
            "is fitted on",
        ),
        (
            "papers/stl.yaml",
            "qqp/dev, metric: accuracy",
            "qqp/dev, metric: class-accuracy",
            "needs a model with classes",
        ),
    ],
)
def test_a_mistake_is_refused_with_the_nearest_right_name(checkout, file, old, new, says):
    change(checkout / "config" / file, old, new)
    alone = {"papers": [Path(file).stem]} if file.startswith("papers/") else {}
    with pytest.raises(UserError, match=says) as refused:
        load(checkout, settings(checkout, **alone))
    assert Path(file).name in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"preset": "labtop"}, "no preset 'labtop'; did you mean 'laptop'"),
        ({"papers": ["slt"]}, "no paper 'slt'; did you mean 'stl'"),
        ({"papers": "stl"}, r"papers: 'stl' should be a list or null, such as \[stl\]"),
        ({"seeds": 3}, r"seeds: 3 should be a list or null, such as \[3\]"),
        ({"papers": ["leaderboard"]}, "its members are runs of stl, .*: name one in papers too"),
        ({"devise": "cpu"}, "no key 'devise'; did you mean 'device'"),
        ({"precision": "fp16"}, "no value 'fp16'; did you mean 'bf16'\\? known are: auto, fp32, bf16"),
        (
            {"encoder_source": "generated", "encoders": {"bert": {"generated": {"recipe": {"momentum": 0.3}}}}},
            "momentum has no effect",
        ),
        ({"data_source": "files"}, "data_folder must name"),
        ({"data_folder": "/corpora"}, "data_folder is not read unless data_source is files"),
        (
            {"encoders": {"bert": {"source": "generated", "generated": {"corpus": ["sst/train"]}}}},
            "corpus: pre-training learns from pairs of sentences, and those of sst/train are single",
        ),
        ({"seeds": [2**40]}, "seeds.0: 1099511627776 should be at most 4294967295"),
        ({"encoders": {"brt": {"source": "path"}}}, "no encoder 'brt'; did you mean 'bert'"),
        ({"encoders": {"bert": {"generated": {"corpus": ["qpq/train"]}}}}, "no dataset 'qpq'; did you mean 'qqp'"),
        ({"encoders": {"sbert": {"generated": {"start_from": "brt"}}}}, "no encoder 'brt'; did you mean 'bert'"),
        ({"encoders": {"bert": {"generated": {"corpora": []}}}}, "no key 'corpora'; did you mean 'corpus'"),
        ({"encoder_source": "path"}, "encoders.bert.path is not set"),
        ({"encoders": {"bert": {"source": "hub", "path": "/bert"}}}, "hub and path contradict each other"),
        ({"encoders": {"bert": {"same_as": "sbert", "path": "/bert"}}}, "path and same_as contradict each other"),
        ({"encoders": {"sbert": {"generated": {"start_from": "sbert"}}}}, "goes in a circle: sbert → sbert"),
        ({"encoder_source": "package"}, "bert has no source 'package'; it has hub, shipped, generated"),
    ],
)
def test_a_wrong_setting_is_refused(root, changes, says):
    with pytest.raises(UserError, match=says):
        load(root, settings(root, **changes))


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("metirc: [x]", "no paper 'metirc'; did you mean 'metric'"),
        ('metric: ["*-rat-*"]', "one_seed.metric: '.-rat-.' fits none of its runs"),
        (
            "metric: [siamese-bert-cls]",
            "names .*siamese.*, which the claim metric/.* compares with .*: name both or neither",
        ),
        ("stl: [bert-qqp]", "names bert-qqp, from which bert-qqp-stsb starts: add it"),
    ],
)
def test_a_single_seed_is_refused_where_more_are_needed(checkout, named, says):
    change(checkout / "config/presets/evening.yaml", 'metric: ["*"]', named)
    with pytest.raises(UserError, match=says):
        load(checkout, settings(checkout, preset="evening", papers=["stl", "metric"], data_source="generated"))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("stages: {sn3d: {fa-3-qqpp: {epochs: 2}}}", "stages.sn3d: there is no trained run or dataset 'fa-3-qqpp'"),
        ("stages: {sn3d: {mnlli: {epochs: 2}}}", "did you mean 'mnli'"),
        ('models: {smart: {"*-rund": {dropout_factor: 1}}}', "models.smart: there is no run"),
        ("stages: {sn2d: {mnli: {epochs: 2}}}", "stages: there is no paper 'sn2d'; did you mean 'sn3d'"),
        ("stages: {stl: {tfidf: {epochs: 2}}}", "stages.stl: there is no trained run or dataset 'tfidf'"),
        ("stages: {stl: {bert-stsb: {watch_every: 9}}}", "stages.stl.bert-stsb: no run that it fits uses watch_every"),
        ("models: {stl: {tfidf: {max_length: 9}}}", "models.stl.tfidf: no run that it fits uses max_length"),
        ("model: {max_length: 65}", "max_length is 65, but bert is pre-trained with 64 tokens at most"),
        ("repeat: {smarty: 3}", "repeat: there is no paper 'smarty'"),
        ("repeat: {stl: 3}", "no run repeats stages, so the preset's repeat.stl has no effect"),
        ("rows: {qqp: {trian: 3}}", "rows.qqp: there is no split 'trian'; did you mean 'train'"),
        ("rows: {qpp: {train: 3}}", "there is no dataset 'qpp'; did you mean 'qqp'"),
    ],
)
def test_what_a_preset_changes_must_exist(checkout, written, says):
    needed = "about: Mine\ndata_source: generated\nencoder_source: generated\nseeds: [1]\nthreads: 1\n"
    needed += "" if written.startswith("model:") else "model: {max_length: 64}\n"
    (checkout / "config/presets/mine.yaml").write_text(f"{needed}{written}\n")
    papers = [paper for paper in ("stl", "sn3d", "smart") if paper in written] or ["stl"]
    with pytest.raises(UserError, match=re.escape(says)):
        load(checkout, settings(checkout, preset="mine", papers=papers))


def test_every_key_that_was_renamed_leads_to_one_that_exists(root):
    keys = {key for file in (root / "config/schema").glob("*.yaml") for key in _keys(read_yaml(file))}
    assert set(RENAMED.values()) <= keys
    assert set(RENAMED) & keys <= {"of"}  # of a figure


def _keys(schema: object) -> Iterator[str]:
    """Yield all keys that a schema allows."""
    parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        yield from schema["properties"]
    for part in parts:
        yield from _keys(part)
