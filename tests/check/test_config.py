"""The configuration: the shipped files are valid, and settings, presets and grids mean what they say."""

import shutil
from contextlib import nullcontext
from dataclasses import fields

import pytest

from configuration import change, project, settings
from semblance import paths
from semblance.config import datasets
from semblance.config.comparable import claims_of_stand_ins
from semblance.config.enumerations import enumeration
from semblance.config.expand import expand_grids, merged
from semblance.config.files import read_yaml
from semblance.config.load import load
from semblance.data.sources import GENERATED
from semblance.errors import UserError
from semblance.evaluation.comparisons import cells_of
from semblance.models.features import FEATURES
from semblance.planning import inputs, targets
from semblance.planning.jobs import of_project
from semblance.planning.layout import Layout
from semblance.specs.recipe import Recipe
from semblance.specs.run import StageSpec
from semblance.specs.settings import PAPERS


@pytest.mark.parametrize("preset", sorted(file.stem for file in (paths.ROOT / "config/presets").glob("*.yaml")))
def test_every_preset_that_ships_is_valid(root, preset):
    loaded = project(root, preset=preset)
    for _, _, spec in loaded.runs():
        assert spec.inputs() or not spec.stages
        if spec.model.encoder:
            assert loaded.encoders[spec.model.encoder].source.kind


def test_schemas_allow_what_the_code_has():
    assert enumeration("GeneratedCorpus.corpus") == list(GENERATED)
    assert enumeration("ModelSpec.features") == list(FEATURES)
    assert enumeration("Settings.data_source or null") == ["hub", "files", "generated", None]


def test_claims_about_untrained_stand_ins_are_known_and_those_about_training_are_not_among_them(root):
    own = dict.fromkeys(("data_source", "encoder_source")) | {"papers": ["stl", "smart"]}
    evening = load(root, settings(root, preset="evening", **own | {"encoder_source": "package"}))
    found = claims_of_stand_ins(evening, "stl")
    # SBERT's encoder is the paper's, `stsb-helps-bert` has one encoder on both sides, a head of random weights is none.
    assert {"bert-zero-shot-poor", "bert-zero-shot-chance"} == {*found}
    assert not {"stsb-helps-sbert", "stsb-helps-bert", "untrained-head-poor"} & {*found}
    assert "qqp-helps-sts" not in claims_of_stand_ins(evening, "smart")
    assert not claims_of_stand_ins(load(root, settings(root, preset="paper", **own)), "stl")


def test_a_preset_may_be_made_for_some_papers_alone(root):
    assert [*project(root, preset="forgetting").papers] == ["smart", "smart-letter", "smart-small"]
    assert {*project(root, preset="evening").papers} == {*PAPERS}
    only = "forgetting.yaml is made for smart, smart-letter, smart-small alone, not stl: leave"
    with pytest.raises(UserError, match=only):
        load(root, settings(root, preset="forgetting", papers=["stl", "smart"]))


def test_claims_about_matched_runs_score_no_rows_that_selected_them(root):
    project = load(root, settings(root, preset="paper", papers=["smart"]))
    claims = project.papers["smart"].claims.items()
    cells = [(name, cell) for name, claim in claims for cell in cells_of(claim) if cell.run.startswith("matched-")]
    assert len(cells) > 40 and not [n for n, cell in cells if cell.on in project.chosen_by("smart", cell.run)]


@pytest.mark.parametrize("paper", ["metric", "metric-combined", "metric-pooling"])
def test_runs_that_decay_their_heads_alone_say_that_they_depart(root, paper):
    runs = project(root, preset="longer" if "-" in paper else "demo", papers=[paper]).papers[paper].runs
    decayed = [run for run in runs.values() if any(stage.recipe.decayed == "head" for stage in run.stages)]
    assert decayed and all("decayed" in run.departs for run in decayed)


