"""The paper preset with a local hub: the real repositories, revisions and layouts, with small contents.

The real clients fetch everything once. Then the hub shuts down, and runs are trained with the papers' recipes.
"""

import csv
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import copy_of_checkout
from loopback_hub import LoopbackHub
from semblance.config.files import read_yaml
from semblance.data import sources
from semblance.data.sources import git_blob_id
from semblance.specs.data import GeneratedCorpus
from small import write_encoder

ROWS = 60
HELD_OUT = 40  # rows held out of GLUE's QQP, which has only two labelled splits; 5,000 in the real configuration
SHAPE = {"num_hidden_layers": 1, "max_position_embeddings": 140}
ARCHITECTURES = {"FacebookAI/roberta-base": "roberta", "albert/albert-base-v2": "albert"}
VECTORS = "3 2\nthe 0.1 0.2\nis 0.3 0.1\nshop 0.2 0.9\n"
CONFIG = "preset=paper seeds=[1]"
GIVEN = "encoders: {word2vec: {source: path, path: vectors.txt}}"  # Google's are not on the hub
WITH = ("--configfile", "given.yaml", "--")


def generated(dataset: dict, split: str, count: int):
    return list(sources.rows(GeneratedCorpus(dataset["generated"]["corpus"], {split: count}), split))


def write_dataset(folder: Path, dataset: dict) -> None:
    """Write the repository of a dataset: its splits as parquet files, and the card that lists them."""
    spec = dataset["hub"]
    within = spec.get("configuration", "default")
    (folder / within).mkdir(parents=True, exist_ok=True)
    for ours, theirs in spec["splits"].items():
        made = generated(dataset, ours, ROWS + HELD_OUT * (ours == "train"))
        labels = [float(row.label) if "." in row.label else int(row.label) for row in made]
        values = {"sentence1": [r.sentence1 for r in made], "sentence2": [r.sentence2 for r in made]}
        values |= {"label": labels, "group": ["news"] * len(made)}
        columns = {column: values[key] for key, column in spec["columns"].items()}
        pq.write_table(pa.table(columns), folder / within / f"{theirs}-00000-of-00001.parquet")
    card = folder / "README.md"
    known = card.read_text().removeprefix("---\nconfigs:\n").removesuffix("---\n") if card.exists() else ""
    known += f"- config_name: {within}\n  data_files:\n" + "".join(
        f"  - split: {theirs}\n    path: {within}/{theirs}-*\n" for theirs in spec["splits"].values()
    )
    card.write_text(f"---\nconfigs:\n{known}---\n")


def write_course_file(path: Path, dataset: dict, split: str) -> str:
    """Write one of CS224N's files and return its git blob id."""
    label = {"binary": "is_duplicate", "score": "similarity"}.get(dataset["label"], "sentiment")
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = ("sentence",) if label == "sentiment" else ("sentence1", "sentence2")
    with path.open("w", newline="") as file:
        lines = csv.writer(file, delimiter="\t")
        lines.writerow(["", "id", *texts, label])
        for row in generated(dataset, split, ROWS):
            lines.writerow([row.line, f"id{row.line}", *(row.sentence1, row.sentence2)[: len(texts)], row.label])
    return git_blob_id(path.read_bytes())


CHAIN = "results/paper/runs/stl/bert-qqp-stsb/seed-1/predictions"


@pytest.fixture(scope="module")
def paper(tmp_path_factory, root):
    """Return a workspace that uses a local hub, and the hub."""
    folder, workspace = tmp_path_factory.mktemp("hub"), copy_of_checkout(tmp_path_factory.mktemp("paper"))
    revisions, datasets = {}, read_yaml(root / "config/datasets.yaml")
    for name, dataset in datasets.items():
        if "hub" in dataset and name not in ("qqp-tenth", "qqp-sweep", "snli-triplets"):  # other names
            write_dataset(folder / "datasets" / dataset["hub"]["repo"], dataset)
            revisions[dataset["hub"]["repo"]] = dataset["hub"]["revision"]
    for encoder in read_yaml(root / "config/encoders.yaml").values():
        if "repo" in encoder.get("hub", {}):
            repository = encoder["hub"]["repo"]
            place = folder / "models" / repository
            write_encoder(ARCHITECTURES.get(repository, "bert"), place, **SHAPE)
            (place / "pytorch_model.bin").write_bytes(b"a pickle")
            revisions[repository] = encoder["hub"]["revision"]
    hub = LoopbackHub(folder, revisions)
    for dataset in datasets.values():
        for split, file in dataset.get("repository", {}).get("splits", {}).items():
            course = dataset["repository"]
            if (folder / "raw" / course["commit"] / file).exists():  # datasets that hold out rows share files
                continue
            blob = write_course_file(folder / "raw" / course["commit"] / file, dataset, split)
            workspace.edit("config/datasets.yaml", course["blobs"][split], blob)
    workspace.edit("config/datasets.yaml", course["url"], f"{hub.url}/raw")
    workspace.edit("config/datasets.yaml", "{from: train, rows: 5000}", f"{{from: train, rows: {HELD_OUT}}}")
    (workspace.path / "vectors.txt").write_text(VECTORS)
    (workspace.path / "given.yaml").write_text(GIVEN)
    yield workspace, hub
    hub.shutdown()


def test_all_is_fetched_at_its_pinned_revision_and_then_runs_without_the_hub(paper, tmp_path):
    workspace, hub = paper
    online = {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "home"), "NO_PROXY": "127.0.0.1"}
    workspace.snakemake(*WITH, "fetched", config=CONFIG, hub=online)
    results = workspace.path / "results/paper"
    facts = {path.parent.name: json.loads(path.read_text()) for path in results.glob("data/*/facts.json")}
    assert Counter(found["source"] for found in facts.values()) == {
        "hub": 8,
        "repository": 7,
        "project": 2,
        "generated": 1,
    }
    encoders = [json.loads(path.read_text()) for path in results.glob("encoders/*/facts.json")]
    asked = {found["repo"]: found["revision"] for found in encoders if "repo" in found}
    assert asked.items() <= hub.revision.items() and len(asked) == 5
    assert not any(request.endswith(".bin") for request in hub.requests)
    files = [request for request in hub.requests if "/resolve/" in request]
    assert files and all(any(revision in request for revision in hub.revision.values()) for request in files)

    hub.shutdown()
    offline = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path / "empty"), "HF_HUB_OFFLINE": "1"}
    workspace.snakemake(*WITH, CHAIN, config=CONFIG, hub=offline)
    chain = workspace.folder("predictions", "stl/bert-qqp-stsb", preset="paper")
    assert {file.stem for file in chain.glob("*.parquet")} >= {"stsb-test", "qqp-validation", "stress-extended-test"}
    made = workspace.folder("training", "stl/bert-qqp", preset="paper")
    recipe = json.loads((made / "facts.json").read_text())["spec"]["stages"][0]["recipe"]
    assert (recipe["epochs"], recipe["batch_size"], recipe["learning_rate"]) == (3, 32, 2e-5)


def test_another_revision_of_a_corpus_is_fetched_and_what_learnt_from_it_made_again(paper):
    workspace, hub = paper
    revision = hub.revision["mteb/stsbenchmark-sts"]
    workspace.edit("config/datasets.yaml", revision, "f" * 40)
    planned = workspace.planned(*WITH, CHAIN, config=CONFIG)
    workspace.edit("config/datasets.yaml", "f" * 40, revision)
    # bert-qqp is not trained again
    assert planned == {"fetch_dataset": 1, "train": 1, "predict": 1}
    assert workspace.planned(*WITH, CHAIN, config=CONFIG) == {}
