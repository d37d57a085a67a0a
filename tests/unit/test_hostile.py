"""Readers of files with any content return rows or raise a UserError, and do nothing else."""

import json
import pickle
from typing import get_args

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from semblance.config.files import read_yaml
from semblance.data import tables
from semblance.data.formats import Row, reader
from semblance.errors import UserError
from semblance.specs.data import Format, UserTable

HEADERS = {
    "glue-qqp-tsv": "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n",
    "stsb-csv": "",
    "msr-paraphrase": "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n",
    "snli-jsonl": "",
    "cs224n-csv": "\tid\tsentence1\tsentence2\tis_duplicate\n",
    "stress-csv": "split,sentence1,sentence2,label,type\n",
}
NASTY = [
    "\0",
    "\ufeff",
    "\t",
    '"',
    "\r",
    "\x85",
    "\u2028",
    "💥",
    "שלום",
    "{",
    "[",
    "}",
    ",",
    "\\",
    "NaN",
    "1e999",
    "\n",
]
LINES = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=12)), max_size=40).map("".join)
CONTENT = st.one_of(st.binary(max_size=300), LINES.map(lambda text: text.encode("utf-8", "surrogatepass")))
TABLE = UserTable({}, {"sentence1": "a", "sentence2": "b", "label": "c"}, lowest=0, highest=1)
DEEP, LONG = b"[" * 100_000, b"x" * 200_000
QUICK = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def rows_or_one_sentence(read) -> None:
    try:
        found = list(read())
    except UserError as problem:
        assert str(problem).strip()
    else:
        assert all(isinstance(row, Row) for row in found)


@pytest.mark.parametrize("form", get_args(Format))
@given(content=CONTENT, with_header=st.booleans())
@example(content=b'{"sentence1": ' + DEEP, with_header=False)
@example(content=b'0\t1\t"' + LONG, with_header=True)
@example(content="\ud800".encode("utf-8", "surrogatepass"), with_header=True)
@QUICK
def test_an_official_file_of_anything(form, content, with_header, tmp_path):
    path = tmp_path / "file"
    path.write_bytes((HEADERS[form].encode() if with_header else b"") + content)
    rows_or_one_sentence(lambda: reader(form)(path, "train"))


@pytest.mark.parametrize("ending", tables.READERS)
@given(content=CONTENT, with_header=st.booleans())
@example(content=b'{"a": ' + DEEP, with_header=False)
@example(content=b'{"a": "x", "b": "y", "c": NaN}', with_header=False)
@example(content=b'"' + LONG, with_header=True)
@example(content=b"x,y,inf\n", with_header=True)
@QUICK
def test_a_users_file_of_anything(ending, content, with_header, tmp_path):
    path = tmp_path / f"file{ending}"
    header = {".csv": b"a,b,c\n", ".tsv": b"a\tb\tc\n"}.get(ending, b"")
    path.write_bytes((header if with_header else b"") + content)
    rows_or_one_sentence(lambda: tables.read(TABLE, path))


@given(
    values=st.lists(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)), max_size=4)
)
@QUICK
def test_json_lines_of_any_values(values, tmp_path):
    path = tmp_path / "file.jsonl"
    path.write_text("".join(json.dumps({"a": "x", "b": value, "c": value}) + "\n" for value in values))
    rows_or_one_sentence(lambda: tables.read(TABLE, path))


@given(content=CONTENT)
@example(content=b"2024-13-45: x")
@example(content=b"? [a, b]\n: x")
@example(content=b"a: " + b"[" * 5_000)
@example(content=b"a: !!python/object/apply:os.system [touch ran]")
@example(content=b"a: &a [x, *a]")
@QUICK
def test_a_configuration_of_anything(content, tmp_path):
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    try:
        assert isinstance(read_yaml(path), dict)
    except UserError as problem:
        assert str(problem).strip()


def test_yaml_constructs_no_objects(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(f"a: !!python/object/apply:pathlib.Path.touch [!!python/object:pathlib.Path {tmp_path}/ran]")
    with pytest.raises(UserError, match="could not determine a constructor"):
        read_yaml(path)
    assert not (tmp_path / "ran").exists()


def test_a_pickle_is_no_parquet(tmp_path):
    path = tmp_path / "pairs.parquet"
    path.write_bytes(pickle.dumps({"a": 1}))
    with pytest.raises(UserError, match="cannot be read"):
        list(tables.read(TABLE, path))
