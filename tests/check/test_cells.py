"""Cells of a table: thresholds, subsets, differences, several seeds."""

from dataclasses import replace

import numpy as np
import pytest

from recorded import STORE, TEXTS, TUNED, Evidence, lookup, measure, predicted
from semblance.config import tables as keys
from semblance.config.tables import cell_keys
from semblance.data.cues import overlap
from semblance.errors import UserError
from semblance.evaluation import cells, figures
from semblance.evaluation.scored import Scored
from semblance.evaluation.subsets import selected
from semblance.specs.cells import Subset
from semblance.specs.typed import typed


def mean(parts, evidence, on_unit_scale=None):
    return cells.mean([keys.cell(part) for part in parts], evidence, on_unit_scale or [False] * len(parts))


def by_step(cell, evidence):
    return figures.by_step(keys.cell(cell), evidence)


def kept(subset, rows, on, evidence):
    return selected(typed(Subset, subset), rows, on, evidence)


def test_every_seed_has_its_own_threshold_tuned_on_other_rows():
    number = measure(TUNED, lookup)
    assert number.thresholds == [pytest.approx(0.8), pytest.approx(0.3)]
    assert number.per_seed == [0.75, 1.0] and number.value == 0.875 and number.examples == 4


def test_a_fixed_threshold():
    assert measure({**TUNED, "threshold": 0.5}, lookup).per_seed == [0.75, 0.5]


def test_at_a_fixed_threshold_seeds_vary_too():
    class Seeds(Evidence):
        def predictions(self, run, on, epoch=None):
            return [predicted([1] * 400, [1] * right + [0] * (400 - right)) for right in (330, 320, 310)]

    number = measure({**TUNED, "threshold": 0.5}, Seeds())
    assert number.high - number.value > 4.303 * 0.025 / np.sqrt(3)  # Student's t of three seeds alone


def test_a_group():
    number = measure({**TUNED, "subset": {"group": "x"}}, lookup)
    assert number.per_seed == [0.5, 1.0] and number.examples == 2


def test_the_hard_subset_is_where_the_reference_run_is_furthest_off():
    number = measure({**TUNED, "subset": {"hardest": {"fraction": 0.5, "run": "lexical"}}}, lookup)
    assert number.examples == 2  # rows 1 (a duplicate, scored 0.1) and 2 (no duplicate, scored 0.8)
    assert number.per_seed == [0.5, 1.0]


def test_a_subset_of_the_hardest_rows_has_the_nearest_number_of_them():
    cell = {**TUNED, "subset": {"hardest": {"fraction": 0.7, "run": "lexical"}}}
    assert measure(cell, lookup).examples == 3  # 2.8 of 4


def test_pairs_are_kept_above_a_share_of_common_words():
    [rows, _] = STORE["a", "set/test"]
    overlaps = [overlap(*pair) for pair in zip(TEXTS.sentence1, TEXTS.sentence2)]
    assert overlaps == [0.5, 0, 0, 0.5]
    assert list(kept({"overlap_above": 0.4}, rows, "set/test", lookup)) == [True, False, False, True]
    assert not kept({"overlap_above": 0.5}, rows, "set/test", lookup).any()


def test_a_metric_that_needs_no_threshold_has_none():
    number = measure({"run": "a", "on": "set/test", "metric": "mean-absolute-error"}, lookup)
    assert number.thresholds is None
    assert number.per_seed[0] == pytest.approx((0.15 + 0.25 + 0.78 + 0.1) / 4)


def test_a_metric_of_classes_compares_their_probabilities():
    likely = np.array([[0.9, 0.1], [0.4, 0.6], [0.7, 0.3], [0.8, 0.2]])  # of the second class 0.1, 0.6, 0.3, 0.2
    rows = replace(predicted([0, 1, 1, 0], likely.argmax(1)), id=np.array(list("abcd")), probabilities=likely)

    class OfClasses(Evidence):
        def predictions(self, run, on, epoch=None):
            return [rows]

    cell = {"run": "a", "on": "set/test"}
    assert measure({**cell, "metric": "class-accuracy"}, OfClasses()).value == 0.75
    assert measure({**cell, "metric": "class-roc-auc"}, OfClasses()).value == 1.0
    found = measure({**cell, "metric": "log-loss"}, OfClasses()).value
    assert found == pytest.approx(-np.log([0.9, 0.6, 0.3, 0.8]).mean())


