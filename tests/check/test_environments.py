"""The pip lock pins every direct dependency, and the conda environments have the same versions."""

import re

import pytest
import yaml

CONDA_NAMES = {"pytorch": "torch", "pytorch-gpu": "torch", "matplotlib-base": "matplotlib"}


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
    assert environment["channels"] == ["conda-forge", "nodefaults"]
    for text in environment["dependencies"]:
        spec = MatchSpec(text, strict=True)
        name = spec.name.normalized if hasattr(spec.name, "normalized") else str(spec.name)
        if name != "python":
            assert str(spec.version) == f"{lock[canonical(CONDA_NAMES.get(name, name))]}.*", text


def test_the_environment_for_gpus_differs_in_torch_alone(root):
    plain, cuda = (
        set(yaml.safe_load((root / f"envs/{name}.yaml").read_text())["dependencies"])
        for name in ("semblance", "semblance-cuda")
    )
    assert {text.split()[0] for text in plain ^ cuda} == {"pytorch", "pytorch-gpu"}
