"""Resolved recipes: every hyperparameter with what set it."""

import pytest
import yaml

from configuration import project, settings
from semblance.config.expand import origins
from semblance.config.load import load
from semblance.planning import recipes
from semblance.planning.costs import Costs
from semblance.reporting.recipes import markdown, rows, write
from semblance.specs.resolved import Setting, recipes_from


def of(root, **changes):
    project = load(root, settings(root, **changes))
    return recipes.of_project(project, Costs(project, "cpu", root))


def test_each_value_says_what_set_it(root):
    run = of(root, preset="demo")["stl"]["bert-qqp"]
    [stage] = [one.settings for one in run.stages]
    assert stage["learning_rate"] == Setting(5e-4, "preset")  # 25 × 2e-5
    assert stage["batch_size"] == Setting(32, "paper")
    assert stage["epsilon"] == Setting(1e-8, "default") and "momentum" not in stage
    assert stage["training_rows"] == Setting(4800, "preset")
    assert stage["steps"].value == 150 and stage["warmup_steps"].value == 15
    assert run.model["weights"] == Setting("shipped resources/encoders/bert", "preset")
    assert run.settings["seeds"] == Setting([1], "preset")


def test_the_paper_preset_changes_no_recipe(root):
    for runs in of(root, preset="paper", papers=["stl", "sn3d", "smart", "metric", "minilm"]).values():
        stages = [stage for run in runs.values() for stage in run.stages]
        given = [one for stage in stages for one in (stage.settings, *stage.regularizers.values())]
        assert {setting.set_by for one in given for setting in one.values()} == {"paper", "default"}


def test_warm_up_is_a_share_of_the_steps_of_all_epochs(root):
    [stage] = of(root, preset="paper")["stl"]["bert-stsb"].stages
    assert [stage.settings[key].value for key in ("steps_per_epoch", "steps", "warmup_steps")] == [180, 720, 72]


def test_settings_are_named_and_regularizers_are_whole(root):
    run = of(root, preset="paper", papers=["smart"], seeds=[7], precision="fp32")["smart"]["smart-sst"]
    assert run.settings["seeds"] == Setting([7], "config.yaml") and run.settings["precision"].value == "fp32"
    smart = run.stages[0].regularizers["smart"]
    assert smart["smoothness"] == Setting(10, "paper")
    assert smart["epsilon"] == Setting(1e-5, "paper")  # although it is the default
    assert smart["variant"] == Setting("equations", "default")


def test_what_selects_a_stage_and_defaults_of_the_model_are_there(root):
    found = of(root, preset="demo", papers=["smart", "metric"])
    rules = found["smart"]["smart-rounds"].settings["select_stage"].value
    assert [rule["metric"] for rule in rules] == ["pearson", "class-accuracy", "accuracy"]
    assert "best stage by pearson, class-accuracy, accuracy" in rows("r", found["smart"]["smart-rounds"])[0][1]
    model = found["metric"]["regression-bert-cls"].model
    assert model["hidden_layers"] == Setting(0, "default")
    assert "hidden" not in rows("r", found["metric"]["regression-bert-cls"])[0][1]
    assert found["smart"]["smart-sst"].stages[0].settings["precision"].value == "fp32"  # as all regularized stages
    assert rows("r", found["smart"]["smart-sst"])[0][10] == "*fp32*"
    assert rows("r", found["metric"]["regression-bert-cls"])[0][10] == "**auto**"


def test_what_networks_over_a_frozen_encoder_and_fitted_models_use(root):
    found = of(root, preset="demo", papers=["sn3d", "stl"])
    assert found["sn3d"]["sa-pooling-qqp"].settings["precision"] == Setting("fp32", "default")
    fitted = found["stl"]["tfidf"]
    assert "max_length" not in fitted.model and fitted.settings["training_rows"].value > 4800
    assert rows("r", fitted)[0][2:4] == ["–", f"**{fitted.settings['training_rows'].value}**"]
    laptop = of(root, preset="laptop", data_source="hub")["stl"]["tfidf"]  # fewer rows of QQP, all of STS-B
    assert laptop.settings["training_rows"] == Setting(20_000 + 5749, "preset")


