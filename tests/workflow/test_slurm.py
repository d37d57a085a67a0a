"""The profile for a cluster, on a real SLURM that the tests start on this machine."""

import json
import os
import re
import subprocess
import sys
import time

import pytest

import slurm

pytestmark = pytest.mark.skipif(bool(slurm.missing()), reason=f"{slurm.missing()}")
PROFILE = "profiles/slurm"
QUICK = ["--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "5"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with slurm.running(tmp_path_factory.mktemp("slurm")):
        yield


@pytest.fixture
def submitting(fresh, cluster):
    """A fresh workspace whose profile is edited as its user would: here there are no accounts."""
    fresh.edit("profiles/slurm/config.yaml", "  slurm_account: lab ", "  # slurm_account: lab ")
    return fresh


def submit(workspace, *arguments, config="preset=tiny papers=[stl] device=cpu", check=True) -> str:
    """Run Snakemake with the cluster's profile; its whole output."""
    given = ["--workflow-profile", PROFILE, "--config", *config.split(), "--", *arguments]
    command = [sys.executable, "-m", "snakemake", *QUICK, *given]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, cwd=workspace.path, env=environment, capture_output=True, text=True, timeout=900)
    output = done.stdout + done.stderr
    assert not check or done.returncode == 0, output[-6000:]
    return output


def queued(*fields: str) -> list[list[str]]:
    """SLURM's own word on every job it still remembers."""
    command = ["squeue", "--states=all", "--noheader", "--format=" + "|".join(fields)]
    return [line.split("|") for line in subprocess.run(command, capture_output=True, text=True).stdout.splitlines()]


def test_a_table_comes_through_the_queue_with_the_bytes_it_has_without_one(submitting, finished):
    target = "results/tiny/tables/stl-table4.csv"
    output = submit(submitting, target)
    assert "has been submitted with SLURM jobid" in output
    assert (submitting.path / target).read_bytes() == (finished.path / target).read_bytes()
    assert {state for (state,) in queued("%T")} == {"COMPLETED"}


def test_jobs_that_train_ask_for_a_gpu_and_the_others_do_not(submitting):
    """There is no GPU here, so a job that insists on one fails: but in a partition of GPUs, holding one."""
    output = submit(submitting, "results/tiny/encoders/bert/facts.json", config="preset=tiny papers=[stl]", check=False)
    assert "torch sees no GPU here" in output
    gpu = [partition for partition, gres in queued("%P", "%b") if "gpu" in gres]
    assert gpu and set(gpu) == {"gpu"}
    submit(submitting, "results/tiny/data/stsb/dev.parquet", config="preset=tiny papers=[stl]")
    assert ["cpu", "N/A"] in queued("%P", "%b")


def test_a_job_that_needs_more_memory_is_tried_again_with_more(submitting):
    """SLURM kills what outgrows its memory; the second try is given more."""
    submitting.edit("workflow/scripts/semblance/config/costs.py", "MEMORY_MB = 4000", "MEMORY_MB = 300")
    submit(submitting, "results/tiny/runs/stl/tfidf/seed-1/predictions", check=False)
    asked = sorted(int(re.sub("[^0-9]", "", memory)) for name, memory in queued("%k", "%m") if "tfidf" in name)
    assert len(asked) > 1 and asked[0] < asked[-1]


def test_a_cancelled_run_goes_on_where_it_stopped(submitting):
    command = [sys.executable, "-m", "snakemake", *QUICK, "--workflow-profile", PROFILE, "--config", "preset=tiny"]
    command += ["papers=[stl]", "device=cpu", "--", "results/tiny/tables/stl-table2.csv"]
    first = subprocess.Popen(command, cwd=submitting.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    made = submitting.path / "results/tiny/encoders/bert/facts.json"
    end = time.monotonic() + 240
    while not made.exists() and time.monotonic() < end:
        time.sleep(0.5)
    first.terminate()
    first.wait(timeout=120)
    written = made.stat().st_mtime_ns
    assert json.loads(made.read_text())["steps"]
    submit(submitting, "results/tiny/tables/stl-table2.csv")
    assert made.stat().st_mtime_ns == written, "what was finished was made again"
