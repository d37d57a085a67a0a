"""Readers and preparation: quirks of the official files, errors for invalid rows, disjoint splits."""

import csv
import json
import subprocess
import threading
from collections import Counter
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from semblance.data import rows, sources, triplets
from semblance.data.cues import edit_similarity, length_ratio, overlap
from semblance.data.formats import reader
from semblance.data.prepare import prepare
from semblance.data.sources import git_blob_id
from semblance.errors import UserError
from semblance.evaluation import metrics
from semblance.evaluation.cells import measure
from semblance.specs.cells import CellSpec, Subset
from semblance.specs.data import DatasetSpec, HeldOut, OfficialFiles, RepositoryFiles

STSB = DatasetSpec("score", ("train", "test"), "refuse")
QQP_TRAIN = DatasetSpec("binary", ("train",), "drop")
QQP = replace(
    QQP_TRAIN, splits=("train", "dev", "validation"), unlabelled=("test",), held_out={"dev": HeldOut("train", 2)}
)
HEADER = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"


def stsb_line(score, first, second, *more):
    return "\t".join(["main-news", "MSRpar", "2012test", "0001", str(score), first, second, *more])


def run(folder: Path, name: str, spec: DatasetSpec, form: str, files: dict) -> dict:
    (folder / "out").mkdir(exist_ok=True)
    prepare(name, spec, OfficialFiles(form, files, folder=str(folder)), folder / "out")
    return json.loads((folder / "out" / "facts.json").read_text())["splits"]


def stsb(folder: Path, train: list[str], test: list[str]) -> dict:
    (folder / "train.csv").write_text("\n".join(train) + "\n", encoding="utf-8")
    (folder / "test.csv").write_text("\n".join(test) + "\n", encoding="utf-8")
    return run(folder, "stsb", STSB, "stsb-csv", {"train": "train.csv", "test": "test.csv"})


def qqp(folder: Path, train: list[str], validation: list[str]) -> dict:
    (folder / "train.tsv").write_text("\n".join([HEADER, *train]) + "\n", encoding="utf-8")
    (folder / "dev.tsv").write_text("\n".join([HEADER, *validation]) + "\n", encoding="utf-8")
    files = {"train": "train.tsv", "validation": "dev.tsv", "test": "test.tsv"}
    return run(folder, "qqp", QQP, "glue-qqp-tsv", files)


def qqp_lines(count, start=0):
    return [f"{n}\t1\t2\tWhat is {n}?\tWhat would {n} be?\t{n % 2}" for n in range(start, start + count)]


def test_stsb_rows_with_extra_columns_and_quotes_are_read_as_they_stand(tmp_path):
    train = [stsb_line(2.5, 'He said "no.', "She said yes.", "http://a", "http://b"), stsb_line(5, "One.", "Uno.")]
    facts = stsb(tmp_path, train, [stsb_line(0, "A.", "B.")])
    read = rows.read(tmp_path / "out" / "train.parquet")
    assert read.sentence1 == ['He said "no.', "One."] and list(read.label) == [2.5, 5.0]
    assert list(read.targets) == [0.5, 1.0] and read.group == ["main-news", "main-news"]
    assert facts["train"]["read"] == facts["train"]["used"] == 2


def test_qqp_quotes_are_text_and_empty_questions_are_dropped_and_counted(tmp_path):
    odd = '90\t1\t2\t"What does ""it"" mean?"\tWhat is "it\t1'
    facts = qqp(tmp_path, [*qqp_lines(30), odd, "91\t1\t2\t\tWhy?\t0"], qqp_lines(4, 50))
    assert (
        '"What does ""it"" mean?"'
        in rows.read(tmp_path / "out" / "train.parquet").sentence1
        + rows.read(tmp_path / "out" / "dev.parquet").sentence1
    )
    assert (facts["train"]["read"], facts["train"]["empty"]) == (32, 1)
    assert facts["test"] == {"read": None, "used": 0}


def test_qqp_rows_that_a_line_break_divides_are_dropped_and_counted_but_not_a_torn_end(tmp_path):
    """Line 97,931 of GLUE's train.tsv is such a part."""
    divided = ['90\t1\t2\tWho was he?\t"', '"\tWas he real? What is the evidence?\t0']
    facts = qqp(tmp_path, [*qqp_lines(30), *divided, "91\t1\t2\tWho?\tWhy?\t0"], qqp_lines(4, 50))
    assert (facts["train"]["read"], facts["train"]["empty"]) == (33, 2)
    for torn, says in (("91\t1\t2\tWho?", "line 32: the last line has fewer"), (f"{divided[0]}\t\t\t", "8 columns")):
        with pytest.raises(UserError, match=says):
            qqp(tmp_path, [*qqp_lines(30), torn], qqp_lines(4, 50))