@pytest.mark.parametrize(
    ("chosen", "source"),
    [
        ({"path": "/bert"}, "path"),  # what only one source reads also names it
        ({"source": "hub"}, "hub"),  # and the preset's same_as is not meant any more
        ({"same_as": "sbert"}, None),
    ],
)
def test_what_is_chosen_for_an_encoder_comes_before_the_presets(root, chosen, source):
    choice = load(root, settings(root, preset="laptop", encoders={"bert": chosen})).settings.encoder("bert")
    assert (choice.source, choice.same_as) == (source, chosen.get("same_as"))


def test_a_grid_is_every_combination():
    runs = {"{a}-{b}": {"grid": {"a": ["x", "y"], "b": [1, 2]}, "model": {"kind": "{a}", "trees": "{b}"}}}
    expanded = expand_grids(runs, "here")
    assert list(expanded) == ["x-1", "x-2", "y-1", "y-2"]
    assert expanded["y-1"] == {"model": {"kind": "y", "trees": 1}}


def test_a_grid_gives_numbers_where_numbers_stand_and_plain_ones_in_names():
    runs = {"rate-{r}": {"grid": {"r": [2e-5, 1]}, "stages": [{"learning_rate": "{r}", "on": "at {r}"}]}}
    expanded = expand_grids(runs, "here")
    assert expanded["rate-2e-5"] == {"stages": [{"learning_rate": 2e-5, "on": "at 2e-5"}]} and "rate-1" in expanded


def test_a_grid_may_name_values_that_make_no_name():
    runs = {"c-{c}": {"grid": {"c": {"both": ["u", "v"], "one": ["u"]}}, "model": {"features": "{c}"}}}
    expanded = expand_grids(runs, "here")
    assert expanded == {"c-both": {"model": {"features": ["u", "v"]}}, "c-one": {"model": {"features": ["u"]}}}


def test_a_value_of_a_grid_may_have_parts():
    runs = {"{s}-rounds": {"grid": {"s": {"on": {"a": {"x": 1}, "b": {}}}}, "stages": ["{s.a}", "{s.b}", "{s.c}"]}}
    assert expand_grids(runs, "here") == {"on-rounds": {"stages": [{"x": 1}, {}, "{s.c}"]}}


def test_a_name_that_is_only_a_key_gets_the_name_of_the_value():
    runs = {"{n}": {"grid": {"n": {"rfm": {"layers": 1}, "late": {"layers": 2}}}, "network": "{n}"}}
    assert expand_grids(runs, "here") == {"rfm": {"network": {"layers": 1}}, "late": {"network": {"layers": 2}}}


def test_a_grid_without_values_is_refused():
    with pytest.raises(UserError, match="here.x.grid must hold a list"):
        expand_grids({"x": {"grid": {"a": 1}}}, "here")


def test_a_grid_whose_runs_share_a_name_is_refused():
    with pytest.raises(UserError, match="the name 'x' would occur twice"):
        expand_grids({"x": {"grid": {"a": [1, 2]}, "trees": "{a}"}}, "here")


def test_yaml_words_and_numbers_mean_what_they_look_like(tmp_path):
    (tmp_path / "a.yaml").write_text("{on: no, rate: 2e-5, one: 1, version: 1.2.3, yes: true}")
    assert read_yaml(tmp_path / "a.yaml") == {"on": "no", "rate": 2e-5, "one": 1, "version": "1.2.3", "yes": True}


def test_yaml_that_would_construct_objects_is_refused(tmp_path):
    (tmp_path / "a.yaml").write_text("a: !!python/object/apply:os.system ['true']")
    with pytest.raises(UserError, match=r"a.yaml line 1"):
        read_yaml(tmp_path / "a.yaml")


def test_numbers_in_brackets_and_braces_on_the_command_line_are_numbers(root):
    """Snakemake passes them as strings."""
    said = {"corpus": {"generated": "300"}, "recipe": {"learning_rate": "1.0e-3"}}
    made = load(root, settings(root, seeds=["3", "4"], encoders={"bert": {"generated": said}}))
    assert made.settings.seeds == (3, 4)
    assert made.encoders.pretraining("bert").corpus.generated == 300
    assert made.encoders.pretraining("bert").recipe == Recipe(epochs=1, batch_size=32, learning_rate=0.001)


