"""Models without a network: their scores by scikit-learn or by hand, and their files."""

import numpy as np
import pytest
from safetensors.numpy import save_file
from sklearn.linear_model import LogisticRegression

from semblance import models
from semblance.data import rows
from semblance.errors import UserError
from semblance.models import tfidf, tfidf_forest, word2vec
from semblance.specs.computing import Computing
from semblance.specs.run import ModelSpec, RunSpec
from semblance.trainers import fit, prediction
from semblance.trainers.work import Scoring, Training
from small import TEXTS


def test_tfidf_is_scikit_learns_cosine_and_comes_back_from_its_file(make_pairs, tmp_path):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    pairs = make_pairs((TEXTS[0], TEXTS[1], 1), (TEXTS[2], TEXTS[3], 0), (TEXTS[0], TEXTS[0], 1))
    model = tfidf.Model.fit(ModelSpec("tfidf"), [pairs], 1, 1)
    vectors = TfidfVectorizer().fit(list(dict.fromkeys(pairs.sentence1 + pairs.sentence2)))
    theirs = cosine_similarity(vectors.transform(pairs.sentence1), vectors.transform(pairs.sentence2)).diagonal()
    np.testing.assert_allclose(model.score(pairs), theirs, atol=1e-12)
    model.save(tmp_path)
    np.testing.assert_allclose(tfidf.Model.open(ModelSpec("tfidf"), tmp_path, "cpu").score(pairs), theirs, atol=1e-12)


def test_the_forest_is_scikit_learns_on_the_features_asked_for_and_comes_back_from_its_file(make_pairs, tmp_path):
    from scipy.sparse import hstack
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer

    pairs = make_pairs(*[(a, b, float(i % 3 == 0)) for i, (a, b) in enumerate(zip(TEXTS * 6, TEXTS[1:] * 8))])
    spec = ModelSpec("tfidf-forest", trees=7, features=("|u-v|", "u*v"))
    model = tfidf_forest.Model.fit(spec, [pairs], 3, 1)
    vectorizer = TfidfVectorizer().fit(TEXTS)
    u, v = vectorizer.transform(pairs.sentence1), vectorizer.transform(pairs.sentence2)
    features = hstack([abs(u - v), u.multiply(v)], format="csr")
    theirs = RandomForestClassifier(7, random_state=3).fit(features, pairs.label).predict_proba(features)[:, 1]
    assert np.ptp(theirs) > 0.1
    nodes = sum(tree.tree_.node_count for tree in model.forest.estimators_)
    assert model.parameters == len(vectorizer.vocabulary_) + nodes > nodes > 7
    np.testing.assert_allclose(model.score(pairs), theirs, atol=1e-12)
    model.save(tmp_path)
    np.testing.assert_array_equal(tfidf_forest.Model.open(spec, tmp_path, "cpu").score(pairs), model.score(pairs))


def test_word2vec_is_the_mean_of_known_words_by_hand(make_pairs, tmp_path):
    (tmp_path / "words.txt").write_text("cat\nDog\nsat")
    save_file({"vectors": np.array([[1, 0], [0, 1], [1, 1]], np.float32)}, tmp_path / "vectors.safetensors")
    model = word2vec.Model.open(ModelSpec("word2vec"), tmp_path, "cpu")
    assert model.embed("The Cat sat!").tolist() == [1.0, 0.5]  # "The" is unknown, "Cat" is known as "cat"
    scores = model.score(make_pairs(("cat", "Dog", 0), ("cat", "sat", 1), ("cat", "???", 0)))
    np.testing.assert_allclose(scores, [0, 1 / np.sqrt(2), 0], atol=1e-7)


def test_a_word_has_the_vector_of_its_own_case_if_there_is_one(tmp_path):
    (tmp_path / "words.txt").write_text("may\nMay")
    save_file({"vectors": np.array([[1, 0], [0, 1]], np.float32)}, tmp_path / "vectors.safetensors")
    model = word2vec.Model.open(ModelSpec("word2vec"), tmp_path, "cpu")
    assert [model.embed(text).tolist() for text in ("may", "May", "MAY")] == [[1, 0], [0, 1], [1, 0]]


