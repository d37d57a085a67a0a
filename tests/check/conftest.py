"""Tests of the configuration, the data and the evaluation: fast, and without torch."""

import sys

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_torch():
    yield
    assert "torch" not in sys.modules, "a test in tests/check imported torch: move it to tests/unit"
