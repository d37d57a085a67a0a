"""The profile for clusters, with a real SLURM that the tests start on this machine."""

import os
import subprocess
import time

import pytest

import slurm

pytestmark = pytest.mark.skipif(bool(slurm.missing()), reason=f"{slurm.missing()}")
PROFILE = "profiles/slurm"
# sacct needs accounting, which this SLURM does not have.
QUICK = ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2", "--latency-wait", "5"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with slurm.running(tmp_path_factory.mktemp("slurm")):
        yield


def without_account(workspace):
    """Remove the account from the profile of a workspace, because this SLURM has no accounts."""
    workspace.edit("profiles/slurm/config.yaml", "  slurm_account: lab ", "  # slurm_account: lab ")
    return workspace


@pytest.fixture
def submitting(fresh, cluster):
    return without_account(fresh)


def submit(
    workspace, *arguments, config="preset=tiny papers=[stl] device=cpu", check=True, retries=2, timeout=480
) -> str:
    """Run Snakemake with the profile for clusters and return its output."""
    given = ["--workflow-profile", PROFILE, "--retries", str(retries), "--config", *config.split(), "--", *arguments]
    command = [*workspace.command, *QUICK, *given]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, cwd=workspace.path, env=environment, capture_output=True, text=True, timeout=timeout)
    output = done.stdout + done.stderr
    assert not check or done.returncode == 0, output[-6000:]
    return output


def queued() -> list[dict[str, str]]:
    """Return what SLURM reports about each job that it still knows, oldest first."""
    said = subprocess.run(["scontrol", "show", "jobs", "--oneliner"], capture_output=True, text=True).stdout
    lines = [line for line in said.splitlines() if line.startswith("JobId=")]  # without jobs, it prints a message
    return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]


def test_jobs_that_train_ask_for_a_gpu_and_the_others_do_not(submitting):
    """There is no GPU here, so a job that needs one fails, but in the partition of GPUs and with one allocated."""
    before, targets = len(queued()), ["results/tiny/encoders/bert/facts.json", "results/tiny/data/stsb"]
    submit(submitting, *targets, config="preset=tiny papers=[stl]", check=False, retries=0)
    assert "torch sees no GPU here" in (submitting.path / "results/logs/tiny/encoders/bert.log").read_text()
    jobs = {job["Comment"]: (job["Partition"], "gpu:1" in job.get("TresPerJob", "")) for job in queued()[before:]}
    assert jobs == {
        "rule_make_encoder_wildcards_bert": ("gpu", True),
        "rule_prepare_dataset_wildcards_stsb": ("cpu", False),
    }


def test_a_job_that_needs_more_memory_is_tried_again_with_more(submitting):
    """SLURM kills a job that exceeds its memory; the second try asks for more."""
    submitting.train_one_by_one()
    submitting.edit("workflow/scripts/semblance/planning/costs.py", "MEMORY_MB = 4000", "MEMORY_MB = 300")
    forest, config = "results/tiny/runs/minilm/forest/seed-1/training", "preset=tiny papers=[minilm] device=cpu"
    submit(submitting, forest, config=config, check=False)
    tries = [job for job in queued() if "train" in job["Comment"] and "forest" in job["Comment"]]
    asked = [int(job["MinMemoryNode"].rstrip("M")) for job in tries]
    assert tries[0]["JobState"] == "FAILED" and asked == sorted(asked) and asked[0] < asked[-1]


def test_tables_are_submitted_ten_at_a_time_for_two_cores(workspace, cluster):
    before, tables = len(queued()), sorted((workspace.path / "results/tiny/tables").glob("smart-*.csv"))[:12]
    for table in tables:
        table.unlink()
    targets = [str(table.relative_to(workspace.path)) for table in tables]
    submit(without_account(workspace), *targets, config="preset=tiny device=auto")
    asked = [(job["NumCPUs"], int(job["MinMemoryNode"].rstrip("M"))) for job in queued()[before:]]
    assert asked == [("2", 6000)] * 2
    assert all(table.exists() for table in tables)


def test_a_cancelled_run_goes_on_where_it_stopped_and_ends_with_the_bytes_it_has_without_a_queue(submitting, finished):
    target = "results/tiny/runs/stl/sbert-stsb/seed-1/predictions"
    submitting.train_one_by_one()
    given = ["--workflow-profile", PROFILE, "--config", "preset=tiny", "papers=[stl]", "device=cpu", "--", target]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    first = subprocess.Popen([*submitting.command, *QUICK, *given], cwd=submitting.path, **quiet)
    made = submitting.path / "results/tiny/encoders/sbert/facts.json"
    end = time.monotonic() + 240
    while not made.exists() and time.monotonic() < end:
        time.sleep(0.5)
    first.terminate()
    first.wait(timeout=120)
    written = made.stat().st_mtime_ns
    output = submit(submitting, target)
    assert "has been submitted with SLURM jobid" in output
    assert made.stat().st_mtime_ns == written, "what was finished was made again"
    scores, known = (
        sorted((submitting.path / target).rglob("*.parquet")),
        finished.folder("predictions", "stl/sbert-stsb"),
    )
    assert scores and all(file.read_bytes() == (known / file.name).read_bytes() for file in scores)


@pytest.mark.skipif("SEMBLANCE_SLURM" not in os.environ, reason="every job through the queue: SEMBLANCE_SLURM=whole")
def test_all_papers_go_through_the_queue_and_end_with_the_bytes_they_have_without_one(submitting, finished):
    output = submit(submitting, config="preset=tiny device=cpu", retries=0, timeout=3600)
    assert output.count("has been submitted with SLURM jobid") > 60
    made = submitting.outcome()
    assert len(made) > 300 and made == finished.outcome()
