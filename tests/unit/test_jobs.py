"""Which runs share a process: all once, what is trained from one another together, like ones beside each other."""

from collections import Counter

import pytest

from semblance.config import jobs
from semblance.config.load import read_yaml
from semblance.config.project import load


def project(root, **changes):
    return load(root, {**read_yaml(root / "config/config.yaml"), **changes})


@pytest.fixture(scope="module")
def demo(root):
    return project(root, preset="demo")


@pytest.mark.parametrize("verb", ["train", "predict"])
@pytest.mark.parametrize("preset", ["demo", "paper"])
def test_every_run_is_in_one_job(root, preset, verb):
    found = project(root, preset=preset)
    shared = Counter((job.paper, run) for job in jobs.of_project(found, verb) for run in job.runs)
    assert shared == {(paper, run): 1 for paper, run, _ in found.runs()}


def test_what_a_run_starts_from_is_trained_before_it_in_its_own_job(demo):
    for job in jobs.of_project(demo, "train"):
        for place, run in enumerate(job.runs):
            start = demo.run(job.paper, run)["start_from"]
            assert start is None or start in job.runs[:place]


@pytest.mark.parametrize("verb", ["train", "predict"])
def test_what_needs_no_network_waits_for_none(demo, verb):
    for job in jobs.of_project(demo, verb):
        kinds = {demo.run(job.paper, run)["model"]["kind"] for run in job.runs}
        assert len(kinds) == 1 or not kinds & {"tfidf", "word2vec", "tfidf-forest"}


def test_jobs_are_as_few_as_the_preset_allows_and_alike_in_length(demo):
    metric = [len(job.runs) for job in jobs.of_project(demo, "train") if job.paper == "metric"]
    assert sum(metric) == 76 and len(metric) == 3  # 30 a job
    assert max(metric) - min(metric) <= 5  # a chain of five is not torn


def test_what_some_runs_learn_by_is_in_few_jobs(demo):
    def learns(job, objective):
        return any(s["objective"] == objective for run in job.runs for s in demo.run(job.paper, run)["stages"])

    found = [job for job in jobs.of_project(demo, "train") if job.paper == "metric"]
    assert sum(learns(job, "triplet") for job in found) <= 2 < len(found)


def test_runs_of_their_own_are_one_a_job(root):
    found = project(root, preset="laptop")
    assert all(len(job.runs) == 1 or job.side_by_side for job in jobs.of_project(found, "train"))
