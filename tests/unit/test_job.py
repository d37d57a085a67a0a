"""Errors end a job with one sentence on the terminal and in its log."""

import re
import subprocess
import sys

import pytest

SCRIPT = """
import errno, os, sys, types
from semblance.errors import UserError
from semblance.job import job

with job(types.SimpleNamespace(log=[sys.argv[1]], threads=1, params={{"computing": {computing}}})) as say:
    print("chatter")
    say("for all to read")
    {body}
"""


def run(body, root, log, computing='{"threads": 3}'):
    """Run a script and return its exit code, its output on the terminal, and its log."""
    environment = {"PYTHONPATH": str(root / "workflow/scripts"), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", SCRIPT.format(body=body, computing=computing), str(log)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr, log.read_text()


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("raise UserError('no such thing')", "semblance: no such thing"),
        (
            "raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), 'results/x.csv')",
            "semblance: results/x.csv cannot be read or written (No space left on device): free space",
        ),
        (
            "open('/dev/full', 'w').write('x' * 100_000)",
            "semblance: a file of results/ cannot be read or written (No space left on device): free space",
        ),
    ],
)
def test_a_users_mistake_or_a_full_disk_is_one_sentence(body, sentence, root, tmp_path):
    code, terminal, log = run(body, root, tmp_path / "logs/job.log")
    assert code == 1 and sentence in terminal and sentence in log
    assert "Traceback" not in terminal + log
    assert "for all to read" in terminal and "chatter" in log and "chatter" not in terminal


def test_a_job_computes_with_the_presets_threads_and_says_how_long_it_worked(root, tmp_path):
    prints = "print('threads', *(os.environ[k] for k in ('OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'OMP_WAIT_POLICY')))"
    code, _, log = run(f"{prints}; [n**n for n in range(2000)]", root, tmp_path / "job.log")
    assert code == 0 and "threads 3 3 passive\n" in log
    assert (
        "threads 1 1 passive\n" in run(prints, root, tmp_path / "job.log", computing="None")[2]
    )  # nothing is computed
    assert re.search(r"^processor time: \d+\.\d s of work, \d+\.\d s to start and import$", log, re.MULTILINE)


def test_a_bug_shows_its_traceback_in_the_log(root, tmp_path):
    code, _, log = run("raise KeyError('bug')", root, tmp_path / "job.log")
    assert code == 1 and "Traceback" in log and "bug" in log


@pytest.mark.parametrize(("seconds", "updates"), [(0.01, True), (60, False)])
def test_without_a_terminal_a_log_shows_progress_now_and_then(seconds, updates, root, tmp_path):
    body = f"""
    import time
    from semblance import progress
    progress.seconds_in_logs = {seconds}
    for step in progress.bar(range(5), what="1. qqp", unit="step"):
        time.sleep(0.02)
        if step == 4:
            raise UserError("no such thing")
    """
    code, terminal, log = run(body, root, tmp_path / "job.log")
    assert code == 1 and "qqp" not in terminal and ("1. qqp:  40%" in log) == updates
    assert b"\nsemblance: no such thing" in (tmp_path / "job.log").read_bytes()  # not as text: \r would become \n