def test_null_on_the_command_line_is_the_presets_value(root):
    said = load(root, settings(root, papers=["stl"], seeds="null", data_source="null"))
    assert said.settings == load(root, settings(root, papers=["stl"])).settings


def test_a_preset_can_give_some_runs_a_single_seed(checkout):
    change(checkout / "config/presets/evening.yaml", 'metric: ["*"]', 'metric: ["*-rate-*"]')
    project = load(
        checkout,
        settings(checkout, preset="evening", papers=["metric", "leaderboard"], data_source="generated", seeds=[3, 4]),
    )
    assert project.seeds_of_run("metric", "siamese-rate-1e-2") == [3]
    assert project.single_seed("metric", "siamese-rate-1e-2") and not project.single_seed("metric", "siamese-bert-cls")
    assert project.seeds_of_run("leaderboard", "metric/siamese-bert-cls") == [3, 4]


def test_numbers_of_own_models_may_be_texts_but_names_of_columns_may_look_like_numbers(root):
    pairs = {"file": "pairs.csv", "sentence1": "0", "sentence2": "1", "score": "2", "lowest": "1", "highest": "5"}
    brought = {"models": {"m": {"path": "/m", "max_length": "32"}}, "pairs": {"p": pairs}, "evaluate_on": []}
    made = load(root, settings(root, papers=["own"], own=brought))
    assert made.datasets.source("own-p").columns == {"sentence1": "0", "sentence2": "1", "label": "2"}
    assert made.papers["own"].runs["m"].model.max_length == 32


def checked(root, **changes):
    project = load(root, settings(root, **changes))
    inputs.check(project, Layout(project, of_project(project)))


