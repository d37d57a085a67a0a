"""Metrics, compared with scikit-learn, scipy and values calculated by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as reference

from semblance.config.enumerations import SCORED_METRICS, TUNED_METRICS
from semblance.evaluation import metrics
from semblance.registry import METRICS

rng = np.random.default_rng(0)
LABELS = (rng.random(300) < 0.37).astype(float)
SCORES = np.clip(0.3 * LABELS + 0.7 * rng.random(300), 0, 1).round(2)  # rounded, so that there are ties


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("accuracy", reference.accuracy_score),
        ("f1", reference.f1_score),
        ("precision", reference.precision_score),
        ("recall", reference.recall_score),
    ],
)
@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.8])
def test_decisions_agree_with_scikit_learn(name, theirs, threshold):
    assert metrics.compute(name, LABELS, SCORES, threshold) == pytest.approx(theirs(LABELS, threshold <= SCORES))


@pytest.mark.parametrize("classes", [2, 5])
def test_weighted_f1_agrees_with_scikit_learn_also_where_a_class_is_never_said(classes):
    rng = np.random.default_rng(classes)
    targets, scores = rng.integers(0, classes, 200).astype(float), rng.integers(0, classes - 1, 200).astype(float)
    theirs = reference.f1_score(targets, scores, average="weighted", zero_division=0)
    assert metrics.compute("class-weighted-f1", targets, scores) == pytest.approx(theirs)
    if classes == 2:
        assert metrics.compute("weighted-f1", targets, scores, 0.5) == pytest.approx(theirs)


def test_between_neighbouring_numbers_a_threshold_still_separates():
    scores = np.array([0.5, np.nextafter(0.5, 1)])
    best = metrics.best_threshold("accuracy", np.array([0.0, 1.0]), scores)
    assert metrics.compute("accuracy", np.array([0.0, 1.0]), scores, best) == 1


def test_rankings_agree_with_scipy_and_scikit_learn():
    assert metrics.compute("pearson", LABELS, SCORES) == pytest.approx(stats.pearsonr(LABELS, SCORES)[0])
    assert metrics.compute("spearman", LABELS, SCORES) == pytest.approx(stats.spearmanr(LABELS, SCORES)[0])
    assert metrics.compute("roc-auc", LABELS, SCORES) == pytest.approx(reference.roc_auc_score(LABELS, SCORES))


def test_absolute_error_by_hand():
    assert metrics.compute("mean-absolute-error", np.array([1.0, 0.0]), np.array([0.75, 0.5])) == 0.375


@pytest.mark.parametrize("constant", [np.full(5, 0.1), np.zeros(5), np.full(5, 1 / 3)])
@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_a_correlation_with_a_constant_is_undefined(name, constant):
    assert np.isnan(metrics.compute(name, np.arange(5.0), constant))


def test_an_f1_with_nothing_to_find_is_undefined():
    assert np.isnan(metrics.compute("f1", np.zeros(3), np.zeros(3), 0.5))
    assert np.isnan(metrics.compute("roc-auc", np.ones(3), np.arange(3.0)))


def test_answering_yes_to_everything_on_qqp_gives_the_f1_that_fidelity_explains():
    """stl, Table II, BERT (Pre-trained): 36.9% of duplicates give F1 = 2·0.369/1.369 = 0.539."""
    targets = np.array([1.0] * 369 + [0.0] * 631)
    assert metrics.compute("f1", targets, np.ones(1000), 0.5) == pytest.approx(2 * 0.369 / 1.369)


def best_between(name, targets, scores, between):
    return metrics.best_thresholds(name, targets, scores, np.ones((1, len(scores))), between)[0]


@pytest.mark.parametrize("name", TUNED_METRICS)
@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=25))
def test_no_threshold_beats_the_best_threshold(name, rows):
    targets = np.array([float(label) for label, _ in rows])
    scores = np.array([score / 6 for _, score in rows])
    threshold = metrics.best_threshold(name, targets, scores)
    tried = [*np.unique(scores), (np.unique(scores)[:-1] + np.unique(scores)[1:]) / 2]
    best = max((metrics.compute(name, targets, scores, c) for group in tried for c in np.atleast_1d(group)), default=0)
    found = metrics.compute(name, targets, scores, threshold)
    if not (np.isnan(found) or np.isnan(best)):
        # Thresholds above all scores, which predict nothing positive, are not candidates.
        assert found >= best - 1e-12


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.floats(-1, 1, width=32)), min_size=1, max_size=25))
def test_a_threshold_kept_in_an_interval_is_at_least_as_good_as_a_fine_grid_in_it(rows):
    """minilm, algorithm 1: a grid search over [0.3, 0.8] for the highest F1."""
    targets, scores = (np.array(column, dtype=float) for column in zip(*rows))
    threshold = best_between("f1", targets, scores, (0.3, 0.8))
    assert 0.3 <= threshold <= 0.8
    found = np.nan_to_num(metrics.compute("f1", targets, scores, threshold))
    assert all(
        found >= np.nan_to_num(metrics.compute("f1", targets, scores, c)) - 1e-12 for c in np.linspace(0.3, 0.8, 51)
    )


def test_an_interval_without_scores_is_thresholded_at_its_better_end():
    targets = np.array([1.0, 0.0, 1.0])
    assert best_between("f1", targets, np.array([0.9, 0.1, 0.95]), (0.3, 0.8)) == 0.3  # the lower of equals
    assert best_between("accuracy", 1 - targets, np.array([0.5, 0.9, 0.5]), (0.55, 0.8)) == 0.55


def of_kind(name, targets, scores):
    """Return targets and scores on [0, 1] as a metric wants them, with three classes for one of probabilities."""
    if not METRICS[name].of_probabilities:
        return targets, scores
    return np.round(2 * targets), np.stack([scores, (1 - scores) ** 2, scores * (1 - scores)], axis=1) / 2 + 1 / 6


@pytest.mark.parametrize("name", sorted(SCORED_METRICS))
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12), st.randoms())
def test_a_resample_has_the_metric_of_its_rows(name, rows, random):
    """Equal to the metric of the drawn rows themselves; constants and single rows are included."""
    targets, scores = of_kind(name, *(np.array(column) / 4 for column in zip(*rows)))
    drawn = np.array([[random.randrange(len(rows)) for _ in rows] for _ in range(5)])
    counts = np.array([np.bincount(one, minlength=len(rows)) for one in drawn], dtype=float)
    found = metrics.of_resamples(name, targets, scores)(counts, 0.5)
    alone = [metrics.compute(name, targets[one], scores[one], 0.5) for one in drawn]
    np.testing.assert_allclose(found, alone, rtol=1e-9, atol=1e-12)


def test_log_loss_is_that_of_scikit_learn():
    draw = np.random.default_rng(0)
    targets, probabilities = draw.integers(0, 3, 50), draw.dirichlet(np.ones(3), 50)
    found = metrics.compute("log-loss", targets.astype(float), probabilities)
    assert found == pytest.approx(reference.log_loss(targets, probabilities))
    assert np.isfinite(metrics.compute("log-loss", np.array([1.0]), np.array([[1.0, 0.0]])))


def test_the_roc_auc_of_classes_is_that_of_scikit_learn():
    draw = np.random.default_rng(1)
    targets, probabilities = draw.integers(0, 4, 60), draw.dirichlet(np.ones(4), 60)
    expected = reference.roc_auc_score(targets, probabilities, average="macro", multi_class="ovr")
    assert metrics.compute("class-roc-auc", targets.astype(float), probabilities) == pytest.approx(expected)
    rows = draw.integers(0, 60, 60)  # a resample
    found = metrics.of_resamples("class-roc-auc", targets, probabilities)(np.bincount(rows, minlength=60)[None])
    expected = reference.roc_auc_score(targets[rows], probabilities[rows], multi_class="ovr")
    assert found == pytest.approx([expected])


@pytest.mark.parametrize(("value", "kind"), [(0.1, np.float64), (0.7, np.float64), (0.7, np.float32)])
@pytest.mark.parametrize("count", [3, 2_000_000])
def test_a_constant_has_no_correlation_whatever_its_rounding_errors(count, value, kind):
    scores, targets = np.full(count, value, dtype=kind), np.arange(count) % 2
    assert np.isnan(metrics.compute("pearson", targets.astype(float), scores))


def test_a_threshold_above_all_scores_rejects_them_in_32_bits_too():
    scores, targets = np.full(3, 0.2, dtype=np.float32), np.array([0.0, 0.0, 1.0])
    threshold = metrics.best_threshold("accuracy", targets, scores)
    assert metrics.compute("accuracy", targets, scores, threshold) == pytest.approx(2 / 3)


def test_a_resample_far_from_the_rest_is_no_constant():
    """Next to an outlier, all other values seem constant; these resamples do not contain it."""
    targets, scores = np.array([1.0, 2.0, 3.0, 1e6]), np.array([1.0, 2.5, 3.0, -1e6])
    counts = np.array([[1.0, 2, 1, 0], [3, 0, 1, 0]])
    assert metrics.of_resamples("pearson", targets, scores)(counts) == pytest.approx(
        [stats.pearsonr([1, 2, 2, 3], [1, 2.5, 2.5, 3])[0], 1.0]
    )


@pytest.mark.parametrize("name", sorted(SCORED_METRICS))
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_every_metric_is_within_its_bounds(name, rows):
    targets, scores = of_kind(name, *(np.array(column) / 4 for column in zip(*rows)))
    low, high = METRICS[name].bounds
    value = metrics.compute(name, targets, scores, 0.5)
    assert np.isnan(value) or low - 1e-12 <= value <= high + 1e-12
