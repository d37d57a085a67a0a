"""docs/how-to.md, executed literally on the tiny preset: creates its files, inserts its lines, runs its commands.

The file and the commands of docs/your-own.md are checked by dry runs.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import copy_of_checkout

STEP = re.compile(
    r"(?:^Create `(?P<create>[^`]+)`:|^In `(?P<into>[^`]+)`, (?:below `(?P<below>[^\n]+)`, insert|append):)?\s*"
    r"^```(?P<language>\w+)\n(?P<block>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SECTIONS = ("paper", "table", "metric", "loss", "dataset", "encoder", "model kind", "network part")


def sections(page: str) -> Iterator[tuple[str, str]]:
    """Yield title and text of the sections."""
    for section in page.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        yield title, text


@pytest.fixture
def checkout(tmp_path, root) -> Path:
    """A copy of the checkout with the tiny preset as its default."""
    workspace = copy_of_checkout(tmp_path)
    workspace.edit("config/config.yaml", "preset: demo", "preset: tiny")
    workspace.train_one_by_one()
    shutil.copy(root / "pyproject.toml", tmp_path)
    (tmp_path / "tests/unit").mkdir(parents=True)
    shutil.copy(root / "tests/conftest.py", tmp_path / "tests")
    return tmp_path


def test_every_how_to_works_as_it_is_written(checkout, root):
    found = list(sections((root / "docs/how-to.md").read_text(encoding="utf-8")))
    assert tuple(title.partition(" ")[2] for title, _ in found) == SECTIONS
    first = None
    for title, text in found:
        steps = list(STEP.finditer(text))
        assert len(steps) == text.count("\n```") / 2, f"{title}: a block that says neither where it goes nor is run"
        for step in steps:
            take(step, checkout, title)
        first = first or made(checkout)
    assert first.items() <= made(checkout).items()  # no later section made anything of the first one again
    table = (checkout / "results/tiny/tables/toy-table1.md").read_text()
    rows = ["TF-IDF", "Contrastive", "CoSENT", "Wide, not fine-tuned", "Word overlap", "3D network with mean pooling"]
    assert all(f"| {row} " in table for row in rows) and "Balanced accuracy" in table
    assert "| Fine-tuned on tickets " in (checkout / "results/tiny/tables/toy-tickets.md").read_text()


def made(checkout: Path) -> dict[Path, int]:
    """Return when each corpus, encoder, model and prediction was made."""
    results = checkout / "results/tiny"
    folders = [path for pattern in ("data/*", "encoders/*", "runs/*/*/seed-1/*") for path in results.glob(pattern)]
    assert len(folders) >= 6
    return {path: path.stat().st_mtime_ns for path in folders}


def take(step: re.Match, checkout: Path, title: str) -> None:
    block = step["block"]
    if step["create"]:
        path = checkout / step["create"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block)
    elif step["into"]:
        path = checkout / step["into"]
        text = path.read_text()
        if step["below"]:
            before, line, after = text.partition(step["below"])
            assert line, f"{title}: {step['into']} has no line {step['below']!r}"
            rest, end, after = after.partition("\n")
            path.write_text(before + line + rest + end + block + after)
        else:
            path.write_text(text + block)
    else:
        assert step["language"] == "sh", f"{title}: a block that says neither where it goes nor is run"
        run(block, checkout, title)


def run(command: str, checkout: Path, title: str) -> None:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    shell = ["bash", "-euc", command]
    done = subprocess.run(shell, cwd=checkout, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, f"{title}:\n{(done.stdout + done.stderr)[-5000:]}"


def test_the_page_on_own_models_has_a_valid_file_and_commands(checkout, root):
    page = (root / "docs/your-own.md").read_text(encoding="utf-8")
    mine, commands = (re.search(rf"```{language}\n(.*?)```", page, re.DOTALL)[1] for language in ("yaml", "sh"))
    for name in re.findall(r"/(?:models|data)/[\w.]+", mine):
        (checkout / name[1:]).parent.mkdir(exist_ok=True)
        (checkout / name[1:]).touch()
    (checkout / "mine.yaml").write_text(re.sub("/(models|data)/", rf"{checkout}/\1/", mine))
    lines = commands.strip().splitlines()
    assert lines and all("snakemake --cores all" in line for line in lines)
    for line in lines:
        run(line.replace("--cores all", "--dry-run"), checkout, line)
