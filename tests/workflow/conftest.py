"""A workspace of the tests' own: a copy of the checkout with the tiny preset, driven by the real Snakemake."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.config.project import Project

ROOT = Path(__file__).resolve().parents[2]
PARTS = (
    "Snakefile",
    "rules",
    "workflow",
    "config",
    "envs",
    "profiles",
    "resources",
    "docs/deviations.md",
    "requirements.lock",
)
TINY = "config/presets/tiny.yaml"
MEASURED = ("seconds", "milliseconds", "minutes", "memory", "pairs-per-second")  # in the names of metrics


@dataclass(frozen=True)
class Workspace:
    """A copy of the checkout in which Snakemake runs."""

    path: Path
    command = (sys.executable, "-m", "snakemake")

    def snakemake(
        self, *arguments: str, config: str = "preset=tiny", check: bool = True, hub: Mapping | None = None
    ) -> str:
        """Run Snakemake here; its whole output. `check` fails the test on a non-zero exit.

        `hub` are environment variables for the hub's clients, which else are offline.
        """
        command = [*self.command, "--config", *config.split(), "--cores", "2", *arguments]
        environment = {**os.environ, **(hub or {"HF_HUB_OFFLINE": "1"})}
        done = subprocess.run(command, cwd=self.path, env=environment, capture_output=True, text=True, timeout=1800)
        output = done.stdout + done.stderr
        assert not check or done.returncode == 0, output[-6000:]
        return output

    def planned(self, *targets: str, config: str = "preset=tiny") -> dict[str, int]:
        """The jobs a dry run would do, by rule."""
        output = self.snakemake("--quiet", "rules", "--dry-run", *targets, config=config)
        stats = dict(re.findall(r"^([a-z]\w*)\s+(\d+)$", output, flags=re.MULTILINE))
        return {rule: int(count) for rule, count in stats.items() if rule not in ("total", "all")}

    def folder(self, output: str, run: str, preset: str = "tiny") -> Path:
        """A run's folder in what its job with the first seed made: training or predictions."""
        paper, name = run.split("/")
        [found] = self.path.glob(f"results/{preset}/runs/{paper}/*/seed-1/{output}/{name}")
        return found

    def project(self, preset: str = "tiny", **changes) -> Project:
        """The configuration as the Snakefile has it."""
        return load(self.path, {**read_yaml(self.path / "config/config.yaml"), "preset": preset, **changes})

    def outcome(self) -> dict[str, bytes]:
        """Tables, figures, claims and predictions, by name: what is said of them is not how long they took."""
        results = self.path / "results/tiny"
        timed = {path.stem for path in (results / "tables").glob("*.json") if _is_timed(path.read_text())}
        files = [
            path
            for kind in ("tables/*", "figures/*", "claims/*", "runs/*/*/*/predictions/*/*.parquet")
            for path in results.glob(kind)
            if path.stem not in timed and "leaderboard" not in path.name
        ]
        return {str(path.relative_to(results)): path.read_bytes() for path in files}

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.path / file
        text = path.read_text()
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1))

    def train_one_by_one(self) -> None:
        """Give every run a job of its own, which is trained without its neighbours."""
        self.edit(TINY, "share_jobs: true", "share_jobs: false")


def _is_timed(table: str) -> bool:
    return any(word in table for word in MEASURED)


def copy_of_checkout(folder: Path) -> Workspace:
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (folder / part).parent.mkdir(exist_ok=True)
            shutil.copy2(source, folder / part)
    shutil.copy2(ROOT / "tests/workflow/tiny.yaml", folder / TINY)
    return Workspace(folder)


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Workspace:
    """A workspace in which the tiny preset has run to its end, once for all tests. Not to be changed."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "finished"
    with FileLock(f"{folder}.lock"):  # the first of several workers runs it, the others wait
        if not folder.with_suffix(".done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            copy_of_checkout(folder).snakemake()
            folder.with_suffix(".done").touch()
    return Workspace(folder)


@pytest.fixture
def workspace(finished, tmp_path) -> Workspace:
    """A finished workspace of the test's own, to edit."""
    shutil.copytree(finished.path, tmp_path / "own", copy_function=shutil.copy2, symlinks=True)
    return Workspace(tmp_path / "own")


@pytest.fixture
def planning(finished, tmp_path) -> Workspace:
    """A finished workspace to edit and run dry: its sources are the test's own, what was made of them everyone's."""
    own, made = tmp_path / "own", shutil.ignore_patterns("results", "metadata")
    shutil.copytree(finished.path, own, copy_function=shutil.copy2, ignore=made)
    for folder in ("results", ".snakemake/metadata"):
        (own / folder).symlink_to(finished.path / folder)
    return Workspace(own)


@pytest.fixture
def fresh(tmp_path) -> Workspace:
    """A workspace in which nothing has run."""
    return copy_of_checkout(tmp_path)
