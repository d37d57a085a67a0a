"""Workspaces for tests: copies of the checkout with the tiny preset, in which the real Snakemake runs."""

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
    "pyproject.toml",
)
TINY = "config/presets/tiny.yaml"


@dataclass(frozen=True)
class Workspace:
    """A copy of the checkout in which Snakemake runs."""

    path: Path
    command = (sys.executable, "-m", "snakemake")

    def snakemake(
        self, *arguments: str, config: str = "preset=tiny", check: bool = True, hub: Mapping | None = None
    ) -> str:
        """Run Snakemake here and return its output.

        Args:
            arguments: further arguments of Snakemake.
            config: settings after ``--config``.
            check: whether a non-zero exit fails the test.
            hub: environment variables for the hub's clients; by default they are offline.
        """
        command = [*self.command, "--config", *config.split(), "--cores", "2", *arguments]
        environment = {**os.environ, **(hub or {"HF_HUB_OFFLINE": "1"})}
        done = subprocess.run(command, cwd=self.path, env=environment, capture_output=True, text=True, timeout=1800)
        output = done.stdout + done.stderr
        assert not check or done.returncode == 0, output[-6000:]
        return output

    def planned(self, *targets: str, config: str = "preset=tiny") -> dict[str, int]:
        """Return the number of jobs of a dry run, by rule."""
        output = self.snakemake("--quiet", "rules", "--dry-run", *targets, config=config)
        stats = dict(re.findall(r"^([a-z]\w*)\s+(\d+)$", output, flags=re.MULTILINE))
        return {rule: int(count) for rule, count in stats.items() if rule not in ("total", "all")}

    def folder(self, output: str, run: str, preset: str = "tiny") -> Path:
        """Return a run's folder in an output of its job, ``training`` or ``predictions``, for seed 1."""
        paper, name = run.split("/")
        [found] = self.path.glob(f"results/{preset}/runs/{paper}/*/seed-1/{output}/{name}")
        return found

    def project(self, preset: str = "tiny", **changes) -> Project:
        """Return the configuration as the Snakefile loads it."""
        return load(self.path, {**read_yaml(self.path / "config/config.yaml"), "preset": preset, **changes})

    def outcome(self) -> dict[str, bytes]:
        """Return the contents of tables, figures, claims and predictions by name, but none of times or all papers."""
        results = self.path / "results/tiny"
        timed = {path.stem for path in (results / "tables").glob("*.json") if '"timed": true' in path.read_text()}
        timed |= {path.stem for path in (results / "claims").glob("*.json") if '"relative"' in path.read_text()}
        files = [
            path
            for kind in ("tables/*", "figures/*", "claims/*", "runs/*/*/*/predictions/*/*.parquet")
            for path in results.glob(kind)
            if path.stem not in timed and not path.name.startswith(("leaderboard", "overview"))
        ]
        return {str(path.relative_to(results)): path.read_bytes() for path in files}

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.path / file
        text = path.read_text()
        assert old in text, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1))

    def train_one_by_one(self) -> None:
        """Give every run, or group over a frozen encoder, its own job."""
        self.edit(TINY, "share_jobs: true", "share_jobs: false")


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
    """A workspace in which the tiny preset has run. All tests share it, so they must not change it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "finished"
    with FileLock(f"{folder}.lock"):  # the first worker runs it, the others wait
        if not folder.with_suffix(".done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            copy_of_checkout(folder).snakemake()
            folder.with_suffix(".done").touch()
    return Workspace(folder)


@pytest.fixture
def workspace(finished, tmp_path) -> Workspace:
    """A copy of the finished workspace, which a test can change."""
    shutil.copytree(finished.path, tmp_path / "own", copy_function=shutil.copy2, symlinks=True)
    return Workspace(tmp_path / "own")


@pytest.fixture
def planning(finished, tmp_path) -> Workspace:
    """A copy of the finished workspace for edits and dry runs; results are links to the shared ones."""
    own, made = tmp_path / "own", shutil.ignore_patterns("results", "metadata")
    shutil.copytree(finished.path, own, copy_function=shutil.copy2, ignore=made)
    for folder in ("results", ".snakemake/metadata"):
        (own / folder).symlink_to(finished.path / folder)
    return Workspace(own)


@pytest.fixture
def fresh(tmp_path) -> Workspace:
    """A workspace in which nothing has run."""
    return copy_of_checkout(tmp_path)
