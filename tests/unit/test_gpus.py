"""Jobs on one machine claim different GPUs, each until its process ends."""

import os
import subprocess
import sys

import pytest

from semblance import gpus
from semblance.code import SCRIPTS
from semblance.errors import UserError

HOLD = f"""
import sys; sys.path.insert(0, {str(SCRIPTS)!r})
from semblance.gpus import claim
print(claim(["a", "b"]), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holding(tmp_path, monkeypatch):
    """Return a function that starts a process that claims a GPU; it returns the process and the GPU."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(gpus, "gettempdir", lambda: str(tmp_path))
    started = []

    def hold():
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen([sys.executable, "-c", HOLD], **pipes))
        return started[-1], started[-1].stdout.readline().strip()

    yield hold
    for process in started:
        process.kill()
        process.communicate()


def test_the_lock_file_of_another_user_is_opened_and_not_created(tmp_path, monkeypatch):
    monkeypatch.setattr(gpus, "gettempdir", lambda: str(tmp_path))
    (tmp_path / "semblance-a").touch()
    opened = os.open

    def protected(path, flags, *mode):  # as Linux does with fs.protected_regular in a folder like /tmp
        if flags & os.O_CREAT and path.exists():
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *mode)

    monkeypatch.setattr(gpus.os, "open", protected)
    assert gpus.claim(["a"]) == 0
    os.close(gpus._locked.pop())


def test_every_job_gets_a_gpu_that_no_other_has_and_gives_it_back_when_it_ends(holding):
    (first, one), (_, two) = holding(), holding()
    assert (one, two) == ("0", "1")
    with pytest.raises(UserError, match="all of the 2 GPUs here: start Snakemake with --resources gpu=2 at most"):
        gpus.claim(["a", "b"])
    first.kill()
    first.wait()
    assert gpus.claim(["a", "b"]) == 0
