"""A user's own models and pairs: the key `own`, reading of pair files, and errors."""

import json
import os
from contextlib import nullcontext
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from configuration import project
from semblance.data import tables
from semblance.encoders.make import make
from semblance.errors import UserError
from semblance.models import library_bi_encoder, library_cross_encoder
from semblance.planning.jobs import of_project
from semblance.planning.layout import Layout
from semblance.planning.work import Work
from semblance.specs.computing import Computing
from semblance.specs.data import UserTable
from semblance.specs.encoders import EncoderSpec, HubModel, LocalFiles
from semblance.specs.run import ModelSpec
from small import TEXTS, write_encoder

MODEL = {"mine": {"path": "/models/mine"}}
PAIRS = {"file": "/data/pairs.csv", "sentence1": "a", "sentence2": "b"}
TABLE = UserTable({}, {"sentence1": "a", "sentence2": "b", "label": "y"})


def own_models(root, **own):
    return project(root, papers=["own"], own=own)


def test_every_model_is_a_run_on_the_ground_and_on_the_pairs(root):
    judge = {"repo": "a/b", "revision": "c" * 40, "kind": "cross-encoder", "max_length": 99}
    whole = own_models(root, models={**MODEL, "judge": judge}, pairs={"tickets": {**PAIRS, "label": "y"}})
    own = whole.papers["own"]
    assert list(own.runs) == ["mine", "judge"] and list(own.tables) == ["board", "by-type", "tickets"]
    assert own.runs["judge"].model == ModelSpec("library-cross-encoder", encoder="own-judge", max_length=99)
    assert own.runs["mine"].model.max_length is None  # the demo's limit applies to its own models only
    assert {"stsb/test", "qqp/dev", "mrpc/test", "own-tickets/test"} <= set(own.runs["mine"].evaluate)
    assert "Training (min)" not in own.tables["board"].columns
    assert whole.encoders["own-mine"] == EncoderSpec("/models/mine", LocalFiles("/models/mine"))
    assert whole.encoders["own-judge"].source == HubModel("a/b", "c" * 40)


def test_the_ground_may_be_less_or_none_and_then_only_its_corpora_are_read(root):
    assert own_models(root, models=MODEL, evaluate_on=["stsb"]).datasets_used() == ["stsb"]
    alone = own_models(root, models=MODEL, evaluate_on=[], pairs={"rated": {**PAIRS, "score": "y"}})
    assert alone.datasets_used() == ["own-rated"] and list(alone.papers["own"].tables) == ["rated"]


@pytest.mark.parametrize(
    ("own", "says"),
    [
        ({}, "names no models"),
        ({"models": {"mine": {}}}, "name a path, or a repo"),
        ({"models": {"Mine": {"path": "x"}}}, r"own.models: 'Mine' names files as well.* \[a-z0-9-\] alone"),
        ({"models": {"mine": {"repo": "a/b"}}}, "revision"),
        ({"models": {"mine": {"path": "x", "kind": "bi-encoders"}}}, "bi-encoder"),
        ({"models": MODEL, "evaluate_on": ["sts"]}, "stsb"),
        ({"models": MODEL, "evaluate_on": []}, "nothing to score"),
        ({"models": MODEL, "pairs": {"p": PAIRS}}, "column of the label"),
        ({"models": MODEL, "pairs": {"p": {**PAIRS, "score": "y", "lowest": 7}}}, "lowest must be below highest"),
        ({"models": MODEL, "pairs": {"board": {**PAIRS, "label": "y"}}}, "choose another"),
        ({"models": MODEL, "pairs": {"p": {**PAIRS, "lable": "y"}}}, "label"),
    ],
)
def test_mistakes_are_refused(root, own, says):
    with pytest.raises(UserError, match=says):
        own_models(root, **own)


RECORDS = [("one, two", "ünö 🙂", 1), ('say "x"', "line\nbreak", 0), ("", "empty", 1)]


