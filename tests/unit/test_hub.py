"""Datasets and encoders from the hub, with the real huggingface_hub and datasets clients and a local hub.

The clients read HF_ENDPOINT when they are imported, so every case runs in its own process.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from loopback_hub import LoopbackHub

REVISION = "a" * 40
SOURCE = {
    "repo": "owner/pairs",
    "configuration": None,
    "revision": REVISION,
    "splits": {"train": "train", "validation": "validation"},
    "columns": {"sentence1": "question1", "sentence2": "question2", "label": "label"},
}
ENCODER = {"repo": "owner/encoder", "revision": REVISION}
READ = """
import json, sys
from semblance.data import sources
from semblance.errors import UserError
from semblance.specs.data import HubTable
try:
    print(json.dumps([vars(r) for r in sources.rows(HubTable(**json.loads(sys.argv[1])), "validation")]))
except UserError as problem:
    print("UserError:", problem)
"""
FETCH = """
import json, sys
from pathlib import Path
from semblance.encoders.fetch import fetch
from semblance.errors import UserError
from semblance.specs.encoders import HubModel
try:
    print(json.dumps(fetch(HubModel(**json.loads(sys.argv[1])), Path(sys.argv[2]))))
except UserError as problem:
    print("UserError:", problem)
"""


@pytest.fixture
def hub(tmp_path):
    dataset, model = tmp_path / "hub/datasets/owner/pairs", tmp_path / "hub/models/owner/encoder"
    dataset.mkdir(parents=True)
    model.mkdir(parents=True)
    for split, label in (("train", 0), ("validation", 1)):
        table = pa.table({"question1": ["A?"], "question2": ["B?"], "label": [label], "idx": [0]})
        pq.write_table(table, dataset / f"{split}-00000-of-00001.parquet")
    for name in ("config.json", "tokenizer.json", "model.safetensors", "pytorch_model.bin", "modeling_custom.py"):
        (model / name).write_text("{}")
    server = LoopbackHub(tmp_path / "hub", REVISION)
    yield server
    server.shutdown()


def python(code: str, *arguments: str, url: str, home: Path, root: Path, **environment: str) -> str:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    settings = {"HF_ENDPOINT": url, "HF_HOME": str(home), "PYTHONPATH": str(root / "workflow/scripts"), **environment}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**inherited, **settings},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_a_dataset_is_read_at_its_pinned_revision(hub, tmp_path, root):
    rows = json.loads(python(READ, json.dumps(SOURCE), url=hub.url, home=tmp_path / "home", root=root))
    assert rows == [{"line": 1, "sentence1": "A?", "sentence2": "B?", "label": "1", "group": None}]
    assert any(REVISION in request for request in hub.requests)


def test_a_dataset_once_read_is_read_again_without_the_hub(hub, tmp_path, root):
    ask = {"home": tmp_path / "home", "root": root}
    first = python(READ, json.dumps(SOURCE), url=hub.url, **ask)
    hub.shutdown()
    assert python(READ, json.dumps(SOURCE), url=hub.url, HF_HUB_OFFLINE="1", **ask) == first


def test_another_revision_is_refused_in_one_sentence(hub, tmp_path, root):
    wrong = json.dumps({**SOURCE, "revision": "b" * 40})
    said = python(READ, wrong, url=hub.url, home=tmp_path / "home", root=root)
    assert said.startswith("UserError: owner/pairs at bbbbbbbb on the hub cannot be fetched")


def test_a_missing_column_is_named(hub, tmp_path, root):
    wrong = json.dumps({**SOURCE, "columns": {**SOURCE["columns"], "label": "is_duplicate"}})
    said = python(READ, wrong, url=hub.url, home=tmp_path / "home", root=root)
    assert "there is no column 'is_duplicate', only question1" in said


@pytest.mark.parametrize(("code", "spec"), [(READ, SOURCE), (FETCH, ENCODER)])
def test_an_unreachable_hub_is_said_with_what_to_do(tmp_path, root, code, spec):
    spec = json.dumps({**spec, "repo": "owner/none"})
    home = {"home": tmp_path / "home", "root": root}
    impatient = "import time; time.sleep = lambda seconds: None\n" + code  # else the client waits between its retries
    said = python(impatient, spec, str(tmp_path / "out"), url="http://127.0.0.1:9", **home)
    assert said.startswith("UserError:") and "check the network, or set" in said


def test_an_encoder_is_fetched_without_pickles_or_code(hub, tmp_path, root):
    spec = json.dumps(ENCODER)
    facts = json.loads(python(FETCH, spec, str(tmp_path / "out"), url=hub.url, home=tmp_path / "home", root=root))
    assert facts["revision"] == REVISION and len(facts["weights_sha256"]) == 64
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"config.json", "tokenizer.json", "model.safetensors"}
    assert not any(request.endswith((".bin", ".py")) for request in hub.requests)


def test_a_torn_download_is_gone_on_with_where_it_broke(hub, tmp_path, root):
    weights = tmp_path / "hub/models/owner/encoder/model.safetensors"
    weights.write_bytes(bytes(range(256)) * 100_000)  # more than two of the client's chunks
    hub.torn = {"model.safetensors"}
    spec = json.dumps(ENCODER)
    ask = {"url": hub.url, "home": tmp_path / "home", "root": root}
    facts = json.loads(python(FETCH, spec, str(tmp_path / "out"), **ask))
    assert facts["weights_sha256"] == hashlib.sha256(weights.read_bytes()).hexdigest()
    assert hub.ranges == ["model.safetensors from 10485760"]


def test_a_wrong_checksum_is_refused(hub, tmp_path, root):
    spec = {**ENCODER, "sha256": {"model.safetensors": "0" * 64}}
    said = python(FETCH, json.dumps(spec), str(tmp_path / "out"), url=hub.url, home=tmp_path / "home", root=root)
    assert "fails its checksum" in said
