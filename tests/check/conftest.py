"""Tests of the configuration, the data and the evaluation: fast, and without torch."""

import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session", autouse=True)
def no_torch(request):
    """Fail if a test of this folder imports torch. Tests of other folders may, so a run with them checks nothing."""
    yield
    if all(HERE in item.path.parents for item in request.session.items):
        assert "torch" not in sys.modules, "a test in tests/check imported torch: move it to tests/unit"
