"""Fixtures for unit tests."""

import pytest
from accelerate.state import AcceleratorState


@pytest.fixture(autouse=True)
def any_precision():
    """Accelerate keeps the first precision of a process and refuses another one; every test may choose its own."""
    AcceleratorState._reset_state(reset_partial_state=True)