def test_folders_and_files_that_do_not_exist_are_named_by_their_key(root, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where nothing is prepared
    pairs = {"file": str(tmp_path / "pairs.csv"), "sentence1": "a", "sentence2": "b", "label": "c"}
    given = {"papers": ["own"], "own": {"models": {"m": {"path": str(tmp_path / "m")}}, "pairs": {"p": pairs}}}
    with pytest.raises(UserError, match=r"own\.pairs\.p\.file: .*pairs\.csv does not exist"):
        checked(root, **given)
    (tmp_path / "pairs.csv").touch()
    with pytest.raises(UserError, match=r"own\.models\.m\.path: .*/m does not exist"):
        checked(root, **given)
    (tmp_path / "results/demo/encoders/own-m/model").mkdir(parents=True)  # was prepared, maybe on another machine
    checked(root, **given)
    with pytest.raises(UserError, match=r"encoders\.bert\.path: /none does not exist"):
        checked(root, papers=["stl"], encoders={"bert": {"source": "path", "path": "/none"}})
    with pytest.raises(UserError, match=r"data_folder has none of the files of these papers, such as .*train.tsv"):
        checked(root, papers=["stl"], data_source="files", data_folder=str(tmp_path))
    (tmp_path / "results/demo/data/qqp").mkdir(parents=True)  # from here on, another dataset's files may be missing
    checked(root, papers=["stl"], data_source="files", data_folder=str(tmp_path))
    with pytest.raises(UserError, match=r"data_folder: /none does not exist"):
        checked(root, papers=["stl"], data_source="files", data_folder="/none")


@pytest.mark.parametrize(
    ("label", "changes", "says"),
    [
        ("binary", {"splits": {"train": "a.csv"}}, "no file of split 'test'"),
        ("binary", {"lowest": 1, "highest": 5}, "two ends of a score's scale"),
        ("score", {"highest": 5}, "two ends of a score's scale"),
        ("score", {"lowest": 5, "highest": 5}, "two ends of a score's scale"),
        ("score", {"lowest": 1, "highest": 5}, None),
        ("binary", {}, None),
    ],
)
def test_a_table_of_pairs_has_a_file_for_each_split_and_a_scale_if_it_has_scores(label, changes, says):
    spec = datasets.spec({"title": "t", "label": label, "splits": ["train", "test"], "empty_text": "drop"})
    columns = {"sentence1": "a", "sentence2": "b", "label": "c"}
    table = {"columns": columns, "splits": {"train": "a.csv", "test": "b.csv"}, **changes}
    with pytest.raises(UserError, match=says) if says else nullcontext():
        datasets.check_splits("mine", spec, datasets.sources({"table": table}))


def test_own_models_are_refused_where_papers_leave_them_out(root):
    with pytest.raises(UserError, match=r"papers: \[own\]"):
        load(root, settings(root, own={"models": {"m": {"path": "/m"}}}))


def test_what_encoders_are_pretrained_on_is_used_too(root):
    project = load(root, settings(root, preset="evening", papers=["metric"]))
    assert project.datasets_used() == ["qqp", "stsb", "mrpc"]


def test_encoders_that_others_start_from_are_made_however_long_the_chain(root):
    chain = {"bert": "minilm-first-layers", "minilm": "sbert"}
    encoders = {name: {"same_as": other} for name, other in chain.items()}
    encoders |= {"minilm-first-layers": {"source": "generated"}, "paraphrase-minilm": {"source": "hub"}}
    encoders["sbert"] = {"source": "generated", "generated": {"start_from": "paraphrase-minilm"}}
    project = load(root, settings(root, preset="laptop", papers=["metric"], encoders=encoders))
    assert {"minilm-first-layers", "sbert", "paraphrase-minilm"} <= set(project.encoders_used())


def test_generated_corpora_have_no_splits_but_their_own(root):
    project = load(root, settings(root, preset="evening", data_source="generated"))
    assert set(project.datasets.source("sts-held-out").rows) == {"train", "dev"}


def test_a_run_without_training_is_the_same_for_every_seed(root):
    project = load(root, settings(root, seeds=[3, 4]))
    assert project.seeds_of_run("stl", "tfidf") == [3]
    assert project.seeds_of_run("stl", "bert-qqp-stsb") == [3, 4]


def test_only_a_trained_run_with_a_single_seed_is_of_one_seed(root):
    one, two = (load(root, settings(root, seeds=seeds)) for seeds in ([3], [3, 4]))
    assert one.single_seed("stl", "bert-qqp-stsb") and not one.single_seed("stl", "tfidf")
    assert not two.single_seed("stl", "bert-qqp-stsb")


def test_a_preset_scales_learning_rates_and_leaves_their_ratios(root):
    demo, paper = (
        load(root, settings(root, preset=p, papers=["minilm"])).papers["minilm"].runs for p in ("demo", "paper")
    )
    rates = [
        [runs[r].stages[0].recipe.learning_rate for r in ("cls-batch-32", "cls-rate-5e-6")] for runs in (paper, demo)
    ]
    assert rates == [[2e-5, 5e-6], [8e-4, 2e-4]]


def test_an_encoder_that_only_is_another_is_not_made_twice(root):
    project = load(root, settings(root, preset="laptop"))
    assert "minilm" in project.encoders_used() and "sbert" not in project.encoders_used()
    assert project.stands_in_for("minilm") == ["bert", "sbert", "paraphrase-minilm"]
    changed = load(root, settings(root, preset="laptop", encoders={"bert": {"source": "path", "path": "/x"}}))
    assert "bert" in changed.encoders_used() and changed.encoders["bert"].source.path == "/x"
    changed = load(root, settings(root, preset="laptop", encoders={"minilm": {"source": "package"}}))
    assert changed.encoders["bert"].source.kind == "package"  # of the encoder that is used in its place
    changed = load(root, settings(root, preset="laptop", encoders={"minilm": {"source": "path", "path": "/x"}}))
    assert changed.encoders.has_published_weights("minilm") and not changed.encoders.has_published_weights("bert")


def test_encoders_that_are_each_other_are_refused(root):
    with pytest.raises(UserError, match="leads back to itself"):
        each_other = {"bert": {"same_as": "sbert"}, "sbert": {"same_as": "bert"}}
        load(root, settings(root, preset="paper", encoders=each_other))


def test_presets_change_recipes_not_papers(root):
    demo, paper = (load(root, settings(root, preset=p)).papers["stl"] for p in ("demo", "paper"))
    assert demo.tables == paper.tables and list(demo.runs) == list(paper.runs)
    assert demo.runs["bert-qqp"] != paper.runs["bert-qqp"]


def test_what_is_changed_for_one_run_comes_last():
    changes = {"y-x": {"epochs": 7}, "*-x": {"epochs": 5}}
    made = merged({"model": {}, "stages": [{"on": "mrpc"}]}, {}, {"stages": {"p": changes}}, "p", "y-x")
    assert made["stages"][0]["epochs"] == 7


def test_a_preset_may_change_one_run_or_the_runs_of_a_pattern_alone():
    changes = {"mrpc": {"epochs": 2, "batch_size": 8}, "bert-*": {"epochs": 5}, "y": {"epochs": 7}}
    stages = [{"on": "mrpc", "objective": "o", "learning_rate": 1.0}]

    def made(run):
        return merged({"model": {}, "stages": stages}, {}, {"stages": {"p": changes}}, "p", run)["stages"][0]

    assert [(made(run)["epochs"], made(run)["batch_size"]) for run in ("bert-x", "x", "y")] == [(5, 8), (2, 8), (7, 8)]


def test_runs_over_one_frozen_encoder_share_a_job_when_their_batches_are_the_same(root):
    found = of_project(load(root, settings(root, preset="paper", papers=["sn3d"])))
    jobs = {job.runs[0]: job for job in found if job.trainer == "frozen_encoder"}
    assert {run: len(job.runs) for run, job in jobs.items()} == {
        "sa-pooling-qqp": 28,
        "sa-pooling-mrpc": 57,
        "sa-pooling-snli": 26,
        "sa-pooling-mnli": 26,
        "batch-mrpc": 1,  # other batches
        **{f"by-loss-{corpus}": 1 for corpus in ("qqp", "mrpc", "snli", "mnli")},  # other metrics on dev
    }
    assert sum(len(job.runs) for job in found if job.trainer != "frozen_encoder") == 18  # BERT, and what is not trained


def test_stages_repeat_as_often_as_they_say_or_as_the_preset_does(root):
    runs = {p: load(root, settings(root, preset=p, papers=["smart"])).papers["smart"].runs for p in ("paper", "demo")}
    stages = runs["paper"]["smart-rounds"].stages
    assert [stage.on for stage in stages] == ["sts-cs224n", "sst", "quora-cs224n"] * 10
    assert stages[2].fraction == 0.03 and stages[0].regularizer.smart.smoothness == 5
    assert 3 <= len(runs["demo"]["smart-rounds"].stages) < 30


def test_the_lineage_of_a_run_is_named_as_the_paper_names_the_run(root):
    project = load(root, settings(root, papers=["metric", "leaderboard", "stl"]))
    assert list(project.lineage("metric", "combined-siamese-bert")) == ["combined-siamese-bert", "fine-tuned-bert"]
    found = project.lineage("leaderboard", "metric/combined-siamese-bert")
    assert list(found) == ["metric/combined-siamese-bert", "metric/fine-tuned-bert"]
    assert project.trained("leaderboard", "metric/regression-cosine-bert") == ["metric/regression-bert-cls"]
    assert project.trained("leaderboard", "metric/combined-siamese-bert") == list(found)


def test_a_run_of_fresh_heads_is_another_for_every_seed(root):
    project = load(root, settings(root, papers=["smart"], seeds=[3, 4]))
    assert project.seeds_of_run("smart", "sbert-untuned") == [3, 4]


def test_only_what_is_public_elsewhere_comes_from_a_repository_instead_of_the_hub(root):
    project = load(root, settings(root, preset="paper"))
    kinds = {name: project.datasets.source(name).kind for name in ("qqp", "sst", "stress", "stress-extended")}
    assert kinds == {"qqp": "hub", "sst": "repository", "stress": "project", "stress-extended": "generated"}
    assert project.datasets.files("sst") == []


def test_a_preset_may_change_the_models_of_a_pattern_alone():
    preset = {"model": {"max_length": 64}, "models": {"p": {"long-*": {"max_length": 256}}}}
    made = [merged({"model": {"max_length": 512}}, {}, preset, "p", run)["model"] for run in ("long-x", "x")]
    assert [model["max_length"] for model in made] == [256, 64]


def test_networks_over_a_frozen_encoder_take_or_refuse_every_key_of_a_stage():
    """A new key must be read by `trainers.frozen_encoder`, or refused by `config.checks._check_frozen`."""
    read = {"on", "objective", "recipe", "select", "watch_every"}
    assert {one.name for one in fields(StageSpec)} == read | {"regularizer", "fraction", "watch"}


def test_a_table_and_its_figure_of_one_name_are_made_by_that_name(root):
    settings = read_yaml(root / "config/config.yaml") | {"papers": ["smart"]}
    made = Layout(load(root, settings), []).aliases()["smart_forgetting_sbert"][0]
    assert {path.rpartition(".")[2] for path in made} == {"md", "csv", "tex", "json", "svg", "png"}


def test_targets_of_a_paper_with_a_hyphen_have_underscores_and_are_not_taken_for_those_of_another(root):
    longer = project(root, preset="longer")
    assert {"sn3d_longer_accuracy", "sn3d_longer_claims"} <= Layout(longer, []).aliases().keys()
    for target, paper in {"sn3d_longer_accuracy": "sn3d-longer", "sn3d_table1": "sn3d"}.items():
        assert f"add {paper} to papers, which are stl" in targets.unknown(target, [], project(root, papers=["stl"]))
    assert "there is no rule 'sn3d_longer_mean'" in targets.unknown("sn3d_longer_mean", [], longer)


def test_a_dataset_is_needed_from_its_source_only_where_it_is_used(root, tmp_path):
    shutil.copytree(root / "config", tmp_path / "config")
    change(
        tmp_path / "config/datasets.yaml",
        "  generated:\n    corpus: graded\n    rows: {train: 4800, dev: 200, test: 500}",
        "",
    )
    project = load(tmp_path, settings(tmp_path, papers=["metric"]))
    assert "stsb" in project.datasets and "stsb" not in project.datasets.with_source()
    with pytest.raises(UserError, match="stsb has no source 'generated'; set data_source to hub, files"):
        load(tmp_path, settings(tmp_path, papers=["stl"]))


@pytest.mark.parametrize("preset", ["demo", "evening", "forgetting", "laptop", "paper"])
def test_rounds_are_as_long_as_the_sequence_that_they_are_compared_with(root, preset):
    runs = (
        load(root, {**read_yaml(root / "config/config.yaml"), "preset": preset, "papers": ["smart"]})
        .papers["smart"]
        .runs
    )
    for task in ("sts", "sst"):
        [stage] = runs[f"matched-plain-{task}"].stages
        rounds = [one.recipe for one in runs["matched-plain-rounds"].stages if one.on == stage.on]
        assert sum(one.epochs for one in rounds) == stage.recipe.epochs
        assert {one.steps_per_epoch for one in rounds} == {stage.recipe.steps_per_epoch}


def test_a_classifier_decides_at_half_and_a_bi_encoder_at_a_tuned_threshold(root):
    project = load(root, settings(root, papers=["metric", "smart"]))
    thresholds = {run: project.own_task("metric", run).threshold for run in ("fine-tuned-bert", "regression-bert-cls")}
    assert thresholds == {"fine-tuned-bert": 0.5, "regression-bert-cls": None}
    assert project.own_task("smart", "plain-quora").threshold == 0.5
