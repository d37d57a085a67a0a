"""The demo's key scores detect a broken loss, mask or network."""

import json
import shutil

import pytest

from conftest import ROOT, Workspace, copy_of_checkout
from measured import EMPTY
from semblance.config.files import read_yaml
from semblance.evaluation.expected import Expected, checks
from semblance.planning.jobs import of_project
from semblance.planning.layout import Layout
from semblance.results import Results
from semblance.specs.typed import typed

DEMO = "preset=demo device=cpu"
EXPECTED = read_yaml(ROOT / "tests/expected/demo.yaml")["runs"]
BREAKS = {
    # All labels become 0.5.
    "loss": (
        "stl/bert-qqp",
        "workflow/scripts/semblance/objectives/binary_cross_entropy.py",
        "(logits, labels)",
        "(logits, 0 * labels + 0.5)",
    ),
    # Attention sees only the first four tokens.
    "mask": (
        "stl/bert-qqp",
        "workflow/scripts/semblance/tokens.py",
        "torch.from_numpy(mask.astype(np.int64))",
        "torch.from_numpy((mask & (along < 4)).astype(np.int64))",
    ),
    # The second sentence is compared with itself.
    "network": (
        "sn3d/sa-fa-1-pooling-qqp",
        "workflow/scripts/semblance/models/siamese_3d/network.py",
        "x, y = self.extracted(x, x_mask), self.extracted(y, y_mask)\n        found",
        "x, y = self.extracted(y, y_mask), self.extracted(y, y_mask)\n        x_mask = y_mask\n        found",
    ),
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Workspace:
    """A workspace with the demo preset, without shared jobs, and its tiny BERT. Tests must not change it."""
    folder = tmp_path_factory.mktemp("demo")
    workspace = copy_of_checkout(folder)
    workspace.edit("config/presets/demo.yaml", "share_jobs: true", "share_jobs: false")
    workspace.snakemake("results/demo/encoders/bert/facts.json", config=DEMO)
    return workspace


def of_run(workspace: Workspace, name: str):
    """Train and judge a run with the real Snakemake; return the check of its key score, and the judgement."""
    paper, run = name.split("/")
    project = workspace.project("demo")
    file = Layout(project, of_project(project)).learned(paper, run)
    workspace.snakemake(file, config=DEMO)
    [found] = json.loads((workspace.path / file).read_text())[run]
    runs = [{"paper": paper, "run": run, "recipe": "r", **found}]
    content = {**EMPTY, "papers": {paper: {"title": "A title", "authors": ""}}, "runs": runs}
    [check] = checks(typed(Expected, {"runs": {name: EXPECTED[name]}}), typed(Results, content, only_known=True))
    return check, found


@pytest.mark.parametrize("name", sorted({run for run, *_ in BREAKS.values()}))
def test_the_floor_holds_what_is_sound(trained, name, tmp_path):
    shutil.copytree(trained.path, tmp_path / "own", copy_function=shutil.copy2)
    check, found = of_run(Workspace(tmp_path / "own"), name)
    assert check.holds and found["learned"] == "yes", check


@pytest.mark.parametrize("broken", BREAKS)
def test_what_is_broken_falls_through_the_floor(trained, broken, tmp_path):
    name, file, old, new = BREAKS[broken]
    shutil.copytree(trained.path, tmp_path / "own", copy_function=shutil.copy2)
    workspace = Workspace(tmp_path / "own")
    workspace.edit(file, old, new)
    check, found = of_run(workspace, name)
    assert not check.holds and found["value"] < check.low, check