def test_a_group_nobody_is_in_is_refused():
    with pytest.raises(UserError, match="set/test: there is no group 'z'; known are: x, y"):
        measure({**TUNED, "subset": {"group": "z"}}, lookup)


def test_the_two_halves_hold_every_row_once_and_are_the_same_for_every_run():
    rows = {half: kept({"half": half}, STORE["a", "set/test"][0], "set/test", lookup) for half in ("first", "second")}
    assert rows["first"].sum() == 2 and (rows["first"] ^ rows["second"]).all()
    assert (kept({"half": "first"}, STORE["lexical", "set/test"][0], "set/test", lookup) == rows["first"]).all()

    class Sharing(Evidence):
        def clusters(self, on, ids):
            return np.array([0, 1, 0, 1])

    first = kept({"half": "first"}, STORE["a", "set/test"][0], "set/test", Sharing())
    assert first[0] == first[2] != first[1] == first[3]


def test_where_all_rows_share_sentences_halves_are_of_rows():
    class OneCluster(Evidence):
        def clusters(self, on, ids):
            return np.zeros(len(ids), dtype=int)

    assert kept({"half": "first"}, STORE["a", "set/test"][0], "set/test", OneCluster()).sum() == 2


def test_length_is_the_shorter_sentences():
    row = STORE["a", "set/test"][0]
    assert list(kept({"characters": {"above": 3}}, row, "set/test", lookup)) == [True, True, False, True]
    assert list(kept({"characters": {"at_most": 3}}, row, "set/test", lookup)) == [False, False, True, False]


def test_a_pair_seen_elsewhere_is_left_out_in_either_order():
    class Overlap(Evidence):
        def pair_keys(self, on):
            both = [tuple(sorted(("why?", "no."))), ("never", "seen")]
            return both if on == "other/train" else self.pairs(on).pair_keys()

    row = STORE["a", "set/test"][0]
    assert list(kept({"unseen_in": ["other/train"]}, row, "set/test", Overlap())) == [True, True, False, True]


def test_parts_narrow_one_another_across_row_and_column():
    table = {"cell": {"run": "a"}, "rows": {}, "columns": {}}
    cell = cell_keys(table, {"subset": {"characters": {"above": 3}}}, {"subset": {"group": "x"}, "metric": "f1"})
    assert cell == {"run": "a", "metric": "f1", "subset": {"characters": {"above": 3}, "group": "x"}}


def test_a_part_without_rows_is_undefined_and_counted_as_none():
    nobody = {**TUNED, "subset": {"characters": {"above": 99}}}
    number = measure(nobody, lookup)
    assert np.isnan(number.value) and np.isnan(number.low) and number.examples == 0
    assert measure({**nobody, "metric": "examples"}, lookup).value == 0


def test_the_evaluation_nearest_to_an_epoch_is_used_and_tunes_its_own_threshold():
    early = measure({**TUNED, "epoch": 0.6}, lookup)
    assert early.per_seed == measure(TUNED, lookup).per_seed
    late = measure({**TUNED, "epoch": 1.2, "threshold": 0.5}, lookup)
    assert late.per_seed == [0.25, 0.5]
    assert measure({"run": "a", "on": "set/test", "epoch": 1.2, "metric": "step"}, lookup).value == 20
    found = by_step({**TUNED, "threshold": 0.5}, lookup)
    assert (found.at, found.mean) == ([0.0, 0.5, 1.0], [0.625, 0.625, 0.375])
    assert (found.lowest[-1], found.highest[-1]) == (0.25, 0.5)  # of two seeds


def test_an_epoch_that_a_run_did_not_reach_has_no_number():
    """Evaluations are half an epoch apart; the one before training is near no later epoch."""
    for epoch in (0.2, 1.3, 9):
        assert measure({**TUNED, "epoch": epoch}, lookup).value is None
        assert measure({"run": "a", "on": "set/test", "epoch": epoch, "metric": "step"}, lookup).value is None
    assert measure({"run": "a", "on": "set/test", "epoch": 0, "metric": "step"}, lookup).value == 0


