"""Jobs: every run is in one, after the run it starts from; models without a network have jobs of their own."""

from collections import Counter
from dataclasses import replace

import pytest

from configuration import change, project
from semblance.planning import jobs
from semblance.planning.layout import Layout
from semblance.planning.work import Work


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
            start = demo.run(job.paper, run).start_from
            assert start is None or start in job.runs[:place]


def test_what_needs_no_network_waits_for_none(demo):
    for job in jobs.of_project(demo):
        kinds = {demo.run(job.paper, run).model.kind for run in job.runs}
        if kinds & {"tfidf", "word2vec", "tfidf-forest", "surface"}:
            assert len(kinds) == 1 and job.trainer == "fit"


def test_runs_of_a_paper_share_a_job_where_the_preset_says_so(demo):
    found = Counter((job.paper, demo.run(job.paper, job.runs[0]).model.kind) for job in jobs.of_project(demo))
    assert max(found.values()) == 1
    found = Counter((job.paper, job.trainer) for job in jobs.of_project(demo))
    assert found["metric", "engine"] == found["sn3d", "frozen_encoder"] == 1 and found["stl", "fit"] == 3


def test_runs_that_share_a_pass_are_one_set(demo):
    [networks] = [job for job in jobs.of_project(demo) if job.trainer == "frozen_encoder"]
    assert list(map(len, networks.groups)) == [28, 57, 26, 26, 1, 1, 1, 1, 1] and len(networks.runs) == 142
    assert networks.name == "sn3d/sa-pooling-qqp+141"


def test_networks_over_texts_of_another_length_share_no_pass(demo):
    spec = demo.run("sn3d", "sa-pooling-qqp")
    shorter = replace(spec, model=replace(spec.model, max_length=spec.model.max_length - 1))
    assert jobs._shared(demo, shorter) != jobs._shared(demo, spec) == jobs._shared(demo, replace(spec))


def test_else_a_set_is_a_job_of_its_own(root):
    for job in jobs.of_project(project(root, preset="laptop")):
        assert len(job.groups) == 1 and (len(job.runs) == 1 or job.trainer == "frozen_encoder")
        assert len(job.runs) > 1 or job.name == f"{job.paper}/{job.runs[0]}"


def test_runs_of_one_seed_are_in_the_groups_of_the_first_alone(checkout):
    """Networks to which a preset gives one seed are not trained beside the others with further seeds."""
    change(checkout / "config/presets/evening.yaml", "one_seed:", "one_seed:\n  sn3d: [sa-scaled-*, by-loss-*]\n  #")
    found = project(checkout, preset="evening", seeds=[1, 2])
    [job] = [job for job in jobs.of_project(found) if job.name == "sn3d/sa-pooling-qqp+27"]
    assert jobs.groups_of_seed(found, job, 1) == job.groups
    [second] = jobs.groups_of_seed(found, job, 2)
    assert second == tuple(run for run in job.runs if len(found.seeds_of_run("sn3d", run)) == 2)
    assert "sa-fa-3-rfm-qqp" in second and "sa-scaled-qqp" not in second
    [job] = [job for job in jobs.of_project(found) if job.name == "sn3d/by-loss-qqp"]
    assert jobs.groups_of_seed(found, job, 2) == ()


def test_a_network_that_is_not_trained_needs_a_gpu_too(root):
    asked = project(root, preset="paper", device="cuda")
    found = jobs.of_project(asked)
    work = Work(asked, Layout(asked, found), found)
    needed = {run: work.job(job.name, 1).gpus for job in found for run in job.runs}
    assert needed["zero-shot-bert-mean"] == needed["siamese-bert-mean"] == needed["colbert-qqp"] == 1
    assert needed["forest"] == needed["word2vec"] == 0