def written(path):
    if path.suffix == ".parquet":
        pq.write_table(pa.table(dict(zip("aby", map(list, zip(*RECORDS))))), path)
    elif path.suffix == ".jsonl":
        lines = [json.dumps(dict(zip("aby", record))) for record in RECORDS]
        path.write_text("\ufeff" + "\n\n".join(lines), encoding="utf-8")
    else:
        mark = "," if path.suffix == ".csv" else "\t"
        quoted = [[f'"{str(v).replace(chr(34), chr(34) * 2)}"' for v in record] for record in RECORDS]
        lines = [mark.join(record) for record in [list("aby"), *quoted]]
        path.write_text("\ufeff" + "\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.jsonl", "p.parquet"])
def test_every_format_gives_the_same_rows(tmp_path, name):
    rows = list(tables.read(TABLE, written(tmp_path / name)))
    assert rows[0].line == (2 if name in ("p.csv", "p.tsv") else 1)  # after the header
    assert [(row.sentence1, row.sentence2, row.label) for row in rows] == [(a, b, str(y)) for a, b, y in RECORDS]


def test_scores_are_moved_to_the_scale_of_all_scores_and_truth_to_numbers(tmp_path):
    (tmp_path / "p.csv").write_text("a,b,y\nx,y,1\nx,y,5\nx,y,3.0\n")
    source = replace(TABLE, lowest=1, highest=5)
    assert [row.label for row in tables.read(source, tmp_path / "p.csv")] == ["0.0", "5.0", "2.5"]
    (tmp_path / "p.csv").write_text("a,b,y\nx,y,True\nx,y,false\n")
    assert [row.label for row in tables.read(TABLE, tmp_path / "p.csv")] == ["1", "0"]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("p.csv", b"a,b\nx,y\n", "no column 'y', only a, b"),
        ("p.tsv", b'a\tb\ty\n"Why\tnot\t1\nWho\tshe"\t0\n', "a text of 'a' contains a tab, 'Why"),
        ("p.csv", b"a,b,y\nx,y,7\n", "row 2: the score is 7, but lowest and highest are 0 and 5"),
        ("p.csv", b"a,b,y\nx,y,nan\n", "the score is nan"),
        ("p.csv", b"a,b,y\nx,y,high\n", "'high' is not a number"),
        ("p.csv", b"a,b,y\n\xff,y,1\n", "UnicodeDecodeError"),
        ("p.csv", b"a,b,y\nx,y,1,more\n", "is it a .csv file"),
        ("p.csv", b"a,b,y\nx,y,1\nx,y,1,more\n", "Expected 3 fields in line 3, saw 4"),
        ("p.csv", b'a,b,y\n"x,y,1\n', "EOF inside string"),
        ("p.csv", b"", "No columns to parse"),
        ("p.jsonl", b"[1]\n", "no column 'a', only 0"),
        ("p.jsonl", b"{torn\n", "is it a .jsonl file"),
        ("p.parquet", b"torn", "is it a .parquet file"),
        ("p.xlsx", b"", "read from .csv, .tsv, .jsonl, .parquet files"),
    ],
)
def test_a_file_that_is_none_is_refused_with_what_to_do(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=says):
        list(tables.read(replace(TABLE, lowest=0, highest=5), tmp_path / name))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"not\.csv does not exist: correct its path in own.pairs"):
        list(tables.read(TABLE, tmp_path / "not.csv"))


def test_texts_of_a_parquet_file_may_be_bytes_in_utf_8(tmp_path):
    for text, says in ((["Wö?".encode()] * 2, None), ([b"\xff"] * 2, "is not UTF-8 text")):
        pq.write_table(pa.table({"a": text, "b": ["x", "y"], "y": ["1", "0"]}), tmp_path / "p.parquet")
        with pytest.raises(UserError, match=says) if says else nullcontext():
            assert [row.sentence1 for row in tables.read(TABLE, tmp_path / "p.parquet")] == ["Wö?"] * 2


def fetched(origin, out):
    out.mkdir()
    spec = EncoderSpec("mine", LocalFiles(str(origin)))
    return make(spec, [], None, Computing("cpu", "fp32", 1), out, out.parent / "curve.csv", None)


