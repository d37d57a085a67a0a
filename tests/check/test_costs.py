"""Estimated costs of jobs, compared with calculations by hand."""

import re
from dataclasses import replace

import pytest

from configuration import change, project
from semblance.config.files import read_yaml
from semblance.errors import UserError
from semblance.planning.costs import Costs
from semblance.planning.jobs import Job, of_project
from semblance.reporting.plan import text
from semblance.specs.costs import Cost, Plan, Rate, Total
from semblance.specs.recipe import Recipe
from semblance.specs.regularizers import Regularizers, SmartSpec

SETTINGS = {"preset": "paper", "papers": ["stl", "sn3d", "smart"], "seeds": [1]}


def alone(paper, run):
    return Job(paper, "engine", ((run,),))


@pytest.fixture
def planned(root):
    return project(root, **SETTINGS)


def test_steps_are_those_of_whole_passes_unless_an_epoch_is_said_to_be_shorter():
    assert Recipe(3, 32, 1).steps(100) == (4, 12)
    assert Recipe(2.5, 32, 1, steps_per_epoch=10).steps(100) == (10, 25)
    assert Recipe(0.1, 32, 1).steps(1) == (1, 1)


def test_a_runs_training_is_its_steps_and_its_evaluations_on_dev(planned, root):
    """BERT base has 84.9 million weights in its blocks, and a pair of STS-B has 29 tokens.

    Training sees 4 epochs × 180 steps × 32 pairs, at six operations for each weight and token; dev's 1,500 pairs are
    scored five times, at two. This is 3.41e14 and 0.37e14 operations, of 1.2e13 a second, after 12 seconds to start.
    """
    found = Costs(planned, "cuda", root).training(alone("stl", "bert-stsb"))
    assert found.seconds == pytest.approx(12 + 28.38 + 3.07, abs=0.05)
    assert found.disk_mb == 440 and found.memory_mb == 4000 + 24 * 110


def test_what_is_not_trained_is_held_once(planned, root):
    costs = Costs(planned, "cuda", root)
    assert costs.training(alone("stl", "bert-pretrained")).memory_mb == 4000 + 4 * 110
    assert costs.scoring(alone("stl", "bert-stsb")).memory_mb == 4000 + 4 * 110
    assert costs.training(alone("stl", "word2vec")).memory_mb == 4000 + 4 * 900


def test_networks_side_by_side_share_their_encoders_pass(planned, root):
    costs = Costs(planned, "cpu", root)
    specs = planned.papers["sn3d"].runs
    runs = [run for run, spec in specs.items() if run.endswith("-snli") and spec.model.network]
    sets = {"one": (tuple(runs[:1]),), "all": (tuple(runs),), "in turn": (tuple(runs[:1]), tuple(runs[1:]))}
    took = {name: costs.training(Job("sn3d", "frozen_encoder", found)).seconds - 12 for name, found in sets.items()}
    one_pass = took["one"] / (1 + 0.5)
    assert took["all"] == pytest.approx(one_pass * (1 + 0.5 * len(runs)))
    assert took["in turn"] == pytest.approx(one_pass * (2 + 0.5 * len(runs)))


def test_a_step_with_smart_takes_the_forward_passes_of_its_terms(planned, root):
    """A step is three forward passes; smoothness adds five and proximity one, so a step with both takes nine."""
    costs, spec = Costs(planned, "cuda", root), planned.run("smart", "smart-sst")
    [stage] = spec.stages
    alone = replace(stage, select=None, watch="", watch_every=None)
    took = {}
    for smart in (None, SmartSpec(10, 0), SmartSpec(0, 1), SmartSpec(10, 1)):
        took[smart] = costs._stage_seconds(spec, replace(alone, regularizer=Regularizers(smart)))
    plain, *others = took.values()
    assert [3 * other / plain for other in others] == pytest.approx([8, 4, 9])


def test_a_preset_that_takes_fewer_rows_costs_less(root):
    seconds = {}
    for preset in ("laptop", "paper"):
        loaded = project(root, **SETTINGS | {"preset": preset})
        seconds[preset] = Costs(loaded, "cpu", root).training(alone("stl", "bert-qqp")).seconds
    assert seconds["laptop"] < seconds["paper"] / 50


def test_every_corpus_and_encoder_of_the_papers_has_a_size(root, planned):
    known = read_yaml(root / "config/costs.yaml")
    whole = project(root, preset="paper")
    assert set(whole.datasets_used()) <= set(known["datasets"])
    for name in whole.datasets_used():
        assert set(whole.datasets[name].splits) == set(known["datasets"][name]["rows"])
    assert set(whole.encoders_used()) <= set(known["encoders"])


def test_a_plan_adds_up_and_says_how_it_is_known():
    costs = [Cost(1800.0, 0.0, 500.0), Cost(5400.0, 0.0, 1000.0)]
    papers = {"a": Total.of(costs), "b": Total.of(costs)}
    plan = Plan("paper", 5, 4, "cuda", Rate(5e13, "estimated"), 80, papers, Total.of(costs * 2))
    shown = text(plan).splitlines()
    assert shown[0] == "The paper preset, seeds: 5. Training and scoring in GPU-hours."
    assert [cell.strip() for cell in shown[4].strip("|").split("|")] == ["a", "2", "2.0", "90", "1.5"]
    assert [cell.strip() for cell in shown[6].strip("|").split("|")] == ["all", "4", "4.0", "90", "3.0"]
    assert "(estimated)." in shown
    of_cores = text(replace(plan, device="cpu", threads=2)).splitlines()
    assert of_cores[0].endswith("in core-hours.")
    assert [cell.strip() for cell in of_cores[4].strip("|").split("|")] == ["a", "2", "4.0", "90", "1.5"]


def test_the_readme_says_what_presets_cost(root):
    """Core-hours or GPU-hours and gigabytes of all papers of a preset, as `plan` estimates them."""
    read = []
    for line in (root / "README.md").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\| `(\w+)`.* \| (\d+) (core|GPU)-hours?, ([\d.]+) GB \|$", line):
            preset, hours, unit, disk = found.groups()
            loaded = project(root, preset=preset)
            plan = Costs(loaded, "cpu" if unit == "core" else "cuda", root).plan(of_project(loaded))
            at_once = plan.threads if unit == "core" else 1
            assert int(hours) == round(plan.total.seconds * at_once / 3600)
            assert float(disk) == pytest.approx(plan.total.disk_mb / 1000, rel=0.1)
            read.append(preset)
    assert read == ["demo", "evening", "laptop", "transfer", "forgetting", "longer", "paper"]


def test_a_misspelt_key_of_the_sizes_is_refused(planned, checkout):
    change(checkout / "config/costs.yaml", "mrpc: {tokens: 54", "mrpc: {token: 54")
    with pytest.raises(UserError, match="costs.yaml: datasets.mrpc: there is no key 'token'; did you mean 'tokens'"):
        Costs(planned, "cpu", checkout)


def test_rows_held_out_of_a_generated_split_are_a_tenth_at_most_and_not_trained_on(root):
    """The demo generates 3,200 pairs of Quora and 9,600 of STS, of which 10,000 and 604 would be held out."""
    costs = Costs(project(root, preset="demo"), "cpu", root)
    for name, rows in {"quora-held-out": [2880, 320], "sts-held-out": [8996, 604]}.items():
        assert [costs.rows(f"{name}/{split}") for split in ("train", "selection")] == rows
