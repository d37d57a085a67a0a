"""The benchmarks run on the results of the tiny preset; their measurements are not tested."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import yaml

from semblance.data import rows
from semblance.training.gradient import Gradient

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def run(script: str, *arguments: object) -> str:
    command = [sys.executable, BENCHMARKS / script, *arguments]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def test_ours_and_the_librarys_take_turns_on_a_presets_corpora_and_encoder(finished, tmp_path, monkeypatch):
    for folder in ("data", "encoders"):
        (tmp_path / folder).symlink_to(finished.path / "results/tiny" / folder)
    run("bench.py", tmp_path, "--only", "cpu", "smart", "--pairs", 128, "--repeats", 1)
    run("bench.py", tmp_path, "--only", "prediction", "sn3d", "pieces", "beside", "--pairs", 128, "--repeats", 1)
    suites = json.loads((tmp_path / "bench.json").read_text())
    assert list(suites) == ["cpu", "smart", "prediction", "sn3d", "pieces", "beside"]
    assert suites["pieces"]["measures"] == []
    assert suites["smart"]["arguments"]["pairs"] == 128 and suites["smart"]["machine"]["threads"] == 2
    measured = {one["name"]: one["median"] for suite in suites.values() for one in suite["measures"]}
    assert len(measured) >= 20 and all(map(math.isfinite, measured.values()))
    assert measured["prediction: largest difference of scores"] <= 1e-5
    assert measured["difference of their losses"] == 0
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import page

    text = page.page(suites)
    shown = re.search(r"\| step with SMART: times a plain one \| ([\d.]+) × \| .* \| ≤ 3.2 \|", text)
    assert float(shown[1]) == pytest.approx(measured["step with SMART: times a plain one"], rel=0.01)
    assert "Batches that do not fit" not in text and text.count("128 pairs") == 1
    suites["smart"]["machine"]["cores"] = 99
    assert page.page(suites).count("128 pairs") == 2  # once for the others, once for this section


def test_both_kinds_are_trained_beside_the_library(finished, tmp_path):
    (tmp_path / "data").symlink_to(finished.path / "results/tiny/data")
    (tmp_path / "encoders").symlink_to(finished.path / "results/tiny/encoders")
    printed = run("bench.py", tmp_path, "--only", "training", "--pairs", 64, "--repeats", 1, "--device", "cpu")
    suite = json.loads((tmp_path / "bench.json").read_text())["training"]
    measured = {measure["name"]: measure["median"] for measure in suite["measures"]}
    for kind in ("bi-encoder", "cross-encoder"):
        assert 0 < measured[f"{kind} training, fp32: share of the matmul peak"] < 1
        assert measured[f"{kind} training, fp32: operations"] > 1e6
    rate = yaml.safe_load(printed[printed.index("rates:") :])["rates"]["cpu"]
    fastest = max(measured[name] for name in measured if re.fullmatch("cross-encoder training, .*: operations", name))
    assert rate["source"].startswith("measured: cross-encoder training") and 0 < rate["flops"] <= fastest


def test_an_encoder_of_berts_shape_is_measured_and_one_failure_does_not_stop_the_others(finished, tmp_path):
    (tmp_path / "data/qqp").mkdir(parents=True)
    (tmp_path / "data/qqp/validation.parquet").symlink_to(finished.path / "results/tiny/data/qqp/validation.parquet")
    (tmp_path / "encoders").symlink_to(finished.path / "results/tiny/encoders")
    command = [sys.executable, BENCHMARKS / "bench.py", tmp_path, "--only", "smart", "prediction"]
    command += ["--pairs", "8", "--repeats", "1", "--random-base"]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
    assert done.returncode == 1 and "smart: " in done.stderr and "failed: smart" in done.stderr
    assert list(json.loads((tmp_path / "bench.json").read_text())) == ["prediction"]


def test_batches_that_do_not_fit_are_trained_in_pieces(finished, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import training

    whole, add = [], Gradient._add

    def out_of_memory(self, indices, share):
        if share == 1 and not whole:
            whole.append(True)
            raise torch.OutOfMemoryError
        return add(self, indices, share)

    monkeypatch.setattr(Gradient, "_add", out_of_memory)
    pairs = rows.read(finished.path / "results/tiny/data/stsb/train.parquet").take(range(16))
    encoder = finished.path / "results/tiny/encoders/bert/model"
    assert training.trained("cross-encoder", encoder, pairs, pairs, "fp32", 1, 1, 8).pieces == 2


def test_every_stage_is_measured_as_corpora_grow(tmp_path):
    run("scaling.py", tmp_path, "--pairs", 200)
    measured = json.loads((tmp_path / "scaling.json").read_text())["scaling"]["measures"]
    assert len(measured) == 8 and all(", 200 pairs: " in one["name"] and one["median"] > 0 for one in measured)
    assert (tmp_path / "scaling.svg").is_file()
    assert json.loads((tmp_path / "200/table.json").read_text())["examples"] == 200


def test_every_job_says_how_much_of_its_time_was_work(finished):
    logs = finished.path / "results/logs/tiny"
    said = run("overhead.py", logs, 1000, 2)
    assert f"\n{len(list(logs.rglob('*.log')))} jobs worked " in said