def test_the_size_of_an_encoder_is_known_whatever_its_architecture_calls_it(tmp_path):
    from transformers import DistilBertConfig, DistilBertModel

    DistilBertModel(DistilBertConfig(vocab_size=30, dim=8, n_layers=3, n_heads=2, hidden_dim=8)).save_pretrained(
        tmp_path / "distilbert"
    )
    facts = fetched(tmp_path / "distilbert", tmp_path / "out")
    assert (facts["layers"], facts["width"]) == (3, 8) and facts["parameters"] > 30 * 8


def test_a_users_model_may_be_trained_on_in_place(root, tmp_path):
    """Then it is scored again, and what was scored before stays as it was."""
    weights = write_encoder("bert", tmp_path / "bert") / "model.safetensors"
    before = weights.read_bytes()
    facts = fetched(tmp_path / "bert", tmp_path / "out")
    with weights.open("r+b") as file:
        file.seek(-4, 2)
        file.write(b"\1\2\3\4")
    assert (tmp_path / "out/model.safetensors").read_bytes() == before != weights.read_bytes()
    assert fetched(tmp_path / "bert", tmp_path / "again")["weights_sha256"] != facts["weights_sha256"]
    mine = project(root, papers=["own"], own={"models": {"mine": {"path": str(tmp_path / "bert")}}})
    jobs = of_project(mine)
    inputs = Work(mine, Layout(mine, jobs), jobs).encoder("own-mine").inputs["files"]
    assert os.path.relpath(weights) in inputs and len(inputs) > 2


@pytest.mark.parametrize(
    ("missing", "says"), [("config.json", "must be a transformer"), ("model.safetensors", "safetensors, in one file")]
)
def test_what_is_no_transformer_with_its_weights_in_one_file_is_refused(tmp_path, missing, says):
    (write_encoder("bert", tmp_path / "bert") / missing).rename(tmp_path / "away")
    with pytest.raises(UserError, match=f"has no {missing}: .*{says}"):
        fetched(tmp_path / "bert", tmp_path / "out")


def test_models_that_come_as_they_are_are_scored_as_their_library_does(tmp_path, make_pairs):
    from sentence_transformers import CrossEncoder, SentenceTransformer, util
    from transformers import AutoModelForSequenceClassification

    encoder = write_encoder("bert", tmp_path / "bert")
    pairs = make_pairs(*[(a, b, 1) for a, b in zip(TEXTS, TEXTS[1:] + TEXTS[:1])])
    found = library_bi_encoder.Model.open(ModelSpec("library-bi-encoder"), encoder, "cpu").score(pairs)
    theirs = SentenceTransformer(str(encoder), device="cpu")
    wanted = util.pairwise_cos_sim(theirs.encode(pairs.sentence1), theirs.encode(pairs.sentence2))
    assert found == pytest.approx(wanted.numpy(), abs=1e-5)

    for labels in (1, 3):
        folder = tmp_path / f"cross-{labels}"
        AutoModelForSequenceClassification.from_pretrained(encoder, num_labels=labels).save_pretrained(folder)
        library_bi_encoder.Model.open(ModelSpec("library-bi-encoder"), encoder, "cpu").module.tokenizer.save_pretrained(
            folder
        )
    model = library_cross_encoder.Model.open(ModelSpec("library-cross-encoder"), tmp_path / "cross-1", "cpu")
    wanted = CrossEncoder(str(tmp_path / "cross-1"), device="cpu").predict(list(zip(pairs.sentence1, pairs.sentence2)))
    assert model.score(pairs) == pytest.approx(wanted, abs=1e-6)
    model.save(tmp_path / "saved")
    assert (tmp_path / "saved/model.safetensors").read_bytes() == (tmp_path / "cross-1/model.safetensors").read_bytes()
    with pytest.raises(UserError, match="has 3 classes: only those with one score"):
        library_cross_encoder.Model.open(ModelSpec("library-cross-encoder"), tmp_path / "cross-3", "cpu")