def test_rows_and_columns_fill_in_the_name_of_the_run():
    table = {"cell": {"run": "zero-{encoder}-{pooling}"}}
    cell = cell_keys(table, {"fill": {"encoder": "bert"}}, {"fill": {"pooling": "max"}, "metric": "f1"})
    assert cell == {"run": "zero-bert-max", "metric": "f1"}
    assert (
        cell_keys(table, {}, {"fill": {"pooling": "max"}})["run"] == "zero-{encoder}-max"
    )  # a run that does not exist


def test_a_scaled_cell_is_the_same_number_in_percent():
    plain, percent = (measure({**TUNED, **scale}, Evidence()) for scale in ({}, {"scale": 100}))
    assert percent.value == 100 * plain.value and (percent.low, percent.high) == (100 * plain.low, 100 * plain.high)
    assert percent.thresholds == plain.thresholds and percent.examples == plain.examples


def test_the_mean_of_a_cell_with_itself_is_that_cell():
    alone, twice = measure(TUNED, Evidence()), mean([TUNED, TUNED], Evidence())
    assert (twice.value, twice.low, twice.high) == pytest.approx((alone.value, alone.low, alone.high))


def test_the_mean_of_cells_with_few_examples_is_corrected_for_them():
    rng, targets = np.random.default_rng(3), np.arange(12) % 2
    STORE["twelve", "set/test"] = [predicted(targets, 0.3 * targets + 0.7 * rng.random(12))]
    cell = {"run": "twelve", "on": "set/test", "metric": "roc-auc"}
    alone, twice = measure(cell, Evidence()), mean([cell, cell], Evidence())
    assert (twice.low, twice.high) == pytest.approx((alone.low, alone.high)) and alone.low > 0


def test_a_mean_that_no_resample_changes_has_no_interval():
    STORE["perfect", "set/test"] = [predicted([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1])]
    found = mean([{**TUNED, "run": "perfect", "threshold": 0.5}] * 2, Evidence())
    assert found.value == 1 and np.isnan(found.low)


def test_subsets_of_a_split_are_resampled_independently():
    """Errors at the same positions of two halves do not make their mean less certain than the whole."""
    right = np.random.default_rng(1).random(200) < 0.8
    rows = predicted([1] * 400, np.concatenate([right, right]), ["x"] * 200 + ["y"] * 200)

    class Store(Evidence):
        def predictions(self, run, on, epoch=None):
            return [rows]

    whole = {"run": "a", "on": "set/test", "metric": "f1", "threshold": 0.5}
    halves, both = mean([whole | {"subset": {"group": name}} for name in "xy"], Store()), measure(whole, Store())
    assert halves.high - halves.low == pytest.approx(both.high - both.low, rel=0.1)


def test_a_difference_is_of_the_same_examples_and_narrower_than_its_parts():
    random = np.random.default_rng(0)
    targets = random.integers(0, 2, 400)
    scores = np.where(random.random(400) < 0.8, targets, 1 - targets).astype(float)
    nearly = np.where(random.random(400) < 0.02, 1 - scores, scores)

    class Store(Evidence):
        def predictions(self, run, on, epoch=None):
            return [predicted(targets, scores if run == "then" else nearly)]

    cell = {"run": "now", "on": "set/dev", "metric": "accuracy", "threshold": 0.5, "minus": {"run": "then"}}
    changed = measure(cell, Store())
    now, then = (
        measure({**cell, "run": run, "minus": {"run": run}} | {"minus": {}}, Store()) for run in ("now", "then")
    )
    assert changed.value == pytest.approx(np.mean((nearly >= 0.5) == targets) - np.mean((scores >= 0.5) == targets))
    assert (now.value, then.value) == (0, 0)  # each minus itself
    plain = measure({k: v for k, v in cell.items() if k != "minus"}, Store())
    assert changed.high - changed.low < 0.5 * (plain.high - plain.low)


