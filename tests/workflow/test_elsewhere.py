"""The workflow in another working directory, as a module of another workflow, and on another machine."""

import shutil
import subprocess

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


def test_what_was_fetched_is_carried_to_a_machine_without_a_network(fresh, tmp_path):
    fresh.snakemake("fetched", config="preset=tiny papers=[stl]")
    shutil.move(fresh.path / "results", tmp_path / "carried")
    bundle = tmp_path / "there"
    shutil.copytree(fresh.path, bundle, copy_function=shutil.copy2, ignore=shutil.ignore_patterns("carried", "there"))
    shutil.copytree(tmp_path / "carried", bundle / "results", copy_function=shutil.copy2)
    planned = type(fresh)(bundle).planned(config="preset=tiny papers=[stl]")
    assert planned["train"] and not {job for job in planned if job.startswith(("prepare_", "make_", "fetch_"))}
