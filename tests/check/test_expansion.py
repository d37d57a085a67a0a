"""What a preset changes in the keys of a run that the paper's file or its defaults give."""

from semblance.config.expand import merged


def test_a_presets_keys_of_a_stage_come_before_those_of_the_paper():
    spec = {"model": {}, "stages": [{"on": "mrpc", "epochs": 4, "learning_rate": 2e-5}]}
    preset = {"stages": {"p": {"mrpc": {"epochs": 2, "learning_rate_factor": 25}}}}
    [stage] = merged(spec, {"stage": {"epochs": 3, "batch_size": 32}}, preset, "p", "r")["stages"]
    assert stage == {"on": "mrpc", "epochs": 2, "batch_size": 32, "learning_rate": 5e-4}


def test_a_preset_scales_dropout():
    preset = {"models": {"p": {"*": {"dropout_factor": 0.5}}}}
    given, none = ({"model": keys} for keys in ({"dropout": 0.3}, {}))
    assert merged(given, {}, preset, "p", "r")["model"] == {"dropout": 0.15}
    assert merged(none, {}, preset, "p", "r")["model"] == {}