def test_a_difference_has_the_seeds_of_whichever_side_has_more():
    """At a threshold of 0.5, `a` has accuracies of 0.75 and 0.5 with two seeds; `lexical` has 0.5 with one."""
    cell = {"run": "lexical", "on": "set/test", "metric": "accuracy", "threshold": 0.5, "minus": {"run": "a"}}
    assert measure(cell, lookup).per_seed == [-0.25, 0.0]
    assert measure(cell | {"run": "a", "minus": {"run": "lexical"}}, lookup).per_seed == [0.25, 0.0]


def test_another_run_is_not_taken_at_the_same_time_of_training():
    timed = {"run": "a", "on": "set/test", "metric": "roc-auc", "after_stages": 2}
    assert keys.cell(timed | {"minus": {"run": "b"}}).minus.after_stages is None
    assert keys.cell(timed | {"minus": {"on": "set/dev"}}).minus.after_stages == 2


def test_what_seeds_add_ends_where_a_metric_does():
    """Without bounds, the interval of two seeds that are 0.25 apart would be -0.7 to 2.5."""
    number = measure(TUNED, lookup)
    assert (number.low, number.high) == (0, 1)


def test_rows_on_which_all_seeds_are_right_have_the_interval_of_one():
    class AllRight(Evidence):
        def predictions(self, run, on, epoch=None):
            return [predicted([1, 0] * 10, [1, 0] * 10)] * (2 if run == "two" else 1)

    cell = {"on": "set/test", "metric": "accuracy", "threshold": 0.5}
    one, two = (measure({**cell, "run": run}, AllRight()) for run in ("one", "two"))
    assert (two.value, two.low, two.high) == (1, one.low, 1) and two.low == pytest.approx(0.832, abs=1e-3)


def test_a_difference_of_other_examples_is_refused():
    cell = {**TUNED, "minus": {"on": "set/dev", "threshold": 0.5}}
    with pytest.raises(UserError, match="accuracy on set/test has other rows of a than of a: give both"):
        measure(cell, Evidence())


def test_rows_and_columns_fill_in_the_run_that_is_subtracted():
    cell = cell_keys({}, {"fill": {"method": "smart"}}, {"run": "{method}-sst", "minus": {"run": "{method}-sts"}})
    assert cell == {"run": "smart-sst", "minus": {"run": "smart-sts"}}


def test_a_correlation_counts_as_a_share_in_a_mean():
    pearson = {"run": "a", "on": "set/test", "metric": "pearson"}
    assert Scored(keys.cell(pearson), Evidence(), on_unit_scale=True).limits == (0, 1)
    both = mean([TUNED, pearson], Evidence(), [False, True])
    expected = (measure(TUNED, Evidence()).value + (measure(pearson, Evidence()).value + 1) / 2) / 2
    assert both.value == pytest.approx(expected)


def test_a_group_is_all_its_kinds_or_one():
    found = predicted([1, 1, 0, 0], [0.9, 0.8, 0.7, 0.6], ["negation/can", "negation/is", "modal/can", None])

    def within(name):
        return kept({"group": name}, found, "set/test", lookup).tolist()

    assert within("negation") == [True, True, False, False] and within("modal") == [False, False, True, False]
    assert within("negation/is") == [False, True, False, False]
    with pytest.raises(UserError, match="no group 'negation/was'; did you mean 'negation/is'"):
        within("negation/was")


@pytest.mark.parametrize("metric", ["accuracy", "pearson"])
def test_an_interval_is_wider_where_rows_share_sentences(metric):
    targets = np.repeat(np.random.default_rng(5).integers(0, 2, 60), 3)
    scores = np.where(np.repeat(np.random.default_rng(6).random(60) < 0.8, 3), targets, 1 - targets)

    class Store(Evidence):
        def predictions(self, run, on, epoch=None):
            return [predicted(targets, scores)]

    class Shared(Store):
        def clusters(self, on, ids):
            return np.arange(len(ids)) // 3

    cell = {"run": "a", "on": "set/dev", "metric": metric, "threshold": 0.5}
    apart, together = measure(cell, Store()), measure(cell, Shared())
    assert together.value == apart.value
    assert together.high - together.low == pytest.approx(3**0.5 * (apart.high - apart.low), rel=0.15)