def test_rows_held_out_of_train_count_once_in_a_corpus():
    class Recorded:
        def dataset(self, name):
            return {"splits": {"train": {"read": 9}, "dev": {"read": 2, "held_out_of": "train"}, "test": {"read": 4}}}

    def rows_of(split):
        return measure(CellSpec("rows", dataset="d", split=split), Recorded()).value

    assert (rows_of("train+dev+test"), rows_of("dev+test"), rows_of("dev")) == (13, 6, 2)


def test_groups_of_rows_are_counted_together():
    class Recorded:
        def dataset(self, name):
            return {"splits": {"test": {"read": 9, "groups_read": {"x": 4, "y": 3, "z": 2}}}}

    cell = CellSpec("rows", dataset="d", split="test", subset=Subset(group="x+y"))
    assert measure(cell, Recorded()).value == 7


def test_a_slice_is_held_out_of_train_where_the_source_ships_none(tmp_path):
    facts = qqp(tmp_path, qqp_lines(30), qqp_lines(4, 50))
    train, dev = (rows.read(tmp_path / "out" / f"{s}.parquet") for s in ("train", "dev"))
    assert len(dev) == 2 and len(train) == 28 and not set(train.id) & set(dev.id)
    assert facts["dev"]["held_out_of"] == "train"


def test_of_few_rows_a_tenth_is_held_out(tmp_path):
    assert qqp(tmp_path, qqp_lines(15), qqp_lines(4, 50))["dev"]["used"] == 1


def test_a_pair_of_a_scored_split_is_dropped_from_train_in_whatever_order_and_case(tmp_path):
    train = [stsb_line(1, "B.", " a."), stsb_line(2, "C.", "D.")]
    facts = stsb(tmp_path, train, [stsb_line(1, "A.", "b.")])
    assert rows.read(tmp_path / "out" / "train.parquet").sentence1 == ["C."]
    assert facts["train"]["overlapping"] == 1 and facts["test"]["overlapping"] == 0


def test_a_pair_of_dev_and_of_a_scored_split_is_dropped_from_dev(tmp_path):
    spec = replace(STSB, splits=("train", "dev", "validation"))
    for split in spec.splits:
        lines = [stsb_line(1, "A.", "b."), stsb_line(2, f"{split}.", "d.")]
        (tmp_path / f"{split}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    facts = run(tmp_path, "stsb", spec, "stsb-csv", {split: f"{split}.csv" for split in spec.splits})
    assert {split: facts[split]["overlapping"] for split in spec.splits} == {"train": 1, "dev": 1, "validation": 0}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (stsb_line(5.2, "A.", "C."), "stsb: train.csv row 1: the label is '5.2', but must be from 0 to 5"),
        (stsb_line("nan", "A.", "C."), "row 1: the label is 'nan'"),
        (stsb_line("high", "A.", "C."), "row 1: the label 'high' is not a number"),
        (stsb_line(3, "A.", "  "), "row 1: a sentence is empty"),
        ("main-news\tMSRpar\t2012", "train.csv line 1: 3 columns where there must be at least 7"),
    ],
)
def test_a_bad_row_is_refused_naming_file_row_and_reason(tmp_path, line, says):
    with pytest.raises(UserError, match=says.replace("(", r"\(")):
        stsb(tmp_path, [line], [stsb_line(1, "A.", "B.")])
    assert not list(tmp_path.glob("out/train*"))


def test_a_binary_label_is_0_or_1(tmp_path):
    with pytest.raises(UserError, match="must be 0 or 1"):
        qqp(tmp_path, [*qqp_lines(20), "1\t1\t2\tA?\tB?\t0.5"], qqp_lines(4, 50))


def test_a_missing_column_is_named(tmp_path):
    (tmp_path / "train.tsv").write_text("id\tquestion1\tis_duplicate\n1\tA?\t0\n")
    (tmp_path / "dev.tsv").write_text("id\tquestion1\tis_duplicate\n1\tA?\t0\n")
    with pytest.raises(UserError, match="the header has no column 'question2'"):
        run(tmp_path, "qqp", QQP, "glue-qqp-tsv", {"train": "train.tsv", "validation": "dev.tsv"})