def test_constants_of_losses_and_of_networks_are_there(root):
    found = of(root, preset="evening", papers=["metric", "sn3d"])
    [stage] = found["metric"]["triplet-bert-cls"].stages
    assert stage.settings["margin"] == Setting(0.5, "default")
    assert "triplet, margin *0.5*" in rows("r", found["metric"]["triplet-bert-cls"])[0][4]
    assert found["metric"]["triplet-bert-cls"].model["encoder_dropout"] == Setting("as pre-trained", "default")
    assert found["sn3d"]["sa-pooling-qqp"].model["dropout"] == Setting(0.2, "default")
    assert "dropout *0.2*" in rows("r", found["sn3d"]["sa-pooling-qqp"])[0][1]


def test_numbers_of_triplets_and_of_their_steps_are_estimates(root):
    run = of(root, preset="evening", papers=["smart"])["smart"]["simcse-in-batch"]
    [stage] = [one.settings for one in run.stages]
    # 1,492 triplets, which take 47 steps, are what the published run had.
    assert stage["training_rows"].value == 4500 and stage["examples"].value == "about 1485"
    assert stage["steps"].value == 47
    assert "4500**, **about 1485** examples" in rows("r", run)[0][3]
    assert rows("r", run)[0][-3:-1] == ["**auto**", "**1**"]


def test_a_value_of_zero_is_set():
    assert recipes._plain({"threshold": 0, "patience": None, "show": (), "on_unit_scale": False}) == {"threshold": 0}


def test_two_stages_on_one_dataset_have_origins_of_their_own():
    stage = {"on": "qqp", "objective": "binary-cross-entropy"}
    written = {"model": {}, "stages": [{**stage, "learning_rate": 1e-5}, {**stage, "learning_rate": 2e-5}]}
    assert [one["learning_rate"] for one in origins(written, written).stages] == ["paper", "paper"]
    preset = {**written, "stages": [written["stages"][0], {**stage, "learning_rate": 1e-5}]}
    assert [one["learning_rate"] for one in origins(preset, written).stages] == ["paper", "preset"]
    first = {**written, "stages": written["stages"][:1]}  # as of a preset that repeats stages less often
    assert [one["learning_rate"] for one in origins(first, written).stages] == ["paper"]


def test_a_repeated_stage_is_one_row_and_what_is_set_is_marked(root, tmp_path):
    found = of(root, preset="demo", papers=["stl", "smart"])
    lines = rows("r", found["smart"]["smart-rounds"])
    assert [line[2] for line in lines] == ["3 × sts-cs224n", "3 × sst", "3 × quora-cs224n"]
    assert rows("r", found["stl"]["bert-qqp"])[0][2] == "qqp"
    assert (
        "**0.0005**" in rows("r", found["stl"]["bert-qqp"])[0]
        and "*adamw*" in rows("r", found["stl"]["bert-qqp"])[0][5]
    )

    class Outputs:
        md, yaml = tmp_path / "r.md", tmp_path / "r.yaml"

    write(found, Outputs)
    read = recipes_from(yaml.safe_load(Outputs.yaml.read_text()))
    assert read["stl"]["bert-qqp"].stages[0].settings == found["stl"]["bert-qqp"].stages[0].settings
    assert markdown(read) == markdown(found)
    assert "## smart" in Outputs.md.read_text()


def test_a_scaled_average_moves_as_far_in_a_stage_as_in_an_epoch_of_the_thesis(root):
    made = project(root, preset="forgetting")
    for task, of_epoch in {"quora": 283_010 // 8, "sts": 6_040 // 8, "sst": 8_544 // 8}.items():
        [stage] = made.run("smart-letter", f"scaled-{task}").stages
        per_epoch, steps = stage.recipe.steps(3000)
        smart = stage.regularizer.smart
        assert smart.momentum == pytest.approx([beta ** (of_epoch / steps) for beta in (0.99, 0.999)], abs=1e-6)
        assert smart.momentum_switch * per_epoch == pytest.approx(steps / 5)
