"""What is found is read as it was written."""

import pytest

from claimed import judged_claim, judgement
from measured import CELL, as_json, make_cell, make_table, written
from semblance import findings
from semblance.contradictions import Check
from semblance.findings import Answer, ErrorCounts, JudgedClaims, ListedExample, MeasuredList, Outcome
from semblance.specs.typed import typed
from semblance.vocabulary import Verdict

WRONG = make_cell(contradicted=Check("mean", 0.6, 0.5, False), per_seed=(0.5, None), thresholds=(0.1,))
EXAMPLE = ListedExample("1", None, "A.", "B.", True, {"BERT": Answer(0.7, right=False)})
LIST = MeasuredList("p", "l", "", "c", "s", "", 1, 1, 1, 0, {"BERT": ErrorCounts(0.5, 1, 0, 1.0, None)}, (EXAMPLE,))
CLAIM = judged_claim(each_seed=(Outcome(0.1, None, None, "inconclusive"),), not_trained=("a",))


@pytest.mark.parametrize(
    "found",
    [make_table(a=[CELL, WRONG]), LIST, JudgedClaims("p", "Demo.", (CLAIM,))],
    ids=lambda found: type(found).__name__,
)
def test_a_file_has_all_that_was_found(found, tmp_path):
    assert findings.read(written(tmp_path, found), type(found)) == found


@pytest.mark.parametrize(
    "found", [CLAIM, judgement("yes", over_start=(None, 0.1))], ids=lambda found: type(found).__name__
)
def test_json_has_all_that_was_found(found):
    assert typed(type(found), as_json(found)) == found


def test_cells_are_found_by_row_and_column():
    first, second = make_cell(value=0.1), make_cell(value=0.2)
    table = make_table(a=[CELL, first], b=[CELL, second])
    assert table.by_row == {"a": [CELL, first], "b": [CELL, second]}
    assert table.by_column == {"F1": [CELL, CELL], "50%": [first, second]}
    assert table.cells == [CELL, first, CELL, second]


def test_an_interval_has_both_ends_or_is_none():
    assert CELL.interval == (0.79, 0.83) and make_cell(low=None).interval is None
    assert judged_claim(low=0.1, high=0.2).interval == (0.1, 0.2) and judged_claim(high=None).interval is None


def test_a_claim_is_decided_open_or_cannot_be_judged():
    kinds = [judged_claim(verdict=verdict) for verdict in ("supported", "refuted", "inconclusive", Verdict.STANDS_IN)]
    assert [one.is_decided for one in kinds] == [True, True, False, False]
    assert [one.kind for one in kinds] == ["supported", "refuted", "inconclusive", "cannot be judged"]