def test_mrpc_without_labels_is_refused_with_the_name_of_their_column(tmp_path):
    (tmp_path / "train.txt").write_text("#1 ID\t#2 ID\t#1 String\t#2 String\n1\t2\tA.\tB.\n")
    with pytest.raises(UserError, match="the header has no column 'Quality'"):
        list(reader("msr-paraphrase")(tmp_path / "train.txt", "train"))


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path):
    with pytest.raises(UserError, match="train.csv is not there"):
        run(tmp_path, "stsb", STSB, "stsb-csv", {"train": "train.csv", "test": "test.csv"})
    (tmp_path / "train.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="not UTF-8"):
        run(tmp_path, "stsb", STSB, "stsb-csv", {"train": "train.csv", "test": "train.csv"})


def test_a_sub_sample_is_the_same_every_time(tmp_path):
    lines = [stsb_line(1, f"A {n}.", f"B {n}.") for n in range(50)]
    ids = []
    for _ in range(2):
        (tmp_path / "train.csv").write_text("\n".join(lines), encoding="utf-8")
        files = {"train": "train.csv", "test": "train.csv"}
        spec = replace(STSB, splits=("train",), rows={"train": 10})
        facts = run(tmp_path, "stsb", spec, "stsb-csv", files)
        assert (facts["train"]["read"], facts["train"]["used"]) == (50, 10)
        ids.append(rows.read(tmp_path / "out" / "train.parquet").id)
    assert ids[0] == ids[1]


def test_a_parquet_file_of_another_make_is_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": [1]}), tmp_path / "x.parquet")
    with pytest.raises(UserError, match="not a prepared split"):
        rows.read(tmp_path / "x.parquet")


def test_distinct_sentences_and_where_they_stand(make_pairs):
    sentences, where = make_pairs(("a", "b", 1), ("b", "c", 0), ("a", "a", 1)).distinct_sentences()
    assert sentences == ["a", "b", "c"] and where.tolist() == [[0, 1], [1, 2], [0, 0]]


def test_the_stress_suite_has_the_papers_design(root):
    """stl, section IV-C: 8 types of 4 pairs, 15 positive, 12 in dev, 20 in test; test pairs per type as in Table IV."""
    with (root / "resources/stress/suite.csv").open() as file:
        suite = list(csv.DictReader(file))
    assert len(suite) == 32 and sum(int(r["label"]) for r in suite) == 15
    assert set(Counter(r["type"] for r in suite).values()) == {4}
    test = [r for r in suite if r["split"] == "test"]
    threes = dict.fromkeys(("direction", "comparative", "numeric", "role-swap", "inc-dec"), 3)
    assert Counter(r["type"] for r in test) == {"quantifier": 1, "modal": 2, "negation": 2, **threes}
    assert len({r["id"] for r in suite}) == 32


@pytest.mark.parametrize("cue", [overlap, edit_similarity, length_ratio])
@pytest.mark.parametrize("split", [("dev",), ("test",), ("dev", "test")])
def test_the_surface_cannot_tell_the_labels_of_the_stress_suite(root, split, cue):
    with (root / "resources/stress/suite.csv").open() as file:
        suite = [row for row in csv.DictReader(file) if row["split"] in split]
    targets = np.array([float(row["label"]) for row in suite])
    scores = np.array([cue(row["sentence1"], row["sentence2"]) for row in suite])
    assert 0.4 <= metrics.compute("roc-auc", targets, scores) <= 0.6


def test_texts_of_one_or_two_characters_are_dropped_and_counted_where_the_dataset_says_so(tmp_path):
    lines = [*qqp_lines(20), "90\t1\t2\tWhy\tHow come?\t1", "91\t1\t2\t a? \tWhat is a?\t1", "92\t1\t2\t\tWhat?\t0"]
    (tmp_path / "train.tsv").write_text("\n".join([HEADER, *lines]) + "\n")
    spec = replace(QQP_TRAIN, minimum_characters=3)
    facts = run(tmp_path, "qqp-tenth", spec, "glue-qqp-tsv", {"train": "train.tsv"})
    assert facts["train"]["read"] == 23 and facts["train"]["used"] == 21
    assert (facts["train"]["empty"], facts["train"]["short"]) == (1, 1)
    assert "Why" in rows.read(tmp_path / "out" / "train.parquet").sentence1


def test_msr_paraphrase_rows_are_read_as_they_stand(tmp_path):
    header = "\ufeffQuality\t#1 ID\t#2 ID\t#1 String\t#2 String"
    lines = ['1\t7\t8\tHe said "no.\tShe said no.', "0\t9\t10\tA\u2028b.\tC."]
    (tmp_path / "train.txt").write_text("\r\n".join([header, *lines]) + "\r\n", encoding="utf-8", newline="")
    spec = replace(QQP_TRAIN, empty_text="refuse")
    run(tmp_path, "mrpc", spec, "msr-paraphrase", {"train": "train.txt"})
    read = rows.read(tmp_path / "out" / "train.parquet")
    assert read.sentence1 == ['He said "no.', "A\u2028b."] and list(read.label) == [1, 0]


NLI = DatasetSpec("inference", ("train",), "refuse")


def snli(folder: Path, *records) -> dict:
    lines = [
        r if isinstance(r, str) else json.dumps(dict(zip(("gold_label", "sentence1", "sentence2"), r))) for r in records
    ]
    (folder / "snli.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return run(folder, "snli", NLI, "snli-jsonl", {"train": "snli.jsonl"})


def test_snli_classes_are_numbered_and_rows_without_one_are_dropped_and_counted(tmp_path):
    facts = snli(
        tmp_path,
        ("contradiction", "A man\u2028sleeps.", "He runs."),
        ("-", "A man sits.", "A man waits."),
        ("entailment", "A dog runs.", "An animal runs."),
        ("neutral", "A girl sings.", "She is famous."),
    )
    read = rows.read(tmp_path / "out" / "train.parquet")
    assert list(read.targets) == [2, 0, 1] and read.kind == "inference" and "\u2028" in read.sentence1[0]
    assert facts["train"]["read"] == 4 and facts["train"]["undecided"] == 1
    assert facts["train"]["classes"] == {"entailment": 1, "neutral": 1, "contradiction": 1}


def test_premises_are_sampled_with_all_their_hypotheses(tmp_path):
    """Of 30 premises with three hypotheses each, 20 rows are six whole premises: as many triplets."""
    lines = [
        json.dumps({"gold_label": label, "sentence1": f"Premise {n}.", "sentence2": f"{label} {n}."})
        for label in ("entailment", "neutral", "contradiction")
        for n in range(30)
    ]
    (tmp_path / "snli.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    few, files = replace(NLI, rows={"train": 20}), {"train": "snli.jsonl"}
    run(tmp_path, "snli", replace(few, sampled_by="premise"), "snli-jsonl", files)
    sampled = rows.read(tmp_path / "out" / "train.parquet")
    assert len(sampled) == 18 and set(Counter(sampled.sentence1).values()) == {3}
    assert len(triplets.of_inference(sampled, 0).targets) == 6
    run(tmp_path, "snli", replace(few, rows={"train": 21}, sampled_by="premise"), "snli-jsonl", files)
    assert len(rows.read(tmp_path / "out" / "train.parquet")) == 21
    run(tmp_path, "snli", few, "snli-jsonl", files)
    assert len(rows.read(tmp_path / "out" / "train.parquet")) == 20


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (("maybe", "A.", "B."), "the label 'maybe' is not one of entailment, neutral, contradiction"),
        ('{"gold_label": "neutral"', "line 1: JSONDecodeError"),
        ('{"gold_label": "neutral", "sentence1": "A."}', "KeyError"),
        ('{"gold_label": 1, "sentence1": "A.", "sentence2": "B."}', "must be texts"),
        ("[]", "line 1: TypeError"),
        ('{"gold_label": "neutral", "sentence1": "A.", "sentence2": "B.", "genre": 1}', "genre must be texts"),
        ('{"gold_label": "neutral", "sentence1": "\\ud83d", "sentence2": "B."}', "row 1: a text is no valid Unicode"),
        (("-", "A.", "B."), r"snli.jsonl has no row to use \(1 undecided\): fetch it again"),
    ],
)
def test_snli_rows_that_cannot_be_are_refused(tmp_path, record, message):
    with pytest.raises(UserError, match=message):
        snli(tmp_path, record)


SST = DatasetSpec("sentiment", ("train",), "refuse", unlabelled=("test",))
REVIEWS = """\tid\tsentence\tsentiment
0\ta1\t A film 's "own" story .\t3
1\tb2\t"He said ""no"" ,
and left\tearly ."\t0
"""


def cs224n(folder: Path, text: str, spec: DatasetSpec) -> dict:
    (folder / "train.csv").write_text(text, encoding="utf-8")
    return run(folder, "corpus", spec, "cs224n-csv", {"train": "train.csv", "test": "missing.csv"})


def test_cs224n_rows_keep_quotes_tabs_and_line_breaks_and_have_one_sentence_or_two(tmp_path):
    facts = cs224n(tmp_path, REVIEWS, SST)
    read = rows.read(tmp_path / "out" / "train.parquet")
    assert read.sentence1 == [""" A film 's "own" story .""", 'He said "no" ,\nand left\tearly .']
    assert read.sentence2 == ["", ""] and list(read.targets) == [3, 0] and read.columns == (read.sentence1,)
    assert facts["train"]["classes"]["somewhat positive"] == 1 and facts["test"] == {"read": None, "used": 0}
    assert read.distinct_sentences()[1].tolist() == [[0], [1]]


def test_cs224n_pairs_that_lack_a_sentence_or_a_label_are_dropped_and_counted_as_the_course_does(tmp_path):
    text = "\tid\tsentence1\tsentence2\tis_duplicate\n0\ta\tWhy?\tHow?\t1.0\n1\tb\tWhy?\t\t0.0\n2\tc\tWho?\tWhat?\n"
    spec = replace(SST, label="binary", empty_text="drop")
    facts = cs224n(tmp_path, text, spec)
    assert (facts["train"]["read"], facts["train"]["empty"], facts["train"]["used"]) == (3, 2, 1)
    with pytest.raises(UserError, match="row 4: the label is empty"):
        cs224n(
            tmp_path,
            text.replace("1\tb\tWhy?\t\t0.0\n", "1\tb\tWhy?\tHow so?\t0.0\n"),
            replace(spec, empty_text="refuse"),
        )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("\t3\n", "\t7\n", "row 2: the label is '7', but must be from 0 to 4"),
        ("\t3\n", "\t-1\n", "row 2: the label is '-1', but must be from 0 to 4"),
        ('\t A film \'s "own" story', '\t"A film', "line 2: a quotation mark without its end hides rows"),
        ("\t3\n", "\tgood\n", "the label 'good' is not one of negative, somewhat negative"),
        ("sentence\t", "text\t", "the header has no column 'sentence'"),
        (' A film \'s "own" story .', "  ", "row 2: a sentence is empty"),
    ],
)
def test_cs224n_rows_that_cannot_be_are_refused(tmp_path, old, new, says):
    with pytest.raises(UserError, match=says):
        cs224n(tmp_path, REVIEWS.replace(old, new), SST)


