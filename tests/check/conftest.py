"""The quickest tests, without torch: of the configuration, the plan, the data and the evaluation."""

import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def no_torch(request):
    """Fail if a test in this folder imports torch. Not checked in runs with tests of other folders, which import it."""
    yield
    if all(HERE in item.path.parents for item in request.session.items):
        assert "torch" not in sys.modules, "a test in tests/check imported torch: move it to tests/unit"


@pytest.fixture
def checkout(tmp_path, root) -> Path:
    shutil.copytree(root / "config", tmp_path / "config")
    return tmp_path
