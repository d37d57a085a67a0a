"""Concurrent use of one folder: a second Snakemake, another preset, a reader, jobs of a killed Snakemake."""

import json
import os
import signal
import subprocess
import threading
import time
from contextlib import contextmanager

from conftest import TINY
from semblance.evaluation import predictions

TABLE = "results/tiny/tables/stl-table2.json"
SCORES = "results/tiny/runs/stl/tfidf/seed-1/predictions"


def started(workspace, *arguments, preset="tiny"):
    """Start Snakemake in the background; its output can be read when it has ended."""
    command = [*workspace.command, "--config", f"preset={preset}", "--cores", "1", *arguments]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=workspace.path, env=environment, **pipes)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


def wait_for(found, seconds=120):
    """Wait until `found()` is true."""
    until = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < until
        time.sleep(0.1)


def scripts_in(folder):
    """Return the processes of jobs that run in a folder."""
    asked = subprocess.run(["pgrep", "-f", f"{folder}/.snakemake/scripts"], capture_output=True, text=True)
    return [int(line) for line in asked.stdout.split()]


@contextmanager
def halted(processes):
    """Stop processes during the block."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def test_a_second_snakemake_on_the_same_results_is_turned_away_and_the_first_goes_on(workspace):
    first = started(workspace, "--forcerun", SCORES, "--", TABLE)
    wait_for(lambda: scripts_in(workspace.path))
    with halted(scripts_in(workspace.path)):  # else it may end before the second starts
        second = workspace.snakemake("--forcerun", SCORES, "--", TABLE, check=False)
    assert "Directory cannot be locked" in second and "other Snakemake process" in second
    said, _ = first.communicate(timeout=300)
    assert first.returncode == 0, said[-2000:]


def test_two_presets_at_once_do_not_touch_each_other(workspace):
    presets = workspace.path / "config/presets"
    (presets / "other.yaml").write_text((presets / "tiny.yaml").read_text())
    before = (workspace.path / TABLE).read_bytes()
    again = started(workspace, "--forcerun", SCORES, "--", TABLE)
    other = started(workspace, "--", SCORES.replace("tiny", "other"), preset="other")
    for process in (again, other):
        said, _ = process.communicate(timeout=300)
        assert process.returncode == 0, said[-2000:]
    assert (workspace.path / TABLE).read_bytes() == before
    made, there = (
        predictions.read(workspace.folder("predictions", "stl/tfidf", preset) / "qqp-dev.parquet")
        for preset in ("tiny", "other")
    )
    assert made.score.tolist() == there.score.tolist()


def test_a_reader_never_finds_half_a_table(workspace):
    over, unread = threading.Event(), []

    def read():
        while not over.is_set():
            try:
                json.loads((workspace.path / TABLE).read_text())
            except FileNotFoundError:
                continue  # Snakemake deletes outputs before it makes them again
            except ValueError as problem:
                unread.append(problem)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        workspace.snakemake("--forcerun", "render_table", "--", TABLE)
    finally:
        over.set()
        reader.join()
    assert unread == []


def test_jobs_that_outlive_a_killed_snakemake_do_no_harm_to_the_next(workspace):
    """The job of the killed Snakemake and the same job of the next one run at once; the results are unchanged."""
    job = "results/tiny/runs/stl/bert-qqp-stsb/seed-1"
    target = f"{job}/predictions"
    before = contents(workspace.folder("predictions", "stl/bert-qqp-stsb"))
    workspace.train_one_by_one()
    arguments = ("--forcerun", f"{job}/training", "--", target)
    first = started(workspace, *arguments)
    wait_for(lambda: scripts_in(workspace.path))
    first.send_signal(signal.SIGKILL)
    first.wait()
    orphans = scripts_in(workspace.path)
    assert orphans, "the job died with its Snakemake: nothing was tested"
    workspace.snakemake("--unlock")
    workspace.snakemake("--rerun-incomplete", *arguments)
    wait_for(lambda: not set(orphans) & set(scripts_in(workspace.path)))
    workspace.snakemake("--rerun-incomplete", "--", target)
    assert contents(workspace.path / target / "bert-qqp-stsb") == before


def test_a_training_that_outlives_its_snakemake_is_not_repeated_from_the_beginning(workspace):
    """Snakemake repeats a job whose end it has not recorded; the last state is kept until the run is scored."""
    job = "results/tiny/runs/stl/bert-qqp-stsb/seed-1"
    before = contents(workspace.folder("predictions", "stl/bert-qqp-stsb"))
    workspace.train_one_by_one()
    workspace.snakemake("--", f"{job}/training")  # with what it starts from
    first = started(workspace, "--forcerun", f"{job}/training", "--", f"{job}/training")
    wait_for(lambda: scripts_in(workspace.path))
    first.send_signal(signal.SIGKILL)
    first.wait()
    assert scripts_in(workspace.path), "the job died with its Snakemake: nothing was tested"
    wait_for(lambda: not scripts_in(workspace.path))
    [state] = (workspace.path / job / "checkpoint").iterdir()
    assert state.stat().st_size > 10_000
    workspace.snakemake("--unlock")
    workspace.snakemake("--rerun-incomplete", "--", f"{job}/predictions")
    assert contents(workspace.path / job / "predictions/bert-qqp-stsb") == before and not state.parent.exists()


def test_a_clock_that_was_behind_makes_the_next_run_do_it_again(workspace):
    """Outputs written while the clock was a day behind are older than their inputs."""
    yesterday = time.time() - 86400
    table = workspace.path / "results/tiny/tables/stl-table2.md"
    for kind in ("md", "csv", "tex", "json"):
        os.utime(table.with_suffix(f".{kind}"), (yesterday, yesterday))
    after = {"render_overview": 1, "render_report": 1, "export_results": 1}
    assert workspace.planned() == {"render_table": 1, **after}
    workspace.snakemake()
    assert workspace.planned() == {}


SPY = """
import atexit, sys

def tell():
    if "torch" in sys.modules:
        with open("threads.txt", "a") as file:
            print(sys.argv[0].split(".")[-2], sys.modules["torch"].get_num_threads(), file=file)

atexit.register(tell)
"""


def test_numbers_do_not_hang_on_how_many_cores_there_are(workspace, tmp_path, monkeypatch):
    """Two threads add in another order than one, so a job uses the preset's threads, also on one core."""
    (tmp_path / "sitecustomize.py").write_text(SPY)  # Python imports it when it starts
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    run, networks = (f"results/tiny/runs/{name}/seed-1" for name in ("stl/bert-qqp", "sn3d/batch-mrpc"))
    workspace.edit(TINY, "threads: 1", "threads: 2")
    workspace.train_one_by_one()
    found = []
    for cores in ("1", "2"):
        targets = [f"{job}/predictions" for job in (run, networks)]
        workspace.snakemake("--cores", cores, "--forcerun", f"{run}/training", "--", *targets)
        found.append((workspace.path / run / "predictions/bert-qqp/qqp-validation.parquet").read_bytes())
        assert json.loads((workspace.path / run / "training/bert-qqp/facts.json").read_text())["threads"] == 2
    assert found[0] == found[1]
    lines = [line.split() for line in (workspace.path / "threads.txt").read_text().splitlines()]
    assert {script for script, _ in lines} == {"make_encoder", "train", "predict"}
    assert {threads for _, threads in lines} == {"2"}
