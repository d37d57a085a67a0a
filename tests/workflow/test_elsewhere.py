"""The workflow in another working directory, as a module of another workflow, and on another machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from conftest import ROOT

RUN = "stl/sbert-stsb"
SCORES = f"results/tiny/runs/{RUN}/seed-1/predictions"


def test_any_working_directory_will_do(fresh, finished, tmp_path_factory):
    """Nothing is written to the checkout."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    fresh.train_one_by_one()
    fresh.snakemake("--snakefile", str(fresh.path / "Snakefile"), "--directory", str(elsewhere), "--", SCORES)
    made, known = sorted((elsewhere / SCORES).rglob("*.parquet")), finished.folder("predictions", RUN)
    assert made and all(file.read_bytes() == (known / file.name).read_bytes() for file in made)
    assert not (fresh.path / "results").exists()


def test_another_workflow_may_use_it_as_a_module(fresh, tmp_path_factory):
    outer = tmp_path_factory.mktemp("outer")
    (outer / "Snakefile").write_text(
        f"""
module semblance:
    snakefile: "{fresh.path}/Snakefile"

use rule * from semblance as semblance_*

rule mine:
    default_target: True
    input: "results/demo/data/stsb"
    output: "mine.txt"
    shell: "wc -c {{input}}/facts.json > {{output}}"
"""
    )
    done = subprocess.run(
        [*fresh.command, "--cores", "1", "--directory", str(outer), "--snakefile", str(outer / "Snakefile")],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (outer / "mine.txt").exists()


def test_a_bundle_goes_on_where_there_is_no_network(fresh, tmp_path):
    """`make bundle`, unpacked: nothing is fetched or prepared again."""
    shutil.copy2(ROOT / "Makefile", fresh.path)
    subprocess.run(["git", "init", "--quiet"], cwd=fresh.path, check=True)
    subprocess.run(["git", "add", "--all"], cwd=fresh.path, check=True)
    made = ["make", "--assume-old=.venv/installed", f"BIN={Path(sys.executable).parent}", "bundle"]
    made += ["PRESET=tiny", "CONFIG=papers=[stl]"]
    offline = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(made, cwd=fresh.path, capture_output=True, text=True, env=offline)
    assert done.returncode == 0, done.stdout + done.stderr
    there = tmp_path / "there"
    there.mkdir()
    subprocess.run(["tar", "xf", fresh.path / "semblance-tiny.tar"], cwd=there, check=True)
    planned = type(fresh)(there).planned(config="preset=tiny papers=[stl]")
    assert planned["train"] and not {job for job in planned if job.startswith(("prepare_", "make_", "fetch_"))}