def test_a_git_blob_id_is_gits(tmp_path):
    (tmp_path / "f").write_bytes(b"one\r\ntwo\0")
    said = subprocess.run(
        ["git", "hash-object", "--no-filters", tmp_path / "f"], capture_output=True, text=True, check=True
    )
    assert git_blob_id(b"one\r\ntwo\0") == said.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    """Serve one file of one commit of a repository over HTTP on loopback; return its source."""
    commit = "c" * 40
    (tmp_path / commit / "data").mkdir(parents=True)
    (tmp_path / commit / "data/train.csv").write_text(REVIEWS)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_) -> None:
            pass

        def do_GET(self) -> None:
            if "torn" in self.path:
                self.send_response(200)
                self.send_header("Content-Length", "100")
                self.end_headers()
                self.wfile.write(b"id")
            else:
                super().do_GET()

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield RepositoryFiles(
        url=f"http://127.0.0.1:{server.server_address[1]}",
        commit=commit,
        format="cs224n-csv",
        splits={"train": "data/train.csv"},
        blobs={"train": git_blob_id(REVIEWS.encode())},
    )
    server.shutdown()


def test_a_repositorys_file_is_read_at_its_commit_if_it_is_the_pinned_one(repository):
    assert [row.label for row in sources.rows(repository, "train")] == ["3", "0"]
    assert sources.provenance(repository, "train")["git_blob"] == repository.blobs["train"]
    with pytest.raises(UserError, match="is not the file with git blob id aaaaaaaaaaaa…: it is truncated or altered"):
        list(sources.rows(replace(repository, blobs={"train": "a" * 40}), "train"))
    with pytest.raises(UserError, match="cannot be fetched .*404.*: check the network, or set data_source: files"):
        list(sources.rows(replace(repository, commit="d" * 40), "train"))
    with pytest.raises(UserError, match="torn.csv cannot be fetched .*IncompleteRead.*: check the network"):
        list(sources.rows(replace(repository, splits={"train": "data/torn.csv"}), "train"))
