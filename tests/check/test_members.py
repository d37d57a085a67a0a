"""The leaderboard: runs of other papers on the same data, one row each, and claims about kinds of models."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import matplotlib.pyplot as plt
import pytest
from matplotlib.text import Text

from claimed import judged_claim
from configuration import change, project, settings
from measured import make_cell, make_table, written
from semblance.config import members
from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.errors import UserError
from semblance.evaluation.figures import front, tradeoffs
from semblance.planning.jobs import of_project
from semblance.planning.layout import Layout
from semblance.planning.needs import Needs
from semblance.reporting.claims import summary
from semblance.reporting.figures.tables import table_pareto
from semblance.reporting.tables import notes
from semblance.specs.cells import FigureSpec, Subset
from semblance.specs.run import ModelSpec, RunSpec


def test_members_are_scored_on_the_ground_besides_their_own_and_others_are_not(root):
    alone, together = (project(root, papers=["stl", "minilm", *more]).papers for more in ((), ("leaderboard",)))
    datasets = together["leaderboard"] and read_yaml(root / "config/papers/leaderboard.yaml")["evaluate_on"]
    own = ("qqp-tenth/validation", "quoted/minilm")
    assert alone["minilm"].runs["minilm"].evaluate == own
    assert together["minilm"].runs["minilm"].evaluate == (*own, *datasets)
    assert together["minilm"].runs["minilm-linear"].evaluate == own  # not a member
    assert set(datasets) <= set(together["stl"].runs["tfidf"].evaluate)


def test_a_users_model_can_be_a_member(checkout):
    change(checkout / "config/papers/leaderboard.yaml", "members:\n", "members:\n  own: {Mine: mine}\n")
    own = {"models": {"mine": {"path": "/models/mine"}}}
    board = load(checkout, settings(checkout, papers=["own", "leaderboard"], own=own)).papers["leaderboard"]
    assert {*board.tables["board"].rows} == {"own: Mine"}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "STS-B Pearson: {on: stsb/test, ",
            "STS-B Pearson: {",
            "board.columns.STS-B Pearson: a cell of pearson",
        ),
        ("threshold: {tune_on: qqp/dev, ", "threshold: {", "columns.QQP Acc.: a cell of accuracy needs on, and its"),
    ],
)
def test_a_column_without_its_rows_is_refused(checkout, old, new, says):
    change(checkout / "config/papers/leaderboard.yaml", old, new)
    with pytest.raises(UserError, match=says):
        load(checkout, settings(checkout, papers=["stl", "leaderboard"]))


def test_a_member_of_a_paper_that_is_not_rebuilt_is_left_out(root):
    board = project(root, papers=["minilm", "leaderboard"]).papers["leaderboard"]
    names = [
        f"minilm: {name}"
        for name in ("MiniLM as it is", "MiniLM (QQP)", "MiniLM, [CLS] (QQP)", "TF-IDF + random forest")
    ]
    assert list(board.tables["board"].rows) == list(board.tables["by-type"].rows) == names
    assert {cell.run for cell in board.tables["board"].cells["minilm: MiniLM (QQP)"].values()} == {"minilm/minilm-mean"}
    assert board.claims == {}  # no cross-encoder to compare with
    claim = project(root, papers=["stl", "leaderboard"]).papers["leaderboard"].claims["modal"]
    better, than = ({cell.run for cell in side} for side in (claim.better, claim.than))
    assert "stl/bert-qqp-stsb" in better and "stl/sbert-stsb" in than
    assert "stl/tfidf" not in better | than


def test_another_papers_run_is_found_by_both_its_names(root):
    whole = project(root, papers=["stl", "leaderboard"])
    layout = Layout(whole, of_project(whole))
    needs = Needs(whole, layout)
    assert layout.runs("training", "leaderboard", "stl/tfidf") == layout.runs("training", "stl", "tfidf")
    assert whole.run("leaderboard", "stl/tfidf") is whole.run("stl", "tfidf")
    files = needs.table("leaderboard", "board").files
    assert set(layout.made_for("speed", "stl", "sbert-stsb")) <= set(files)
    places = needs.table("leaderboard", "board").places
    assert places.runs["stl/tfidf"].predictions == ("results/demo/runs/stl/tfidf/seed-1/predictions/tfidf",)
    assert places.runs["stl/sbert-stsb"].chosen_by == ("stsb/dev",)
    assert places.runs["stl/bert-stsb"].chosen_by == ()  # the demo trains it for one epoch, so nothing is selected


def test_pairs_that_a_member_learnt_from_are_left_out_for_all(root):
    """smart's runs train on other splits of STS-B and QQP; splits that a run only evaluates do not count."""
    papers = project(root, papers=["stl", "minilm", "smart", "leaderboard"]).papers
    columns = papers["leaderboard"].tables["board"].cells["stl: TF-IDF"]
    scored, tuned = columns["QQP Acc."].subset.unseen_in, columns["QQP Acc."].rule.subset.unseen_in
    assert {"quora-cs224n/train", "quora-cs224n/dev", "qqp-tenth/train"} <= set(scored)
    assert "qqp-tenth/validation" not in scored  # only evaluated by minilm; it is GLUE's validation set
    assert not any(split.startswith("qqp/") for split in scored)  # disjoint since preparation
    assert "quora-cs224n/train" in tuned
    assert "quora-cs224n/dev" not in tuned
    assert "sts-cs224n/train" in columns["STS-B Pearson"].subset.unseen_in
    assert columns["ms a pair"].subset == Subset()
    # sbert-sst is trained on SST alone, but starts from runs that were trained on the others
    claim = project(root, papers=["stl", "smart", "leaderboard"]).papers["leaderboard"].claims["modal"]
    for compared in claim.cells:
        assert compared.subset.group == "modal"
        assert {"snli-triplets/train", "quora-cs224n/train"} <= set(compared.subset.unseen_in)


