"""Inputs of jobs and results: everything that a spec names is among them, found by reading the plain spec."""

from collections.abc import Iterator
from dataclasses import asdict, replace

import pytest

from configuration import project
from semblance.planning import digests
from semblance.planning.jobs import of_project
from semblance.planning.layout import Layout
from semblance.planning.needs import Needs
from semblance.planning.work import Work
from semblance.registry import METRICS


@pytest.fixture(scope="module", params=["demo", "paper"])
def planned(request, root):
    loaded = project(root, preset=request.param)
    jobs = of_project(loaded)
    layout = Layout(loaded, jobs)
    return loaded, Work(loaded, layout, jobs), Needs(loaded, layout)


def texts(spec) -> Iterator[str]:
    """Yield all texts in a plain spec."""
    if isinstance(spec, str):
        yield spec
    elif isinstance(spec, dict):
        for part in spec.values():
            yield from texts(part)
    elif isinstance(spec, list | tuple):
        for part in spec:
            yield from texts(part)


def test_every_run_that_is_named_is_among_the_needs(planned):
    project, _, needs = planned
    for paper in project.papers.values():
        runs, found = set(project.runs_known_to(paper)), {}
        for name, table in paper.tables.items():
            found[name] = asdict(table)["cells"], needs.table(paper.name, name)
        for name, figure in paper.figures.items():
            if figure.kind != "similarity-matrices":
                found[name] = asdict(figure), needs.figure(paper.name, name)
        for name, listed in paper.lists.items():
            found[name] = asdict(listed), needs.listed(paper.name, name)
        claims = [[asdict(cell) for cell in claim.cells] for claim in paper.claims.values()]
        found["claims"] = claims, needs.claims(paper.name)
        named = {item: runs & set(texts(spec)) for item, (spec, _) in found.items()}
        assert set().union(*named.values()), paper.name
        for item, (_, needed) in found.items():
            assert named[item] <= {name for _, name in needed.needs}, f"{paper.name}-{item}"


def test_each_claim_alone_has_what_says_whether_its_runs_and_their_starts_learned(planned):
    loaded, _, needs = planned
    for name, paper in loaded.papers.items():
        for claim, spec in paper.claims.items():
            alone = replace(loaded, papers={**loaded.papers, name: replace(paper, claims={claim: spec})})
            places = Needs(alone, needs.layout).claims(name).places
            metric = METRICS[spec.cells[0].metric if spec.cells else spec.mean_over[0].cells[0].metric]
            if metric.on_examples or metric.of_learning:
                trained = {start for run in places.runs.values() for start in run.trained}
                assert trained <= places.learned.keys(), claim


def test_every_split_that_training_names_is_among_its_data(planned):
    project, work, _ = planned
    splits = {f"{name}/{split}" for name in project.datasets for split in project.datasets[name].splits}
    for name in work.jobs:
        seeded = work.job(name, 1)
        job, data, inputs = seeded.job, set(seeded.training_data), seeded.origin_inputs
        for run in job.runs:
            spec = project.run(job.paper, run)
            stages = [asdict(stage) for stage in spec.stages]
            named = splits & set(texts([asdict(spec.model), stages, [asdict(rule) for rule in spec.select_stage]]))
            assert named | {f"{stage.on}/train" for stage in spec.stages} <= data, run
            if spec.start_from:
                start = work.layout.job("training", job.paper, spec.start_from, 1)
                assert spec.start_from in job.runs or start in inputs, run


def test_an_encoder_that_is_fetched_does_not_depend_on_the_device(planned):
    """Fetched where there is a network, it is used on a cluster with GPUs and without one."""
    project, work, _ = planned
    computed = {name: work.encoder(name).computing for name in project.encoders_used()}
    kinds = {name: project.encoders[name].source.kind for name in computed}
    assert {name for name, found in computed.items() if found} == {
        n for n, kind in kinds.items() if kind == "generated"
    }
    assert not all(computed.values())


def test_training_is_told_whether_a_run_may_collapse_which_is_no_reason_for_another_digest(planned):
    """Otherwise a loss that is not finite ends in weights of 0 instead of a sentence with the step."""
    project, work, _ = planned
    found = {}
    for name in work.jobs:
        seeded = work.job(name, 1)
        for run, spec in seeded.training_specs.items():
            assert spec["may_collapse"] == project.run(seeded.job.paper, run).may_collapse, run
            found[f"{seeded.job.paper}/{run}"] = spec["may_collapse"]
    assert not found["stl/bert-qqp"] and found["metric/siamese-rate-1e-1"]
    paper = project.papers["stl"]
    altered = replace(paper, runs={**paper.runs, "bert-qqp": replace(paper.runs["bert-qqp"], may_collapse=True)})
    other = replace(project, papers={**project.papers, "stl": altered})
    assert digests.of_run(other, "stl", "bert-qqp") == digests.of_run(project, "stl", "bert-qqp")


def test_another_encoder_or_start_is_a_reason_for_another_digest(root):
    """Of a run, of what starts from it, and of no other."""

    def digested(of):
        return {run: digests.of_run(of, "stl", run) for run in ("tfidf", "sbert-stsb", "bert-qqp", "bert-qqp-stsb")}

    def changed(by):
        return [run for run, found in digested(by).items() if found != before[run]]

    shipped, both = project(root, papers=["stl"]), ["bert-qqp", "bert-qqp-stsb"]
    before = digested(shipped)
    assert changed(project(root, papers=["stl"], encoders={"bert": {"source": "generated"}})) == both
    paper = shipped.papers["stl"]
    first = paper.runs["bert-qqp"]
    longer = replace(first.stages[0], recipe=replace(first.stages[0].recipe, epochs=9))
    altered = replace(paper, runs={**paper.runs, "bert-qqp": replace(first, stages=(longer,))})
    assert changed(replace(shipped, papers={"stl": altered})) == both


def test_what_selected_the_run_that_another_starts_from_came_before_it(root):
    loaded = project(root, preset="paper")
    places = Needs(loaded, Layout(loaded, of_project(loaded))).table("stl", "table2").places.runs
    assert places["bert-qqp-stsb"].chosen_by == ("stsb/dev", "qqp/dev")
    assert places["bert-qqp-stsb"].chosen_before == ("qqp/dev",) and places["bert-qqp"].chosen_before == ()


def test_rows_that_choose_what_a_claim_compares_are_among_its_needs(root):
    loaded = project(root, preset="paper", papers=["sn3d", "sn3d-qqp"])
    claims, needs = loaded.papers["sn3d-qqp"].claims.values(), Needs(loaded, Layout(loaded, of_project(loaded)))
    chosen_on = {("split", claim.choose_on) for claim in claims if claim.choose_on}
    assert chosen_on and chosen_on <= {*needs.claims("sn3d-qqp").needs}
