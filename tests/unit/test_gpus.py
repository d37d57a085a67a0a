"""Jobs on one machine are spread evenly over its GPUs, each until its process ends."""

import os
import subprocess
import sys

import pytest

from semblance import gpus
from semblance.code import SCRIPTS

HOLD = f"""
import sys; from contextlib import redirect_stdout; sys.path.insert(0, {str(SCRIPTS)!r})
from semblance.gpus import claim
with redirect_stdout(sys.stderr):
    number = claim(["a", "b"])
print(number, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holding(tmp_path, monkeypatch):
    """Return a function that starts a process that claims a GPU; it returns the process and the GPU."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(gpus, "gettempdir", lambda: str(tmp_path))
    started = []

    def hold():
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
        started.append(subprocess.Popen([sys.executable, "-c", HOLD], **pipes))
        return started[-1], started[-1].stdout.readline().strip()

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def test_the_lock_file_of_another_user_is_opened_and_not_created(tmp_path, monkeypatch):
    monkeypatch.setattr(gpus, "gettempdir", lambda: str(tmp_path))
    for name in ("gpus", "a-0"):
        (tmp_path / f"semblance-{name}").touch()
    opened = os.open

    def protected(path, flags, *mode):  # as Linux does with fs.protected_regular in a folder like /tmp
        if flags & os.O_CREAT and path.exists():
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *mode)

    monkeypatch.setattr(gpus.os, "open", protected)
    assert gpus.claim(["a"]) == 0
    os.close(gpus._locked.pop())


def test_jobs_get_gpus_of_their_own_and_then_share_them_evenly(holding):
    assert [holding()[1] for _ in range(4)] == ["0", "1", "0", "1"]


def test_a_job_shares_no_gpu_while_another_is_idle(holding):
    ending = [holding()[0] for _ in range(2)]
    assert holding()[1] == "0"
    for process in ending:
        process.kill()
        process.wait()
    assert holding()[1] == "1"


def test_a_job_gives_its_gpu_back_when_it_ends(holding):
    (_, zero), (ending, one) = holding(), holding()
    assert (zero, one) == ("0", "1")
    ending.kill()
    ending.wait()
    assert holding()[1] == "1"
