"""Which runs share a process: every run is in one, after what it starts from; what needs no network apart."""

from collections import Counter

import pytest

from semblance.config.load import read_yaml
from semblance.config.project import load
from semblance.planning import jobs


def project(root, **changes):
    return load(root, {**read_yaml(root / "config/config.yaml"), **changes})


@pytest.fixture(scope="module")
def demo(root):
    return project(root, preset="demo")


@pytest.mark.parametrize("preset", ["demo", "paper"])
def test_every_run_is_in_one_job(root, preset):
    found = project(root, preset=preset)
    shared = Counter((job.paper, run) for job in jobs.of_project(found) for run in job.runs)
    assert shared == {(paper, run): 1 for paper, run, _ in found.runs()}


def test_what_a_run_starts_from_is_trained_before_it_in_its_own_job(demo):
    for job in jobs.of_project(demo):
        for place, run in enumerate(job.runs):
            start = demo.run(job.paper, run)["start_from"]
            assert start is None or start in job.runs[:place]


def test_what_needs_no_network_waits_for_none(demo):
    for job in jobs.of_project(demo):
        kinds = {demo.run(job.paper, run)["model"]["kind"] for run in job.runs}
        if kinds & {"tfidf", "word2vec", "tfidf-forest"}:
            assert len(kinds) == 1 and job.script("train") == "fit.py"


def test_runs_of_a_paper_share_a_job_where_the_preset_says_so(demo):
    found = Counter((job.paper, job.kind) for job in jobs.of_project(demo))
    assert found["metric", "neural"] == found["sn3d", "siamese-3d"] == 1 and max(found.values()) == 1


def test_runs_that_share_a_pass_are_one_set(demo):
    [networks] = [job for job in jobs.of_project(demo) if job.side_by_side]
    assert list(map(len, networks.sets)) == [15, 50, 13, 13, 1] and len(networks.runs) == 92
    assert networks.places[1] == list(range(15, 65)) and networks.places[4] == [91]


def test_else_a_set_is_a_job_of_its_own(root):
    for job in jobs.of_project(project(root, preset="laptop")):
        assert len(job.sets) == 1 and (len(job.runs) == 1 or job.side_by_side)