def test_surface_baselines_see_only_overlap_length_or_the_majority(make_pairs, tmp_path):
    pairs = make_pairs(("a b c", "a b d e", 1.0), ("x", "y z", 0.0), ("same", "same", 0.0))
    expected = {"overlap": [2 / 5, 0, 1], "length": [3 / 4, 1 / 2, 1], "majority": [1 / 3] * 3}
    for cue, scores in expected.items():
        spec = ModelSpec("surface", cue=cue, fit_on=("set/train",))
        model = models.kind("surface").fit(spec, [pairs], seed=1, threads=1)
        model.save(tmp_path)
        assert models.kind("surface").open(spec, tmp_path, "cpu").score(pairs) == pytest.approx(scores)


def test_the_majority_of_classes_is_the_share_of_each(make_pairs, tmp_path):
    pairs = make_pairs(("a", "b", 0), ("c", "d", 2), ("e", "f", 2), ("g", "h", 2), kind="inference")
    spec = ModelSpec("surface", cue="majority", classes=3, fit_on=("set/train",))
    models.kind("surface").fit(spec, [pairs], seed=1, threads=1).save(tmp_path)
    scores = models.kind("surface").open(spec, tmp_path, "cpu").score(pairs)
    np.testing.assert_array_equal(scores, [[0.25, 0, 0.75]] * 4)


def test_classes_follow_from_a_cue_by_logistic_regression(make_pairs, tmp_path):
    same, other = [("a b", "a b", 0)] * 6, [("a b", "c d", 2)] * 4
    pairs = make_pairs(*same, *other, ("a b", "a c", 1), ("a b", "a c", 0), kind="inference")
    spec = ModelSpec("surface", cue="overlap", classes=3, fit_on=("set/train",))
    models.kind("surface").fit(spec, [pairs], seed=1, threads=1).save(tmp_path)
    scores = models.kind("surface").open(spec, tmp_path, "cpu").score(pairs)
    overlaps = np.array([[1.0]] * 6 + [[0.0]] * 4 + [[1 / 3]] * 2)
    labels = np.array([0] * 6 + [2] * 4 + [1, 0])
    np.testing.assert_allclose(scores, LogisticRegression().fit(overlaps, labels).predict_proba(overlaps))
    assert scores.argmax(1).tolist()[:10] == labels.tolist()[:10]
    with pytest.raises(UserError, match="set/train has no row of class 1 among its 10 rows"):
        models.kind("surface").fit(spec, [make_pairs(*same, *other, kind="inference")], seed=1, threads=1)


def test_the_recorded_time_is_the_median_of_its_repetitions(make_pairs, tmp_path):
    work = Scoring({}, {}, Computing("cpu", "fp32", 1), {"a": {}}, {"a": tmp_path}, {})
    pairs = make_pairs(("x", "y", 1.0))
    speed = prediction.record(work, "a", "set/dev", pairs, "digest", np.zeros(1), [1.0, 2.0, 9.0])
    assert speed == {"pairs": 1, "seconds": 2.0, "each": [1.0, 2.0, 9.0]}


def test_a_fitted_run_and_a_trained_one_are_of_the_same_machine(make_pairs, tmp_path):
    from accelerate import Accelerator

    from semblance import device

    rows.write(tmp_path / "train.parquet", make_pairs((TEXTS[0], TEXTS[1], 1), (TEXTS[2], TEXTS[3], 0)))
    (tmp_path / "made" / "model").mkdir(parents=True)
    spec = RunSpec(ModelSpec("tfidf", fit_on=("set/train",)))
    files = {"data": {"set/train": tmp_path / "train.parquet"}, "folders": {"a": tmp_path / "made"}}
    files |= {"origin": None, "state": tmp_path / "state", "save_every": 60}
    work = Training({"a": spec}, computing=Computing("cpu", "fp32", 1), made_by={"a": {}}, seed=1, **files)
    fitted, trained = fit.train(work)["a"], device.describe(Accelerator(cpu=True))
    assert {key: fitted[key] for key in ("device", "processor")} == {"device": "cpu", "processor": trained["processor"]}
