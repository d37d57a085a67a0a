"""Jobs on one machine claim different GPUs, each until its process ends."""

import subprocess
import sys

import pytest

from semblance.code import SCRIPTS
from semblance.errors import UserError
from semblance.training import gpus

HOLD = f"""
import sys; sys.path.insert(0, {str(SCRIPTS)!r})
from semblance.training.gpus import claim
print(*claim(int(sys.argv[1]), ["a", "b", "c"]), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holding(tmp_path, monkeypatch):
    """Return a function that starts a process that claims GPUs; it returns the process and the GPUs."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(gpus, "gettempdir", lambda: str(tmp_path))
    started = []

    def hold(wanted):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen([sys.executable, "-c", HOLD, str(wanted)], **pipes))
        return started[-1], started[-1].stdout.readline().split()

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def test_every_job_gets_a_gpu_that_no_other_has_and_gives_it_back_when_it_ends(holding):
    (first, one), (_, two) = holding(1), holding(1)
    assert (one, two) == (["0"], ["1"])
    first.kill()
    first.wait()
    assert gpus.claim(1, ["a", "b", "c"]) == [0]
    _, last = holding(1)
    assert last == ["2"]


def test_too_few_free_gpus_are_an_error_that_says_what_to_do(holding):
    holding(2)
    with pytest.raises(UserError, match="wants 2 GPU.s., and of the 3 here 1 are free: lower gpus_per_run"):
        gpus.claim(2, ["a", "b", "c"])