def test_networks_trained_side_by_side_stay_so_when_some_are_scored_on_more(root):
    alone, together = (of_project(project(root, papers=["sn3d", *more])) for more in ((), ("leaderboard",)))
    assert [job.runs for job in alone] == [job.runs for job in together]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  minilm:", "  minlim:", "members: there is no paper 'minlim'; did you mean 'minilm'"),
        ("TF-IDF: tfidf", "TF-IDF: tfidff", "members.stl: there is no run 'tfidff'; did you mean 'tfidf'"),
        (
            "better: cross-encoders",
            "better: crossencoders",
            "no group of models 'crossencoders'; did you mean",
        ),
    ],
)
def test_a_member_or_group_that_is_none_is_refused_with_the_nearest_name(checkout, old, new, says):
    change(checkout / "config/papers/leaderboard.yaml", old, new)
    with pytest.raises(UserError, match=says):
        project(checkout, papers=["stl", "leaderboard"])


def test_on_the_front_is_what_nothing_is_both_cheaper_and_better_than():
    points = {"slow, best": (9.0, 0.9), "cheap": (1.0, 0.5), "as cheap, better": (1.0, 0.6), "middle": (4.0, 0.8)}
    points |= {"dearer, no better": (5.0, 0.8), "dearer, worse": (6.0, 0.7)}
    assert front(points) == ["as cheap, better", "middle", "slow, best"]
    assert front({}) == []


def test_numbers_of_crowded_points_of_the_front_do_not_cover_one_another(tmp_path):
    costs, qualities = (0.02, 7.0, 7.5, 8.0, 8.6, 12.0), (0.7, 0.82, 0.821, 0.822, 0.823, 0.83)
    rows = {
        f"stl: {cost}": [make_cell(value=cost), make_cell(value=good, low=good - 0.1, high=good + 0.1)]
        for cost, good in zip(costs, qualities, strict=True)
    }
    board = written(tmp_path, replace(make_table(**rows), columns=("ms", "quality")))
    spec = FigureSpec("table-pareto", "c", cost="ms", qualities=("quality",))
    figure = table_pareto(spec, tradeoffs(spec, [board], None))
    figure.draw_without_rendering()
    [axis] = figure.axes
    boxes = [Text.get_window_extent(number) for number in axis.texts]  # without the line to its point
    plt.close(figure)
    assert [number.get_text() for number in axis.texts] == list("123456")
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))


def test_a_figure_of_costs_shows_one_machine_alone_and_names_what_it_leaves_out(tmp_path):
    machines = {"stl: a": "a GPU", "stl: b": "a CPU", "sn3d: c": "a GPU"}
    rows = {
        name: [make_cell(value=1.0 + place, timed=True, machine=machine), make_cell(value=0.8)]
        for place, (name, machine) in enumerate(machines.items())
    }
    table = replace(make_table(**rows), columns=("ms", "quality"))
    spec = FigureSpec("table-pareto", "c", cost="ms", qualities=("quality",))
    found = tradeoffs(spec, [written(tmp_path, table)], None)
    assert list(found.by_quality["quality"].points) == ["stl: a", "sn3d: c"] and found.left_out == ["stl: b"]
    figure = table_pareto(spec, found)
    assert figure.get_supxlabel() == "Measured on another machine, not shown: b"
    plt.close(figure)
    [note] = [note for note in notes(table) if "different machines" in note]
    assert note.endswith("cannot be compared: stl: b on a CPU; all others on a GPU.")


def test_a_claim_is_summed_up_by_its_verdict_and_those_of_its_parts():
    claim = partial(judged_claim, metric="accuracy")
    whole = claim(effect=0.02, low=-0.01, high=0.05)
    parts = {
        "modal": claim(verdict="supported", effect=0.1),
        "role-swap": claim(verdict="refuted", effect=-0.2),
        "negation": claim(verdict="supported", effect=0.3),
        "numeric": claim(effect=0.05),
        "direction": claim(effect=-0.01),
    }
    assert summary(whole, parts) == (
        "A beats B. This is inconclusive: +0.020 [-0.010, +0.050] accuracy. "
        "By part, it is supported for modal (+0.100), negation (+0.300); it is refuted for role swap (-0.200); "
        "it is inconclusive for 2 of 5 (effects -0.010 to +0.050)."
    )
    three = {str(number): claim(verdict="supported", effect=number / 10) for number in (2, 1, 4)}
    assert summary(whole, three).endswith(" By part, it is supported for 2 (+0.200), 1 (+0.100), 4 (+0.400).")
    many = {str(number): claim(verdict="supported", effect=number / 10) for number in (2, 1, 4, 3)}
    assert summary(whole, many).endswith(" By part, it is supported for 4 of 4 (effects +0.100 to +0.400).")


def test_a_member_has_learned_from_what_all_runs_before_it_learned_from():
    runs = {"a": RunSpec(ModelSpec("tfidf"))}
    runs |= {name: RunSpec(ModelSpec("tfidf"), start_from=start) for name, start in (("b", "a"), ("c", "b"))}
    assert members._with_origins(runs, "c") == [runs["c"], runs["b"], runs["a"]]
