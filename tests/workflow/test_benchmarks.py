"""The benchmarks run on the results of the tiny preset; their measurements are not tested."""

import json
import math
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def run(script: str, *arguments: object) -> str:
    command = [sys.executable, BENCHMARKS / script, *arguments]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_ours_and_the_librarys_take_turns_on_a_presets_corpora_and_encoder(finished, tmp_path):
    for folder in ("data", "encoders"):
        (tmp_path / folder).symlink_to(finished.path / "results/tiny" / folder)
    run("bench.py", tmp_path, "--only", "packing", "smart", "--pairs", 128, "--repeats", 1)
    run("bench.py", tmp_path, "--only", "prediction", "sn3d", "pieces", "--pairs", 128, "--repeats", 1)
    suites = json.loads((tmp_path / "bench.json").read_text())["measures"]
    assert list(suites) == ["packing", "smart", "prediction", "sn3d", "pieces"] and suites["pieces"] == []
    measured = {measure["name"]: measure["median"] for suite in suites.values() for measure in suite}
    assert len(measured) >= 20 and all(map(math.isfinite, measured.values()))
    assert measured["prediction: largest difference of scores"] <= 1e-5


def test_both_kinds_are_trained_beside_the_library(finished, tmp_path):
    (tmp_path / "data").symlink_to(finished.path / "results/tiny/data")
    (tmp_path / "encoders").symlink_to(finished.path / "results/tiny/encoders")
    run("bench.py", tmp_path, "--only", "training", "--pairs", 64, "--repeats", 1, "--device", "cpu")
    [suite] = json.loads((tmp_path / "bench.json").read_text())["measures"].values()
    measured = {measure["name"]: measure["median"] for measure in suite}
    for kind in ("bi-encoder", "cross-encoder"):
        assert 0 < measured[f"{kind} training, fp32: share of the matmul peak"] < 1
        assert measured[f"{kind} training, fp32: operations"] > 1e6


def test_every_stage_is_measured_as_corpora_grow(tmp_path):
    run("scaling.py", tmp_path, "--pairs", 200)
    measured = json.loads((tmp_path / "scaling.json").read_text())
    assert len(measured) == 4 and {one["pairs"] for one in measured} == {200}
    assert json.loads((tmp_path / "200/table.json").read_text())["examples"] == 200


def test_every_job_says_how_much_of_its_time_was_work(finished):
    logs = finished.path / "results/logs/tiny"
    said = run("overhead.py", logs, 1000, 2)
    assert f"\n{len(list(logs.rglob('*.log')))} jobs worked " in said
