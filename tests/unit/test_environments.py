"""The pip lock pins every direct dependency, and the conda environments have the same versions."""

import re

import pytest
import yaml

from configuration import project
from semblance.planning import machine
from semblance.provenance import LIBRARIES

CONDA_NAMES = {"pytorch": "torch", "pytorch-gpu": "torch"}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture
def lock(root) -> dict[str, str]:
    lines = (line for line in (root / "requirements.lock").read_text().splitlines() if not line.startswith("#"))
    return {canonical(name): version for name, version in (line.split("==") for line in lines)}


def test_every_direct_dependency_is_locked(root, lock):
    wanted = [line for line in (root / "requirements.in").read_text().split("\n") if line and not line.startswith("#")]
    assert [name for name in wanted if canonical(name) not in lock] == []


@pytest.mark.parametrize("name", ["semblance", "semblance-cuda"])
def test_the_conda_environments_parse_strictly_and_have_the_locks_versions(root, lock, name):
    from rattler import MatchSpec

    environment = yaml.safe_load((root / f"envs/{name}.yaml").read_text())
    assert environment["channels"] == ["conda-forge"]
    *by_conda, by_pip = environment["dependencies"]
    found = dict(text.split("==") for text in by_pip["pip"])
    for text in by_conda:
        spec = MatchSpec(text, strict=True)
        name = spec.name.normalized if hasattr(spec.name, "normalized") else str(spec.name)
        if name not in ("python", "pip"):
            found[CONDA_NAMES.get(name, name)] = str(spec.version).removesuffix(".*")
    assert all(lock[canonical(name)] == version for name, version in found.items())
    needed = {canonical(name) for names in LIBRARIES.values() for name in names}
    assert needed <= {canonical(name) for name in found}


def test_the_environment_for_gpus_differs_in_torch_alone(root):
    plain, cuda = (
        yaml.safe_load((root / f"envs/{name}.yaml").read_text())["dependencies"]
        for name in ("semblance", "semblance-cuda")
    )
    assert [pair for pair in zip(plain, cuda, strict=True) if pair[0] != pair[1]] == [
        ("pytorch =2.13.0 cpu*", "pytorch-gpu =2.13.0")
    ]


def test_conda_finds_builds_for_gpus_where_there_is_none(root, monkeypatch, tmp_path):
    on_gpu = project(root, device="cuda").settings
    monkeypatch.setattr(machine, "GPUS", (f"{tmp_path}/nvidia[0-9]*".removeprefix("/"),))
    (tmp_path / "nvidiactl").touch()  # of the driver, not of a card
    assert machine.solving(on_gpu) == {"CONDA_OVERRIDE_CUDA": "12.9"}
    (tmp_path / "nvidia3").touch()  # the only card that a container may have
    assert machine.solving(on_gpu) == {}
    (tmp_path / "nvidia3").unlink()
    assert machine.solving(project(root).settings) == {}
